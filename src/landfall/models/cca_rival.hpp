// CCA by one of the rivals, on the stream that landing reads.
//
//   const landfall::RivalOptions<float> options{.components = 5, .ridge = {1e-3, 1e-3}};
//   const auto found = landfall::solve_cca_rival<float>(landfall::find_rival("ey-adam"), stream, options);
//   use(found.x[0], found.x[1], found.progress.passes);    // any basis: canonical.hpp orders it
//
// Methods that want products with all of A and B get them from covariances where these fit in the memory they
// may use, else each product is a reading of the stream.
#pragma once

#include <landfall/rivals/registry.hpp>

namespace landfall {

template <class S>
Result<S> solve_cca_rival(const Rival& rival, DataStream<S>& stream, const RivalOptions<S>& options);

#define LANDFALL_CCA_RIVAL(EXTERN, S) \
  EXTERN template Result<S> solve_cca_rival<S>(const Rival&, DataStream<S>&, const RivalOptions<S>&);
LANDFALL_CCA_RIVAL(extern, float)
LANDFALL_CCA_RIVAL(extern, double)

}  // namespace landfall
