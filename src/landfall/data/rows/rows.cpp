#include <landfall/data/rows/rows.hpp>

#include <algorithm>

namespace landfall {

template <class S>
void start_like(const Batch<S>& from, Batch<S>& to) {
  if (from.sparse())
    to.start_sparse(from.cols());
  else
    to.start_dense(from.cols());
}

template <class S>
void append_row(const Batch<S>& from, Index i, Batch<S>& to) {
  const auto row = static_cast<std::size_t>(i);
  if (!from.sparse()) {
    const auto cols = static_cast<std::size_t>(from.cols());
    std::ranges::copy(from.values().subspan(row * cols, cols), to.add_row(from.numbers()[row]).begin());
    return;
  }
  to.add_sparse_row(from.numbers()[row]);
  for (auto k = static_cast<std::size_t>(from.starts()[row]);
       k < static_cast<std::size_t>(from.starts()[row + 1]); ++k)
    to.add_entry(from.columns()[k], from.values()[k]);
}

template <class S>
void dense_row(const Batch<S>& from, Index i, std::span<S> out) {
  if (!from.sparse()) {
    const auto row = from.dense().col(i);
    std::copy(row.begin(), row.end(), out.begin());
    return;
  }
  std::fill(out.begin(), out.end(), S(0));
  each_entry(from, i, [&](Index col, S value) { out[static_cast<std::size_t>(col)] = value; });
}

LANDFALL_ROWS(, float)
LANDFALL_ROWS(, double)

}  // namespace landfall
