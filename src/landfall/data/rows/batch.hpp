// Some rows of a data matrix, dense or sparse, as a source hands them out.
//
//   landfall::Batch<float> batch;
//   batch.start_dense(784);              // 784 columns, no rows yet
//   batch.add_row(17) [3] = 0.5f;        // row 17 of the source, zero but for its fourth entry
//   use(batch.rows(), batch.dense());    // 784 x 1: samples are columns, so that each is contiguous
#pragma once

#include <landfall/linalg/scratch.hpp>
#include <landfall/linalg/sparse_products.hpp>
#include <landfall/linalg/state.hpp>
#include <landfall/linalg/types.hpp>

#include <span>
#include <vector>

namespace landfall {

template <class S>
class Batch {
 public:
  /// Empties the batch and says what its rows are like. Storage is kept, so a batch that is used again does
  /// not allocate.
  void start_dense(Index cols);
  void start_sparse(Index cols);

  Index rows() const { return static_cast<Index>(numbers_.size()); }
  Index cols() const { return cols_; }
  bool sparse() const { return sparse_; }

  /// Which row of the source each row is.
  std::span<const Index> numbers() const { return numbers_; }

  /// Multiplies every row by its number here, the square root of its weight, so that sums of squares over the rows are weighted
  /// ones.
  void weigh(std::span<const S> roots);
  /// By what the rows have been multiplied; empty: all by 1. A row that is appended elsewhere takes its root along.
  std::span<const S> roots() const { return roots_; }
  void add_root(S root) { roots_.push_back(root); }

  /// Adds this to the number of every row.
  void renumber(Index offset) {
    for (Index& number : numbers_) number += offset;
  }

  /// Dense: appends a row of zeros and gives it to be filled in.
  std::span<S> add_row(Index number);
  /// The same for many, one after the other, of unspecified content: every entry must be set.
  std::span<S> add_rows(std::span<const Index> numbers);
  /// Sparse: appends an empty row; entries go to the last row, columns ascending.
  void add_sparse_row(Index number);
  void add_entry(Index col, S value) {
    if (used_ == columns_.size()) grow(used_ + 1);
    columns_[used_] = col;
    values_[used_] = value;
    starts_.back() = static_cast<Index>(++used_);
  }

  /// Dense rows as the columns of a cols x rows matrix.
  Eigen::Map<const Matrix<S>> dense() const { return {values_.data(), cols_, rows()}; }
  Eigen::Map<Matrix<S>> dense() { return {values_.data(), cols_, rows()}; }

  /// Sparse rows in compressed form: row i has entries [starts[i], starts[i+1]).
  std::span<const Index> starts() const { return starts_; }
  std::span<const Index> columns() const { return {columns_.data(), sparse_ ? used_ : 0}; }
  std::span<const S> values() const { return {values_.data(), used_}; }
  std::span<S> values() { return {values_.data(), used_}; }

  /// out = A x and out = scale A'w + beta out, for the rows A of this batch; never densified.
  void times(In<S> x, Out<S> out) const;
  void transpose_times(In<S> w, Out<S> out, S scale, S beta) const;

  void state(State& state);

 private:
  void grow(std::size_t size);
  SparseRows<S> sparse_rows() const {
    return {starts_.data(), columns_.data(), values_.data(), rows(), cols_};
  }

  Index cols_ = 0;
  bool sparse_ = false;
  std::vector<Index> numbers_, starts_;
  std::vector<S> roots_;
  // Of these the first used_ entries count. They never shrink: clearing and resizing would write each number
  // twice.
  std::vector<Index> columns_;
  std::vector<S> values_;
  std::size_t used_ = 0;
};

extern template class Batch<float>;
extern template class Batch<double>;

}  // namespace landfall
