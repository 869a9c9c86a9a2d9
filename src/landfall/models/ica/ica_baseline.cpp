#include <landfall/errors.hpp>
#include <landfall/models/ica/ica_baseline.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

/// All rows, whitened by K, and their weights.
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
    if (stream.weighted()) {
      const Vector<S> roots = stream.view(0).roots();
      whitened.weights.conservativeResize(filled + count);
      whitened.weights.tail(count) = roots.cwiseAbs2();
      scores = (roots.cwiseInverse().asDiagonal() * scores).eval();
    }
    whitened.z.middleCols(filled, count) = scores.transpose();
    filled += count;
  }
  whitened.z.conservativeResize(Eigen::NoChange, filled);
  return whitened;
}

}  // namespace

void require_ica_baseline(const Baseline& baseline, Contrast contrast, Index n, Index p, Index rows,
                          std::size_t size, std::uint64_t memory) {
  if (contrast != Contrast::logcosh)
    throw UsageError(
        fmt::format("{} supports only the contrast logcosh, got {}", baseline.name, to_string(contrast)));
  if (baseline.mixtures) return;
  const double columns = static_cast<double>(n),
               numbers = 2 * columns * columns + 3 * static_cast<double>(rows) * static_cast<double>(p),
               bytes = numbers * static_cast<double>(size);
  if (bytes > static_cast<double>(memory))
    throw UsageError(
        fmt::format("{} keeps all rows in memory: they need {:.3g} MiB, the memory limit is {:.3g} MiB",
                    baseline.name, bytes / (1 << 20), static_cast<double>(memory) / (1 << 20)));
}

template <class S>
Result<S> solve_ica_baseline(const Baseline& baseline, DataStream<S>& stream, Contrast contrast,
                             const BaselineOptions<S>& options, Index rows, const Matrix<S>& k) {
  const auto n = static_cast<Index>(stream.transform(0).kept().size());
  require_ica_baseline(baseline, contrast, n, options.components, rows, sizeof(S), options.memory);
  if (baseline.mixtures) return baseline.mixtures.get<S>()(stream, options);
  Result<S> result = baseline.sources.get<S>()(whitened_rows(stream, k, rows), options);
  if (!result.x.empty()) result.x = {k * result.x.at(0).transpose()};
  return result;
}

LANDFALL_ICA_BASELINE(, float)
LANDFALL_ICA_BASELINE(, double)

}  // namespace landfall
