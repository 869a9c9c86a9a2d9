#include <landfall/baselines/stochastic_cca.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

StepOptions steps_of(const StochasticCcaOptions& options) {
  return {.rule = StepRule::fixed,
          .size = options.learning_rate,
          .schedule = options.schedule,
          .horizon = static_cast<double>(options.passes),
          .milestones = options.milestones};
}

}  // namespace

void validate(const StochasticCcaOptions& options) {
  if (options.components < 1)
    throw UsageError(fmt::format("components must be at least 1, got {}", options.components));
  if (!(options.learning_rate > 0))
    throw UsageError(fmt::format("learning_rate must be positive, got {}", options.learning_rate));
  if (options.passes < 1) throw UsageError(fmt::format("passes must be at least 1, got {}", options.passes));
  validate(steps_of(options));
  for (const std::size_t view : {0, 1})
    if (!(options.ridge_of(view) >= 0))
      throw UsageError(fmt::format("ridge must not be negative, got {}", options.ridge_of(view)));
}

template <class S>
Point<S> orthonormal_on(std::span<const CentredBatch<S>* const> views, const StochasticCcaOptions& options,
                        std::string_view method) {
  const Index p = options.components;
  Point<S> start;
  for (const CentredBatch<S>* view : views) {
    const std::size_t i = start.size();
    Matrix<S> x = gaussian<S>(view->cols(), p, {options.seed, 0xe7 + i});
    Matrix<S> scores(view->rows(), p);
    view->times(x, scores);
    const Matrix<S> metric = scores.transpose() * scores / static_cast<S>(view->rows()) +
                             static_cast<S>(options.ridge_of(i)) * x.transpose() * x;
    const Matrix<S> factor = orthonormalizing_factor<S>(metric);
    if (factor.cols() < p)
      throw NumericalError(fmt::format("{}: the first batch has {} rows of rank {}, expected at least p = {}",
                                       method, view->rows(), factor.cols(), p));
    start.push_back(x * factor);
  }
  return start;
}

template <class S>
Result<S> learn_by_steps(DataStream<S>& stream, const StochasticCcaOptions& options,
                         const std::function<double(double rate)>& step, const Point<S>& x,
                         const StepObserver<S>& observer) {
  validate(options);
  const SerialBlas serial;  // the same result with any number of threads
  auto began = std::chrono::steady_clock::now();
  const StepOptions steps = steps_of(options);
  const ColumnStatistics* columns = stream.statistics(0);
  const double rows = static_cast<double>(columns ? columns->rows : stream.source(0).rows().value_or(0));

  Result<S> result;
  Progress& progress = result.progress;
  result.history.reserve(static_cast<std::size_t>(options.passes));
  const auto finite = [&] {
    return std::ranges::all_of(x, [](const auto& block) { return block.allFinite(); });
  };
  for (int pass = 0; pass < options.passes; ++pass) {
    double sum = 0, seen = 0;
    Index batches = 0;
    stream.begin_pass(static_cast<std::uint64_t>(pass));
    while (stream.next()) {
      result.x = x;
      progress.passes = pass + (rows > 0 ? seen / rows : 0);
      progress.step = options.learning_rate * schedule_factor(steps, progress.iteration, progress.passes);
      progress.objective = step(progress.step);
      ++progress.iteration;
      if (!std::isfinite(progress.objective) || !finite()) {
        result.termination = Termination::diverged;
        return result;
      }
      if (observer) {
        const auto looks = std::chrono::steady_clock::now();
        progress.seconds = std::chrono::duration<double>(looks - began).count();
        progress.passes = pass + (rows > 0 ? (seen + static_cast<double>(stream.view(0).rows())) / rows : 0);
        const bool goes_on = observer(progress, x);
        began += std::chrono::steady_clock::now() - looks;  // the clock stands still meanwhile
        if (!goes_on) {
          result.x = x;
          result.termination = Termination::stopped;
          return result;
        }
      }
      sum += progress.objective;
      seen += static_cast<double>(stream.view(0).rows());
      ++batches;
    }
    progress.passes = pass + 1;
    progress.objective = sum / static_cast<double>(std::max<Index>(batches, 1));
    progress.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    result.history.push_back(progress);
  }
  result.x = x;
  result.termination = Termination::pass_limit;
  return result;
}

template <class S>
Result<S> learn(StochasticCca<S>& method, DataStream<S>& stream, const StochasticCcaOptions& options,
                const StepObserver<S>& observer) {
  if (stream.views() != 2) throw UsageError(fmt::format("{} views, expected two", stream.views()));
  return learn_by_steps<S>(
      stream, options, [&](double rate) { return method.step(stream.view(0), stream.view(1), rate); },
      method.x(), observer);
}

LANDFALL_STOCHASTIC_CCA(, float)
LANDFALL_STOCHASTIC_CCA(, double)

}  // namespace landfall
