// CCA by one of the baselines, on the stream that landing reads.
//
//   const landfall::BaselineOptions<float> options{.components = 5, .ridge = {1e-3, 1e-3}};
//   const auto found = landfall::solve_cca_baseline<float>(landfall::find_baseline("ey-adam"), stream, options);
//   use(found.x[0], found.x[1], found.progress.passes);    // any basis: canonical.hpp orders it
//
// Methods that want products with all of A and B get them from covariances where these fit in the memory they
// may use, otherwise each product is a pass over the stream.
#pragma once

#include <landfall/baselines/registry.hpp>

namespace landfall {

template <class S>
Result<S> solve_cca_baseline(const Baseline& baseline, DataStream<S>& stream,
                             const BaselineOptions<S>& options);

#define LANDFALL_CCA_BASELINE(EXTERN, S) \
  EXTERN template Result<S> solve_cca_baseline<S>(const Baseline&, DataStream<S>&, const BaselineOptions<S>&);
LANDFALL_CCA_BASELINE(extern, float)
LANDFALL_CCA_BASELINE(extern, double)

}  // namespace landfall
