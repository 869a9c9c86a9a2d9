// Rows copied from one batch to another.
//
//   #include <landfall/data/batch.hpp>
//   landfall::Batch<double> block, kept;
//   landfall::start_like(block, kept);                  // dense or sparse, as many columns, no rows
//   landfall::append_row(block, 3, kept);               // its fourth row
//   use(landfall::all_finite(kept.dense()));
#pragma once

#include <landfall/data/batch.hpp>

namespace landfall {

/// Empties `to` and makes it of the kind of `from`.
template <class S>
void start_like(const Batch<S>& from, Batch<S>& to);

/// Appends row i of `from` to a batch of the same kind; it keeps its number.
template <class S>
void append_row(const Batch<S>& from, Index i, Batch<S>& to);

/// Whether every number is finite. Zero times anything else is NaN: a sum, which uses vectors, where Eigen's
/// allFinite does not.
template <class Numbers>
bool all_finite(const Numbers& numbers) {
  using S = typename Numbers::Scalar;
  return (numbers.array() * S(0)).sum() == S(0);
}

#define LANDFALL_ROWS(EXTERN, S)                                  \
  EXTERN template void start_like<S>(const Batch<S>&, Batch<S>&); \
  EXTERN template void append_row<S>(const Batch<S>&, Index, Batch<S>&);
LANDFALL_ROWS(extern, float)
LANDFALL_ROWS(extern, double)

}  // namespace landfall
