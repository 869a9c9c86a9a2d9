// The loops that every number of a file goes through, with the widest vector instructions of the processor.
//
//   std::vector<float> row(100);
//   std::vector<double> mean(100), inverse_scale(100, 1.0);
//   if (landfall::all_finite(row.data(), 100, landfall::instruction_set()))
//     landfall::centre(row.data(), row.data(), 100, mean.data(), inverse_scale.data(), landfall::instruction_set());
#pragma once

#include <landfall/linalg/types.hpp>
#include <landfall/parallel/kernels.hpp>

namespace landfall {

template <class S>
bool all_finite(const S* numbers, Index count, InstructionSet set);

/// to = (from - mean) inverse_scale, in double precision: a difference keeps the digits of `from`, however large the mean
/// is. `to` may be `from`.
template <class S>
void centre(const S* from, S* to, Index count, const double* mean, const double* inverse_scale,
            InstructionSet set);

/// Sums over rows of a few columns; every array has `count` entries. Finite numbers only.
struct ColumnSums {
  const double* origin;                                                              // c
  double *sum, *min, *max;                                                           // of a - c; of a
  const double* mean = nullptr;                                                      // m, of a - c
  double *rest = nullptr, *squares = nullptr, *cubes = nullptr, *fourths = nullptr;  // of (a - c) - m
  double weight = 1;                                                                 // of the row that is added
};

/// sum, min and max; returns how many are not zero.
template <class S>
Index add_to_sums(const S* row, Index count, const ColumnSums& sums, InstructionSet set);
/// The powers.
template <class S>
void add_to_powers(const S* row, Index count, const ColumnSums& sums, InstructionSet set);

#define LANDFALL_ROW_LOOPS(EXTERN, S)                                                                \
  EXTERN template bool all_finite<S>(const S*, Index, InstructionSet);                               \
  EXTERN template void centre<S>(const S*, S*, Index, const double*, const double*, InstructionSet); \
  EXTERN template Index add_to_sums<S>(const S*, Index, const ColumnSums&, InstructionSet);          \
  EXTERN template void add_to_powers<S>(const S*, Index, const ColumnSums&, InstructionSet);
LANDFALL_ROW_LOOPS(extern, float)
LANDFALL_ROW_LOOPS(extern, double)

}  // namespace landfall
