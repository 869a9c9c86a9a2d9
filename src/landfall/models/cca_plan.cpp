#include <landfall/errors.hpp>
#include <landfall/models/cca_plan.hpp>

#include <algorithm>
#include <bit>

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

/// Large enough for p columns; large batches of sparse rows, whose products cost little beside the n x p
/// blocks.
Index batch_rows(const CcaOptions& options, bool sparse) {
  if (options.batch > 0) return options.batch;
  const auto several = static_cast<std::uint64_t>(8 * options.components);
  return std::max<Index>(sparse ? 1024 : 128, static_cast<Index>(std::bit_ceil(several)));
}

}  // namespace

template <class S>
Workload cca_workload(const CcaOptions& options, const std::array<Index, 2>& features, bool sparse,
                      const SourceSample& sample) {
  Workload work{.rows = sample.rows,
                .features = {features[0], features[1]},
                .reading = sample.reading,
                .components = options.components,
                .columns = options.components + guard_columns(options, features),
                .batch = batch_rows(options, sparse),
                .first_rows = options.first_rows,
                .passes = options.passes,
                .warm_up = options.landing.warm_up};
  if (sparse) work.nonzeros = sample.nonzeros;
  const double share = static_cast<double>(options.memory) / 8, size = static_cast<double>(sizeof(S));
  const double n = static_cast<double>(features[0] + features[1]);
  const auto most = [](double count) { return static_cast<Index>(std::min(count, 1e9)); };
  work.rank = options.landing.rank > 0
                  ? options.landing.rank
                  : std::clamp<Index>(most(share / (4 * n * size)), 8, std::max<Index>(64, 2 * work.columns));
  const double row = sparse ? sample.nonzeros * (size + sizeof(Index)) : n * size;
  work.first_rows = std::min(work.first_rows, std::max<Index>(most(share / row), 4 * work.columns));
  return work;
}

template <class S>
Plan plan_cca(Source<S>& left, Source<S>& right, const CcaOptions& options) {
  const SourceSample a = look_into(left), b = look_into(right);
  if (a.rows != b.rows)
    throw DataError(fmt::format("{} has {} rows and {} has {}; expected as many in both", left.name(), a.rows,
                                right.name(), b.rows));
  const Workload work = cca_workload<S>(
      options, {left.cols(), right.cols()}, left.sparse() || right.sparse(),
      {.rows = a.rows, .reading = a.reading + b.reading, .nonzeros = a.nonzeros + b.nonzeros});
  const MachineRates rates = measure_machine<S>();
  Plan plan = make_plan<S>(work, options.memory, &rates);
  if (options.method != CcaMethod::automatic) {
    plan.exact_is_chosen = options.method == CcaMethod::exact;
    plan.reason = "asked for";
  }
  return plan;
}

LANDFALL_CCA_PLAN(, float)
LANDFALL_CCA_PLAN(, double)

}  // namespace landfall
