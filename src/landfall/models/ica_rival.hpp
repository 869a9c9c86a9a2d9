// ICA by one of the rivals, which take whitened rows in memory, or batches as they are.
//
//   #include <landfall/models/ica.hpp>
//   const landfall::IcaOptions options{.rival = "fastica"};
//   const landfall::Rival& rival = landfall::find_rival("fastica", landfall::Problem::ica);
//   const auto found = landfall::solve_ica_rival<float>(rival, stream, options, 10, count);
//   use(found.x[0]);    // one column per source
#pragma once

#include <landfall/models/ica.hpp>
#include <landfall/rivals/registry.hpp>

namespace landfall {

/// Whitens by the covariance of all rows, in the p directions of the largest variance, where the method asks
/// for that. UsageError for a
/// contrast other than log cosh, and where the rows do not fit in the memory.
template <class S>
Result<S> solve_ica_rival(const Rival& rival, DataStream<S>& stream, const IcaOptions& options, Index p,
                          Index rows);

#define LANDFALL_ICA_RIVAL(EXTERN, S) \
  EXTERN template Result<S> solve_ica_rival<S>(const Rival&, DataStream<S>&, const IcaOptions&, Index, Index);
LANDFALL_ICA_RIVAL(extern, float)
LANDFALL_ICA_RIVAL(extern, double)

}  // namespace landfall
