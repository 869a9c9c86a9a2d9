// What fit_cca would do, and why, without doing it.
//
//   #include <landfall/data/formats/open_source.hpp>
//   auto left = landfall::open_source<float>("left.npy"), right = landfall::open_source<float>("right.npy");
//   const auto plan = landfall::plan_cca<float>(*left, *right, {.components = 5});
//   use(plan.reason, plan.exact.seconds, plan.landing.seconds);
#pragma once

#include <landfall/models/cca/cca.hpp>
#include <landfall/models/fit/plan.hpp>

namespace landfall {

/// Both alternatives with their times, which are measured in any case; the choice is that of options.method
/// unless it is automatic.
template <class S>
Plan plan_cca(Source<S>& left, Source<S>& right, const CcaOptions& options);

/// The work that the options and the data make, with the sizes that landing would take.
template <class S>
Workload cca_workload(const CcaOptions& options, const std::array<Index, 2>& features, bool sparse,
                      const SourceSample& rows);

#define LANDFALL_CCA_PLAN(EXTERN, S)                                                             \
  EXTERN template Plan plan_cca<S>(Source<S>&, Source<S>&, const CcaOptions&);                   \
  EXTERN template Workload cca_workload<S>(const CcaOptions&, const std::array<Index, 2>&, bool, \
                                           const SourceSample&);
LANDFALL_CCA_PLAN(extern, float)
LANDFALL_CCA_PLAN(extern, double)

}  // namespace landfall
