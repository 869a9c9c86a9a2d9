// When to stop. Criteria combine with && and ||; the reason reported is that of the criterion that fired.
//
//   namespace stop = landfall::stop;
//   landfall::StopWhen solved = stop::gradient(1e-8) && stop::feasibility(1e-8);
//   landfall::StopWhen when = solved || stop::iterations(1000) || stop::seconds(60);
#pragma once

#include <landfall/landing/result.hpp>

#include <functional>

namespace landfall {

/// A criterion: the reason to stop, or nothing. It may remember what it saw, so use a fresh one for each run.
class StopWhen {
 public:
  using Check = std::function<std::optional<Termination>(const Progress&)>;
  explicit StopWhen(Check check) : check_(std::move(check)) {}

  std::optional<Termination> operator()(const Progress& progress) { return check_(progress); }

 private:
  Check check_;
};

StopWhen operator||(StopWhen a, StopWhen b);
StopWhen operator&&(StopWhen a, StopWhen b);

namespace stop {

StopWhen gradient(double tolerance);     // Progress::stationarity <= tolerance
StopWhen feasibility(double tolerance);  // Progress::infeasibility <= tolerance
StopWhen iterations(std::uint64_t limit);
StopWhen passes(double limit);
StopWhen seconds(double limit);
/// The best of f + |f| ||h|| has not fallen by more than `relative` of itself for `steps` steps.
StopWhen patience(std::uint64_t steps, double relative = 1e-9);

}  // namespace stop
}  // namespace landfall
