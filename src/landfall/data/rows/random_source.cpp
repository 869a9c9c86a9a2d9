#include <landfall/data/rows/random_source.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace landfall {

template <class S>
Index RandomSource<S>::read(Index count, Batch<S>& batch) {
  if (count < 1) throw UsageError(fmt::format("a batch of {} rows, expected at least 1", count));
  count = std::min(count, rows_ - next_);
  numbers_.resize(static_cast<std::size_t>(count));
  std::iota(numbers_.begin(), numbers_.end(), next_);
  batch.start_dense(cols_);
  fetch(numbers_, batch);
  next_ += count;
  return count;
}

template <class S>
void RandomSource<S>::read_rows(std::span<const Index> rows, Batch<S>& batch) {
  for (const Index row : rows)
    if (row < 0 || row >= rows_)
      throw UsageError(fmt::format("{}: row {}, expected 0 to {}", name_, row, rows_ - 1));
  batch.start_dense(cols_);
  fetch(rows, batch);
}

template class RandomSource<float>;
template class RandomSource<double>;

}  // namespace landfall
