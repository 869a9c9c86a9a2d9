// Rows copied from one batch to another.
//
//   #include <landfall/data/rows/batch.hpp>
//   landfall::Batch<double> block, kept;
//   landfall::start_like(block, kept);                  // dense or sparse, as many columns, no rows
//   landfall::append_row(block, 3, kept);               // its fourth row
//   use(kept.dense().rows());
//   std::vector<double> row(100);                       // as many as there are columns
//   landfall::dense_row<double>(block, 3, row);         // the same with its zeros
//   landfall::each_entry(block, 3, [](landfall::Index column, double value) { use(column, value); });
#pragma once

#include <landfall/data/rows/batch.hpp>
#include <landfall/linalg/state.hpp>

namespace landfall {

/// Empties `to` and makes it of the kind of `from`.
template <class S>
void start_like(const Batch<S>& from, Batch<S>& to);

/// Appends row i of `from` to a batch of the same kind; it keeps its number and root.
template <class S>
void append_row(const Batch<S>& from, Index i, Batch<S>& to);

/// Calls use(column, value) for the entries of row i; of a dense one, for those that are not zero.
template <class S, class F>
void each_entry(const Batch<S>& from, Index i, F use) {
  if (!from.sparse()) {
    const auto row = from.dense().col(i);
    for (Index j = 0; j < row.size(); ++j)
      if (row[j] != 0) use(j, row[j]);
    return;
  }
  const auto at = static_cast<std::size_t>(i);
  for (auto k = static_cast<std::size_t>(from.starts()[at]);
       k < static_cast<std::size_t>(from.starts()[at + 1]); ++k)
    use(from.columns()[k], from.values()[k]);
}

/// Row i with its zeros, whether dense or sparse; `out` has as many entries as the batch has columns.
template <class S>
void dense_row(const Batch<S>& from, Index i, std::span<S> out);

/// A fingerprint of rows as they are stored, each with its number and view: the sum of their hashes modulo 2^64, so that the
/// order of rows does not matter.
template <class S>
std::uint64_t mark_of(const Batch<S>& rows, std::size_t view);

/// Saves or restores the rows of a batch (linalg/state.hpp).
template <class S>
void state(State& state, Batch<S>& batch);

#define LANDFALL_ROWS(EXTERN, S)                                           \
  EXTERN template void start_like<S>(const Batch<S>&, Batch<S>&);          \
  EXTERN template void append_row<S>(const Batch<S>&, Index, Batch<S>&);   \
  EXTERN template void dense_row<S>(const Batch<S>&, Index, std::span<S>); \
  EXTERN template std::uint64_t mark_of<S>(const Batch<S>&, std::size_t);  \
  EXTERN template void state<S>(State&, Batch<S>&);
LANDFALL_ROWS(extern, float)
LANDFALL_ROWS(extern, double)

}  // namespace landfall
