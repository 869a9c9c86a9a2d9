// What fit_lda would do, and why, without doing it.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto labels = landfall::read_labels("species.csv");
//   auto data = landfall::open_source<float>("iris.npy");
//   const auto plan = landfall::plan_lda<float>(*data, labels, {.components = 2});
//   use(plan.reason, plan.exact.seconds, plan.landing.seconds);
#pragma once

#include <landfall/models/fit/plan.hpp>
#include <landfall/models/lda/lda.hpp>

namespace landfall {

/// Both alternatives with their times, which are measured in any case; the choice is that of options.method
/// unless it is automatic.
template <class S>
Plan plan_lda(Source<S>& data, const Labels& labels, const LdaOptions& options);

/// The work that the options and the data make, with the sizes that landing would take. `directions`: that
/// the means of the classes can differ in.
template <class S>
Workload lda_workload(const LdaOptions& options, Index features, Index components, Index directions,
                      bool sparse, const SourceSample& sample);

#define LANDFALL_LDA_PLAN(EXTERN, S)                                              \
  EXTERN template Plan plan_lda<S>(Source<S>&, const Labels&, const LdaOptions&); \
  EXTERN template Workload lda_workload<S>(const LdaOptions&, Index, Index, Index, bool, const SourceSample&);
LANDFALL_LDA_PLAN(extern, float)
LANDFALL_LDA_PLAN(extern, double)

}  // namespace landfall
