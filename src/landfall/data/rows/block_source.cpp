#include <landfall/data/rows/block_source.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {

template <class S>
BlockSource<S>::BlockSource(std::string name, std::function<NextBlock<S>()> begin, std::optional<Index> rows)
    : name_(std::move(name)), begin_(std::move(begin)), rows_(rows), next_(begin_()) {
  block_ = next_();
  if (!block_) throw DataError(fmt::format("{}: no block of rows, expected at least one", name_));
  blocks_ = 1;
  element_type_ = block_->element_type();
  cols_ = block_->cols();
  sparse_ = block_->sparse();
  column_names_ = block_->column_names();
}

template <class S>
void BlockSource<S>::rewind() {
  if (fresh_) return;
  next_ = begin_();
  row_ = blocks_ = 0;
  block_ = nullptr;
  fresh_ = next_block();
}

/// Opens the next block that fits the first; false at the end.
template <class S>
bool BlockSource<S>::next_block() {
  block_ = next_();
  if (!block_) {
    if (rows_ && row_ != *rows_)
      throw DataError(fmt::format("{}: ended after {} rows, expected {}", name_, row_, *rows_));
    rows_ = row_;
    return false;
  }
  if (block_->cols() != cols_ || block_->sparse() != sparse_)
    throw DataError(fmt::format("{}: block {} is {} with {} columns, expected {} with {} as in the first",
                                name_, blocks_, block_->sparse() ? "sparse" : "dense", block_->cols(),
                                sparse_ ? "sparse" : "dense", cols_));
  ++blocks_;
  return true;
}

template <class S>
Index BlockSource<S>::read(Index count, Batch<S>& batch) {
  if (count < 1) throw UsageError(fmt::format("a batch of {} rows, expected at least 1", count));
  fresh_ = false;
  sparse_ ? batch.start_sparse(cols_) : batch.start_dense(cols_);
  std::vector<Index> numbers;
  while (block_ && batch.rows() < count) {
    const Index more = block_->read(count - batch.rows(), piece_);
    if (more == 0) {
      next_block();
      continue;
    }
    if (sparse_) {
      for (Index i = 0; i < more; ++i) {
        batch.add_sparse_row(row_ + i);
        each_entry(piece_, i, [&](Index col, S value) { batch.add_entry(col, value); });
      }
    } else {
      numbers.clear();
      for (Index i = 0; i < more; ++i) numbers.push_back(row_ + i);
      const std::span<S> out = batch.add_rows(numbers);
      std::copy_n(piece_.dense().data(), out.size(), out.begin());
    }
    row_ += more;
  }
  return batch.rows();
}

template class BlockSource<float>;
template class BlockSource<double>;

}  // namespace landfall
