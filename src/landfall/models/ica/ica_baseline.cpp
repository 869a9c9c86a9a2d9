#include <landfall/errors.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/ica/ica_baseline.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

/// K = V diag(1/sqrt(values)) of the p largest eigenvalues of the covariance. In double, since columns of
/// different scales spread them.
template <class S>
Matrix<S> whitening(DataStream<S>& stream, Index p) {
  const auto moments = covariances(stream);
  const Index rank = numerical_rank<S>(moments.within[0]);
  if (rank < p)
    throw NumericalError(
        fmt::format("{}: rank {}, expected at least p = {}", stream.source(0).name(), rank, p));
  SymmetricEigen<double> eigen;
  eigen.compute(moments.within[0].template cast<double>());
  const auto values = eigen.values().tail(p);
  if (!(values(0) > 0))
    throw NumericalError(
        fmt::format("{}: the scales of its columns are too far apart to whiten", stream.source(0).name()));
  return (eigen.vectors().rightCols(p) * values.cwiseSqrt().cwiseInverse().asDiagonal()).template cast<S>();
}

/// All rows, whitened by K.
template <class S>
WhitenedRows<S> whitened_rows(DataStream<S>& stream, const Matrix<S>& k, Index rows) {
  const Index p = k.cols();
  WhitenedRows<S> whitened{Matrix<S>(p, rows)};
  Index filled = 0;
  Matrix<S> scores;
  stream.begin_pass(0);
  while (stream.next()) {
    const Index count = stream.view(0).rows();
    scores.resize(count, p);
    stream.view(0).times(k, scores);
    if (filled + count > rows) whitened.z.conservativeResize(Eigen::NoChange, filled + count);
    whitened.z.middleCols(filled, count) = scores.transpose();
    filled += count;
  }
  whitened.z.conservativeResize(Eigen::NoChange, filled);
  return whitened;
}

void require_memory_for_rows(const Baseline& baseline, double bytes, std::uint64_t memory) {
  if (bytes > static_cast<double>(memory))
    throw UsageError(
        fmt::format("{} keeps all rows in memory: they need {:.3g} MiB, the memory limit is {:.3g} MiB",
                    baseline.name, bytes / (1 << 20), static_cast<double>(memory) / (1 << 20)));
}

}  // namespace

template <class S>
Result<S> solve_ica_baseline(const Baseline& baseline, DataStream<S>& stream, Contrast contrast,
                             const BaselineOptions<S>& options, Index rows) {
  if (contrast != Contrast::logcosh)
    throw UsageError(
        fmt::format("{} supports only the contrast logcosh, got {}", baseline.name, to_string(contrast)));
  if (baseline.mixtures) return baseline.mixtures.get<S>()(stream, options);
  const Index p = options.components;
  const double n = static_cast<double>(stream.transform(0).kept().size());
  const double numbers = 2 * n * n + 3 * static_cast<double>(rows) * static_cast<double>(p);
  require_memory_for_rows(baseline, numbers * sizeof(S), options.memory);
  const Matrix<S> k = whitening(stream, p);
  Result<S> result = baseline.sources.get<S>()(whitened_rows(stream, k, rows), options);
  if (!result.x.empty()) result.x = {k * result.x.at(0).transpose()};
  return result;
}

LANDFALL_ICA_BASELINE(, float)
LANDFALL_ICA_BASELINE(, double)

}  // namespace landfall
