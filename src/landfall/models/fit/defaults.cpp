#include <landfall/errors.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/fit/defaults.hpp>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace landfall {

double default_passes(Index rows) {
  return std::clamp(65536 / static_cast<double>(std::max<Index>(rows, 1)), kPasses, 256.0);
}

namespace {

Index at_least_eight_times(Index p, Index least) {
  return std::max(least, static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(8 * p))));
}

}  // namespace

Index default_batch(Index p, bool sparse) {
  return at_least_eight_times(p, sparse ? 2048 : 512);
}

Index online_batch(Index p, bool sparse) {
  return at_least_eight_times(p, sparse ? 1024 : 128);
}

Index cca_guard(Index p) {
  return std::max<Index>(15, p / 4);
}

Index online_cca_guard(Index p) {
  return std::max<Index>(4, p / 4);
}

Index lda_guard(Index p) {
  return std::max<Index>(16, p);
}

Index ica_batch(Index p) {
  return std::max<Index>(1024, ica_rows_for(p));
}

template <class S>
Index ica_first_rows(Index wanted, std::uint64_t memory, Index n) {
  const std::uint64_t fit = memory / 4 / (sizeof(S) * static_cast<std::uint64_t>(n));
  return std::max(
      {wanted, 8 * n, std::min(100 * n, static_cast<Index>(std::min<std::uint64_t>(fit, 1u << 30)))});
}

double mean_variance(const ColumnStatistics& columns) {
  const auto varying = columns.variance.size() - static_cast<Index>(columns.constant.size());
  return varying > 0 ? columns.variance.sum() / static_cast<double>(varying) : 0;
}

double ridge_of(const OnlineOptions& options, const ColumnStatistics& first_rows, double standard) {
  return options.ridge.value_or(options.relative_ridge.value_or(standard) * mean_variance(first_rows));
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
Matrix<double> unscaled(const DataStream<S>& stream, std::size_t view, const Matrix<double>& x) {
  return stream.transform(view).scale().cwiseInverse().asDiagonal() * x;
}

template <class S>
void set_weights(const DataStream<S>& stream, std::size_t view, const Matrix<double>& weights,
                 FittedView<S>& out) {
  const Transform<S>& transform = stream.transform(view);
  out.weights = transform.restore_rows(weights.template cast<S>());
  out.mean.setZero(stream.source(view).cols());
  for (std::size_t k = 0; k < transform.kept().size(); ++k)
    out.mean(transform.kept()[k]) = transform.mean()(static_cast<Index>(k));
  out.dropped = transform.dropped();
  if (const ColumnStatistics* columns = stream.statistics(view); columns && !transform.mean().isZero(0))
    for (const Index j : out.dropped) out.mean(j) = columns->mean(j);
}

double distance_to_identity(const Matrix<double>& m) {
  return (m - Matrix<double>::Identity(m.rows(), m.cols())).norm();
}

template <class S>
void require_online_rank(std::string_view name, const Matrix<double>& weights, double ridge, Index rows) {
  SymmetricEigen<double> eigen;
  eigen.compute(ridge * weights.transpose() * weights);  // 1: nothing but the ridge
  // Rounding of the largest variance reaches x through the ridge, so 100 tolerances instead of one.
  const double tolerance = 100 * static_cast<double>(rank_tolerance<S>(weights.cols()));
  const auto rank = (eigen.values().array() < 1 - tolerance).count();
  if (rank < weights.cols())
    throw NumericalError(fmt::format("{}: rank {} in {} rows so far, expected at least p = {}", name, rank,
                                     rows, weights.cols()));
}

template <class S>
void set_online_run(const OnlineLanding<S>& landing, Index rows, Index batch, FitResult<S>& result) {
  result.method = FitMethod::landing;
  result.method_name = to_string(result.method);
  result.reason = "rows arrive in a stream";
  result.samples = rows;
  result.stationarity = landing.progress().stationarity;
  result.iterations = landing.progress().iteration;
  result.back_offs = landing.progress().back_offs;
  result.batch = batch;
  result.choice = landing.choice();
  result.termination = Termination::running;
}

LANDFALL_DEFAULTS(, float)
LANDFALL_DEFAULTS(, double)

}  // namespace landfall
