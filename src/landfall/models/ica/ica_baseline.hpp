// ICA by one of the baselines, which take whitened rows in memory, or batches as they are.
//
//   #include <landfall/models/ica/ica.hpp>
//   const landfall::IcaOptions options{.baseline = "fastica"};
//   const landfall::Baseline& baseline = landfall::find_baseline("fastica", landfall::Problem::ica);
//   const auto found = landfall::solve_ica_baseline<float>(baseline, stream, options, 10, count);
//   use(found.x[0]);    // one column per source
#pragma once

#include <landfall/baselines/registry.hpp>
#include <landfall/models/ica/ica.hpp>

namespace landfall {

/// Whitens by the covariance of all rows, in the p directions of the largest variance, where the method asks
/// for that. UsageError for a
/// contrast other than log cosh, and where the rows do not fit in the memory.
template <class S>
Result<S> solve_ica_baseline(const Baseline& baseline, DataStream<S>& stream, const IcaOptions& options,
                             Index p, Index rows);

#define LANDFALL_ICA_BASELINE(EXTERN, S)                                                                     \
  EXTERN template Result<S> solve_ica_baseline<S>(const Baseline&, DataStream<S>&, const IcaOptions&, Index, \
                                                  Index);
LANDFALL_ICA_BASELINE(extern, float)
LANDFALL_ICA_BASELINE(extern, double)

}  // namespace landfall
