#include <landfall/landing/stopping.hpp>

#include <cmath>
#include <limits>

namespace landfall {

StopWhen operator||(StopWhen a, StopWhen b) {
  return StopWhen([a = std::move(a), b = std::move(b)](const Progress& progress) mutable {
    const auto first = a(progress), second = b(progress);  // both see every step, whichever fires
    return first ? first : second;
  });
}

StopWhen operator&&(StopWhen a, StopWhen b) {
  return StopWhen([a = std::move(a), b = std::move(b)](const Progress& progress) mutable {
    const auto first = a(progress), second = b(progress);
    return first && second ? second : std::nullopt;
  });
}

namespace stop {
namespace {

StopWhen when(Termination reason, std::function<bool(const Progress&)> holds) {
  return StopWhen([reason, holds = std::move(holds)](const Progress& progress) {
    return holds(progress) ? std::optional(reason) : std::nullopt;
  });
}

}  // namespace

StopWhen gradient(double tolerance) {
  return when(Termination::converged,
              [=](const Progress& p) { return p.iteration > 0 && p.stationarity <= tolerance; });
}

StopWhen feasibility(double tolerance) {
  return when(Termination::converged,
              [=](const Progress& p) { return p.iteration > 0 && p.infeasibility <= tolerance; });
}

StopWhen iterations(std::uint64_t limit) {
  return when(Termination::iteration_limit, [=](const Progress& p) { return p.iteration >= limit; });
}

StopWhen passes(double limit) {
  // A pass is a whole number of batches; half a sample of slack keeps rounding from adding one more batch.
  return when(Termination::pass_limit, [=](const Progress& p) { return p.passes >= limit - 1e-9; });
}

StopWhen seconds(double limit) {
  return when(Termination::time_limit, [=](const Progress& p) { return p.seconds >= limit; });
}

StopWhen patience(std::uint64_t steps, double relative) {
  return StopWhen([=, best = std::numeric_limits<double>::infinity(),
                   since = std::uint64_t{0}](const Progress& p) mutable -> std::optional<Termination> {
    const double merit = p.objective + std::abs(p.objective) * p.infeasibility;
    if (p.iteration == 0) return std::nullopt;
    if (std::isinf(best) || merit < best - relative * std::abs(best)) {
      best = merit;
      since = p.iteration;
    }
    return p.iteration - since >= steps ? std::optional(Termination::no_progress) : std::nullopt;
  });
}

}  // namespace stop
}  // namespace landfall
