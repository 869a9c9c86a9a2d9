#include <landfall/errors.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/fit/online_options.hpp>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace landfall {

void check_ridge(const std::optional<double>& ridge, double relative) {
  if (ridge && !(*ridge >= 0)) throw UsageError(fmt::format("a ridge must not be negative, got {}", *ridge));
  if (!(relative >= 0))
    throw UsageError(fmt::format("a relative ridge must not be negative, got {}", relative));
}

Index online_batch(Index given, Index p, bool sparse) {
  if (given != 0) return given;
  return std::max<Index>(sparse ? 1024 : 128,
                         static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(8 * p))));
}

double mean_variance(const ColumnStatistics& columns) {
  const auto varying = columns.variance.size() - static_cast<Index>(columns.constant.size());
  return varying > 0 ? columns.variance.sum() / static_cast<double>(varying) : 0;
}

ConstantColumns constant_columns(const ColumnStatistics& columns) {
  return {columns.constant, mean_variance(columns)};
}

Vector<double> signs_of_largest(const Matrix<double>& weights) {
  Vector<double> signs(weights.cols());
  for (Index j = 0; j < weights.cols(); ++j) {
    Index largest = 0;
    weights.col(j).cwiseAbs().maxCoeff(&largest);
    signs(j) = weights(largest, j) < 0 ? -1 : 1;
  }
  return signs;
}

template <class S>
void require_online_rank(std::string_view name, const Matrix<double>& weights, double ridge, Index rows) {
  SymmetricEigen<double> eigen;
  eigen.compute(ridge * weights.transpose() * weights);  // 1: nothing but the ridge
  // Rounding of the largest variance reaches x through the ridge, so 100 tolerances instead of one.
  const double tolerance = 100 * static_cast<double>(rank_tolerance<S>(weights.cols()));
  const auto rank = (eigen.values().array() < 1 - tolerance).count();
  if (rank < weights.cols())
    throw NumericalError(fmt::format("{}: of rank {} in {} rows so far, expected at least p = {}", name, rank,
                                     rows, weights.cols()));
}

LANDFALL_ONLINE_OPTIONS(, float)
LANDFALL_ONLINE_OPTIONS(, double)

}  // namespace landfall
