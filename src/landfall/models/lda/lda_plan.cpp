#include <landfall/models/lda/lda_plan.hpp>

#include <algorithm>

namespace landfall {

template <class S>
Workload lda_workload(const LdaOptions& options, Index features, Index components, Index directions,
                      bool sparse, const SourceSample& sample) {
  const Index guard = std::max<Index>(0, options.guard.value_or(std::max<Index>(16, components)));
  Workload work{.rows = sample.rows,
                .features = {features},
                .reading = sample.reading,
                .statistics = sample.statistics,
                .held = sample.held,
                .components = components,
                // S_t, S_b and what the solver makes of them, in double precision
                .squares = 4.0 * 8 * static_cast<double>(features) * static_cast<double>(features),
                .more_readings = 3,
                .columns = std::min(directions, components + guard),
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
Plan plan_lda(Source<S>& data, const Labels& labels, const LdaOptions& options) {
  const Index directions = std::max<Index>(1, std::min(labels.classes() - 1, data.cols()));
  const Index p = options.components > 0 ? options.components : directions;
  const Workload work =
      lda_workload<S>(options, data.cols(), p, directions, data.sparse(), sample_source(data));
  return shown_plan<S>(work, options.memory, options.method);
}

LANDFALL_LDA_PLAN(, float)
LANDFALL_LDA_PLAN(, double)

}  // namespace landfall
