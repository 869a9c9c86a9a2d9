#include <landfall/data/io/checksum.hpp>
#include <landfall/data/rows/rows.hpp>

#include <algorithm>
#include <array>

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
  if (!from.roots().empty()) to.add_root(from.roots()[row]);
  if (!from.sparse()) {
    const auto cols = static_cast<std::size_t>(from.cols());
    std::ranges::copy(from.values().subspan(row * cols, cols),
                      to.add_rows(from.numbers().subspan(row, 1)).begin());
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

template <class S>
void state(State& state, Batch<S>& batch) {
  bool sparse = batch.sparse();
  Index cols = batch.cols();
  std::vector<Index> numbers(batch.numbers().begin(), batch.numbers().end());
  std::vector<Index> starts(batch.starts().begin(), batch.starts().end());
  std::vector<Index> columns(batch.columns().begin(), batch.columns().end());
  const std::span<S> stored = batch.values();
  std::vector<S> values(stored.begin(), stored.end());
  std::vector<S> roots(batch.roots().begin(), batch.roots().end());
  state(sparse, cols, numbers, starts, columns, values, roots);
  if (!state.loading()) return;
  sparse ? batch.start_sparse(cols) : batch.start_dense(cols);
  for (const S root : roots) batch.add_root(root);
  if (!sparse) {
    std::ranges::copy(values, batch.add_rows(numbers).begin());
    return;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    batch.add_sparse_row(numbers[i]);
    for (auto k = static_cast<std::size_t>(starts[i]); k < static_cast<std::size_t>(starts[i + 1]); ++k)
      batch.add_entry(columns[k], values[k]);
  }
}

template <class S>
std::uint64_t mark_of(const Batch<S>& rows, std::size_t view) {
  std::uint64_t sum = 0;
  const auto n = static_cast<std::size_t>(rows.cols());
  for (std::size_t i = 0; i < rows.numbers().size(); ++i) {
    const std::array<std::uint64_t, 2> name{static_cast<std::uint64_t>(rows.numbers()[i]), view};
    Checksum hash;
    hash.add(std::as_bytes(std::span(name)));
    const auto first = rows.sparse() ? static_cast<std::size_t>(rows.starts()[i]) : i * n;
    const auto count = rows.sparse() ? static_cast<std::size_t>(rows.starts()[i + 1]) - first : n;
    hash.add(std::as_bytes(rows.values().subspan(first, count)));
    if (rows.sparse()) hash.add(std::as_bytes(rows.columns().subspan(first, count)));
    sum += hash.value();
  }
  return sum;
}

LANDFALL_ROWS(, float)
LANDFALL_ROWS(, double)

}  // namespace landfall
