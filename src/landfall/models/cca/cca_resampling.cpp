#include <landfall/models/cca/cca_resampling.ipp>
#include <landfall/models/fit/column_loadings.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {
namespace {

/// In rows for the columns of the file, with the signs of the loadings.
template <class S>
void place_intervals(const DataStream<S>& stream, std::size_t view, const Matrix<double>& loadings,
                     LoadingIntervals& intervals) {
  if (intervals.loadings.size() == 0) return;
  for (auto* m : {&intervals.loadings, &intervals.lower, &intervals.upper})
    *m = with_dropped_columns(stream, view, *m);
  for (Index k = 0; k < std::min(loadings.cols(), intervals.lower.cols()); ++k) {
    if (loadings.col(k).dot(intervals.loadings.col(k)) >= 0) continue;
    intervals.loadings.col(k) *= -1;
    const Vector<double> lower = -intervals.upper.col(k);
    intervals.upper.col(k) = -intervals.lower.col(k);
    intervals.lower.col(k) = lower;
  }
}

}  // namespace

template <class S>
void resample(Fit<S>& fit, CcaResult<S>& result) {
  const FitOptions& options = fit.options;
  if (options.permutations == 0 && options.bootstrap == 0) return;
  const KeptRows rows = keep_rows(fit.stream, fit.work.rows, options.memory / 2);
  // A ridge of c rows is c/N, of fewer rows more.
  const double scale =
      result.ridge_rows > 0 ? static_cast<double>(fit.work.rows) / static_cast<double>(rows.rows()) : 1;
  ResamplingOptions resampling{.components = fit.components,
                               .ridge = scale * result.views[0].ridge,
                               .seed = options.seed,
                               .cancel = options.cancel};
  if (!rows.complete)
    result.warnings.push_back(
        fmt::format("permutations and the bootstrap use {} of {} rows, as many as fit in half of the memory",
                    rows.rows(), fit.work.rows));
  if (options.permutations > 0) {
    resampling.resamples = options.permutations;
    result.permutation = permutation_test(rows, resampling);
  }
  if (options.bootstrap == 0) return;
  resampling.resamples = options.bootstrap;
  result.bootstrap = bootstrap_cca(rows, resampling);
  for (std::size_t v = 0; v < 2; ++v)
    place_intervals(fit.stream, v, result.views[v].loadings, result.bootstrap.loadings[v]);
}

template void resample<float>(Fit<float>&, CcaResult<float>&);
template void resample<double>(Fit<double>&, CcaResult<double>&);

}  // namespace landfall
