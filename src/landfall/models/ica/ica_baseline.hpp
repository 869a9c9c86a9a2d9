// ICA by one of the baselines, which take whitened rows in memory, or batches as they are.
//
//   const landfall::BaselineOptions<float> options{.components = 10};
//   const landfall::Baseline& baseline = landfall::find_baseline("fastica", landfall::Problem::ica);
//   const auto found =
//       landfall::solve_ica_baseline<float>(baseline, stream, landfall::Contrast::logcosh, options, count);
//   use(found.x[0]);    // one column per source
#pragma once

#include <landfall/baselines/registry.hpp>
#include <landfall/models/ica/contrast.hpp>

namespace landfall {

/// Whitens by the covariance of all rows, in the p directions of the largest variance, where the method
/// requires that. UsageError for a contrast other than log cosh, and where the rows do not fit in memory.
template <class S>
Result<S> solve_ica_baseline(const Baseline& baseline, DataStream<S>& stream, Contrast contrast,
                             const BaselineOptions<S>& options, Index rows);

#define LANDFALL_ICA_BASELINE(EXTERN, S)                                                     \
  EXTERN template Result<S> solve_ica_baseline<S>(const Baseline&, DataStream<S>&, Contrast, \
                                                  const BaselineOptions<S>&, Index);
LANDFALL_ICA_BASELINE(extern, float)
LANDFALL_ICA_BASELINE(extern, double)

}  // namespace landfall
