#include <landfall/models/ica/ica_plan.hpp>

#include <algorithm>

namespace landfall {

template <class S>
Cost plan_ica(Source<S>& data, const IcaOptions& options) {
  const Index n = data.cols(), p = options.components > 0 ? options.components : n;
  const SourceSample sample = sample_source(data);
  const double rows = static_cast<double>(sample.rows);
  const double passes = options.passes.value_or(2);  // 1 to 4, which the data decide
  const bool kept = rows * static_cast<double>(n) * sizeof(S) <= static_cast<double>(options.memory) / 4;
  Workload work{.rows = sample.rows,
                .features = {n},
                .reading = sample.reading,
                .statistics = sample.statistics,
                .held = sample.held,
                .components = p,
                .columns = p,
                .batch = options.batch > 0 ? options.batch : std::max<Index>(1024, 8 * p),
                .rank = n,  // the covariance of the first rows
                .first_rows = std::max(options.first_rows, 100 * n),
                .passes = passes,
                .warm_up = 0,
                .kept = kept && data.random_access() && !data.sparse()};
  if (data.sparse()) work.nonzeros = sample.nonzeros;
  const MachineRates rates = measure_machine<S>();
  Cost cost = landing_cost<S>(work, &rates);
  // All rows where they are kept; the covariance of the first ones, its eigenvectors and what they are scaled
  // to, in double precision.
  const double columns = static_cast<double>(n);
  if (kept) cost.bytes += static_cast<std::uint64_t>(rows * columns * sizeof(S));
  cost.bytes += static_cast<std::uint64_t>(3 * sizeof(double) * columns * columns);
  // The warm-up, in small batches of the first rows; and the contrast, about 20 flops for each score, at two
  // points in every step and once at the end, with the p x p moments of the last step.
  const double first = std::min(rows, static_cast<double>(std::max(options.first_rows, 100 * n)));
  work.rows = static_cast<Index>(first);
  work.batch = std::max<Index>(128, 8 * p);
  work.passes = 2.0 * options.landing.warm_up;
  work.reading = work.statistics = 0;
  cost.seconds += landing_cost<S>(work, &rates).seconds;
  const double scores = rows * (2 * passes + 1) + first * 2 * work.passes;
  const double wide = static_cast<double>(p);
  cost.seconds += (20 * wide * scores + 6 * wide * wide * rows) / rates.thin;
  return cost;
}

template Cost plan_ica<float>(Source<float>&, const IcaOptions&);
template Cost plan_ica<double>(Source<double>&, const IcaOptions&);

}  // namespace landfall
