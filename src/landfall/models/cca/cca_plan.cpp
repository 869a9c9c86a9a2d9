#include <landfall/errors.hpp>
#include <landfall/models/cca/cca_plan.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {
namespace {

Index guard_columns(const CcaOptions& options, const std::array<Index, 2>& features) {
  const Index most = std::min(features[0], features[1]) - options.components;
  const Index wanted = options.landing.estimator == Estimator::recursive
                           ? options.guard.value_or(std::max<Index>(4, options.components / 4))
                           : 0;
  return std::clamp<Index>(wanted, 0, std::max<Index>(most, 0));
}

}  // namespace

template <class S>
Workload cca_workload(const CcaOptions& options, const std::array<Index, 2>& features, bool sparse,
                      const SourceSample& sample) {
  Workload work{.rows = sample.rows,
                .features = {features[0], features[1]},
                .reading = sample.reading,
                .statistics = sample.statistics,
                .held = sample.held,
                .components = options.components,
                .columns = options.components + guard_columns(options, features),
                .batch = options.batch,
                .rank = options.landing.rank,
                .first_rows = options.first_rows,
                .passes = options.passes,
                .warm_up = options.landing.warm_up};
  if (sparse) work.nonzeros = sample.nonzeros;
  choose_sizes<S>(work, options.memory);
  return work;
}

template <class S>
Plan plan_cca(Source<S>& left, Source<S>& right, const CcaOptions& options) {
  const SourceSample a = sample_source(left), b = sample_source(right);
  if (a.rows != b.rows)
    throw DataError(fmt::format("{} has {} rows and {} has {}; expected as many in both", left.name(), a.rows,
                                right.name(), b.rows));
  const Workload work = cca_workload<S>(options, {left.cols(), right.cols()}, left.sparse() || right.sparse(),
                                        {.rows = a.rows,
                                         .reading = a.reading + b.reading,
                                         .nonzeros = a.nonzeros + b.nonzeros,
                                         .statistics = a.statistics + b.statistics,
                                         .held = a.held + b.held});
  return shown_plan<S>(work, options.memory, options.method);
}

LANDFALL_CCA_PLAN(, float)
LANDFALL_CCA_PLAN(, double)

}  // namespace landfall
