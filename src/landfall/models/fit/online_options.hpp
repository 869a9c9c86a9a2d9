// What the models that learn from rows as they come have in common.
//
//   #include <landfall/data/rows/statistics.hpp>
//   const auto columns = landfall::column_statistics<float>(source);
//   const double ridge = 1e-3 * landfall::mean_variance(columns);
//   const landfall::Index rows = landfall::online_batch(0, 5, false);    // 128
//   use(ridge, rows, landfall::signs_of_largest(w));
#pragma once

#include <landfall/data/rows/statistics.hpp>
#include <landfall/landing/online.hpp>
#include <landfall/linalg/types.hpp>

#include <optional>
#include <string_view>

namespace landfall {

/// UsageError for a negative one.
void check_ridge(const std::optional<double>& ridge, double relative);

/// Rows per step; where 0 is given large enough for p columns, and large for sparse rows, whose products cost
/// little beside the n x p blocks.
Index online_batch(Index given, Index p, bool sparse);

/// Over the columns that are not constant; 0 where all are.
double mean_variance(const ColumnStatistics& columns);

/// The columns that are constant; they may be expected to be like the others once they vary.
ConstantColumns constant_columns(const ColumnStatistics& columns);

/// 1 or -1 for each column of the weights: the sign of its largest entry.
Vector<double> signs_of_largest(const Matrix<double>& weights);

/// Of weights W with W'(S + ridge I)W = I: NumericalError unless each of them has variance.
template <class S>
void require_online_rank(std::string_view name, const Matrix<double>& weights, double ridge, Index rows);

#define LANDFALL_ONLINE_OPTIONS(EXTERN, S) \
  EXTERN template void require_online_rank<S>(std::string_view, const Matrix<double>&, double, Index);
LANDFALL_ONLINE_OPTIONS(extern, float)
LANDFALL_ONLINE_OPTIONS(extern, double)

}  // namespace landfall
