#include <landfall/errors.hpp>
#include <landfall/landing/online.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr double kPatience = 5;  // t0 over r^2 / (eta^2 q)

template <class S>
std::vector<Index> features_of(const InMemorySamples<S>& samples) {
  std::vector<Index> features;
  for (const Shape& shape : samples.shapes()) features.push_back(shape.rows);
  return features;
}

template <class S>
std::vector<Index> columns_of(const InMemorySamples<S>& samples) {
  std::vector<Index> columns;
  for (const Shape& shape : samples.shapes()) columns.push_back(shape.cols);
  return columns;
}

template <class S>
std::vector<S> ridges_of(const InMemorySamples<S>& samples) {
  std::vector<S> ridges;
  for (std::size_t i = 0; i < samples.shapes().size(); ++i) ridges.push_back(samples.ridge(i));
  return ridges;
}

void require_finite(Termination termination, std::uint64_t steps) {
  if (termination == Termination::diverged || termination == Termination::infeasible_start)
    throw NumericalError(fmt::format("landing failed after {} steps: {}", steps, to_string(termination)));
}

}  // namespace

template <class S>
PushedSamples<S>::PushedSamples(const InMemorySamples<S>& like, Index batch)
    : ViewSamples<S>(features_of(like), columns_of(like), ridges_of(like), like.objective(),
                     like.communicator()),
      views_(like.shapes().size()),
      batch_(batch) {}

template <class S>
OnlineLanding<S>::OnlineLanding(const std::shared_ptr<InMemorySamples<S>>& first,
                                const PilotEstimate<S>& pilot, std::unique_ptr<SampledOracle<S>> warm,
                                Point<S> x, const OnlineLandingOptions& options)
    : metric_(pilot.metric), oracle_(std::move(warm)) {
  const SerialBlas serial;
  choice_ = {.rank = pilot.rank, .noise = pilot.noise};
  if (!oracle_) {
    oracle_ = std::make_unique<SampledOracle<S>>(first, SamplingOptions{.estimator = Estimator::recursive},
                                                 fields());
    FieldValue<S> field;
    for (std::size_t k = 0; k < first->batches().size(); ++k)
      oracle_->field(x, {.attraction = 0.25, .step = 1, .omega = options.omega}, field);
  }
  go_on(first, std::move(x), options);
}

template <class S>
std::vector<FieldOptions<S>> OnlineLanding<S>::fields() const {
  std::vector<FieldOptions<S>> fields;
  for (const auto& k : metric_) fields.push_back({Direction::preconditioned, Normal::newton, k});
  return fields;
}

/// Over the rows that will come.
template <class S>
void OnlineLanding<S>::go_on(const std::shared_ptr<InMemorySamples<S>>& first, Point<S> x,
                             const OnlineLandingOptions& options) {
  const double r = static_cast<double>(options.batch), q = choice_.noise;
  const double eta = stable_step(static_cast<double>(options.batch), q);
  choice_.first_rows = first->count();
  choice_.step = eta;
  choice_.momentum = std::min(options.most_momentum, r / (r + 4 * q));
  choice_.omega = options.omega;
  if (!options.more) return;
  pushed_ = std::make_shared<PushedSamples<S>>(*first, options.batch);
  sampling_ = {.estimator = Estimator::recursive, .batch = options.batch};
  oracle_->continue_with(pushed_, sampling_);
  solving_ = {.step = {.rule = StepRule::fixed,
                       .size = eta,
                       .schedule = Schedule::fading,
                       .horizon = kPatience * r / (eta * eta * q)},  // t0 / r, in batches
              .omega = options.omega,
              .momentum = choice_.momentum,
              .history = 0};
  solver_ = std::make_unique<Solver<S>>(*oracle_, std::move(x), solving_);
}

template <class S>
void OnlineLanding<S>::forget() {
  Point<S> x = solver_->x();
  solver_.reset();
  oracle_ = std::make_unique<SampledOracle<S>>(pushed_, sampling_, fields());
  solver_ = std::make_unique<Solver<S>>(*oracle_, std::move(x), solving_);
  solver_->step();  // over the batch that is there: the estimate is never empty
}

template <class S>
void OnlineLanding<S>::step(std::vector<CentredBatch<S>>& views) {
  const SerialBlas serial;
  pushed_->take(views);
  solver_->step();
  progress_ = solver_->progress();
  require_finite(solver_->termination(), progress_.iteration);
}

template <class S>
void OnlineLanding<S>::state(State& state) {
  solver_->state(state);
  state(progress_);
}

LANDFALL_ONLINE(, float)
LANDFALL_ONLINE(, double)

}  // namespace landfall
