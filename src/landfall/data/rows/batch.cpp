#include <landfall/data/rows/batch.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {

template <class S>
void Batch<S>::start_dense(Index cols) {
  cols_ = cols;
  sparse_ = false;
  numbers_.clear();
  roots_.clear();
  used_ = 0;
}

template <class S>
void Batch<S>::start_sparse(Index cols) {
  start_dense(cols);
  sparse_ = true;
  starts_.assign(1, 0);
}

/// Room for so many values, and for their columns where rows are sparse.
template <class S>
void Batch<S>::grow(std::size_t size) {
  const std::size_t room = std::max(size, used_ + used_ / 2);
  if (values_.size() < size) values_.resize(room);
  if (sparse_ && columns_.size() < values_.size()) columns_.resize(values_.size());
}

template <class S>
std::span<S> Batch<S>::add_row(Index number) {
  const std::span<S> row = add_rows(std::span(&number, 1));
  std::ranges::fill(row, S(0));
  return row;
}

template <class S>
std::span<S> Batch<S>::add_rows(std::span<const Index> numbers) {
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  const std::size_t size = numbers.size() * static_cast<std::size_t>(cols_);
  grow(used_ + size);
  used_ += size;
  return values().last(size);
}

template <class S>
void Batch<S>::add_sparse_row(Index number) {
  numbers_.push_back(number);
  starts_.push_back(starts_.back());
}

template <class S>
void Batch<S>::weigh(std::span<const S> roots) {
  if (static_cast<Index>(roots.size()) != rows())
    throw UsageError(fmt::format("{} weights for {} rows", roots.size(), rows()));
  roots_.assign(roots.begin(), roots.end());
  if (!sparse_) {
    auto columns = dense();
    for (Index i = 0; i < rows(); ++i) columns.col(i) *= roots_[static_cast<std::size_t>(i)];
    return;
  }
  for (std::size_t i = 0; i < roots_.size(); ++i)
    for (Index k = starts_[i]; k < starts_[i + 1]; ++k) values_[static_cast<std::size_t>(k)] *= roots_[i];
}

template <class S>
void Batch<S>::times(In<S> x, Out<S> out) const {
  if (x.rows() != cols_ || out.rows() != rows() || out.cols() != x.cols())
    throw UsageError(fmt::format("a batch of {}x{} times {}x{} into {}x{}", rows(), cols_, x.rows(), x.cols(),
                                 out.rows(), out.cols()));
  if (!sparse_) {
    multiply_at<S>(dense(), x, out);
    return;
  }
  sparse_product<S>(sparse_rows(), x, out, instruction_set());
}

template <class S>
void Batch<S>::transpose_times(In<S> w, Out<S> out, S scale, S beta) const {
  if (w.rows() != rows() || out.rows() != cols_ || out.cols() != w.cols())
    throw UsageError(fmt::format("the transpose of a batch of {}x{} times {}x{} into {}x{}", rows(), cols_,
                                 w.rows(), w.cols(), out.rows(), out.cols()));
  if (!sparse_) {
    multiply<S>(dense(), w, out, scale, beta);
    return;
  }
  if (beta == 0)
    out.setZero();
  else if (beta != 1)
    out *= beta;
  add_sparse_product_at<S>(sparse_rows(), w, out, scale, instruction_set());
}

template <class S>
void Batch<S>::state(State& state) {
  columns_.resize(sparse_ ? used_ : 0);
  values_.resize(used_);
  state(cols_, sparse_, used_, numbers_, starts_, columns_, values_, roots_);
}

template class Batch<float>;
template class Batch<double>;

}  // namespace landfall
