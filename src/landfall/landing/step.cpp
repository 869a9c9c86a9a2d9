#include <landfall/errors.hpp>
#include <landfall/landing/step.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace landfall {

double schedule_factor(const StepOptions& options, std::uint64_t iteration, double passes) {
  switch (options.schedule) {
    case Schedule::constant:
      return 1;
    case Schedule::inverse_sqrt:
      return 1 / std::sqrt(1 + static_cast<double>(iteration));
    case Schedule::cosine:
      return 0.5 + 0.5 * std::cos(std::numbers::pi * std::min(passes / options.horizon, 1.0));
    case Schedule::milestones: {
      const auto reached = std::upper_bound(options.milestones.begin(), options.milestones.end(), passes);
      return std::pow(options.milestone_factor, static_cast<double>(reached - options.milestones.begin()));
    }
    case Schedule::fading:
      return 1 / std::sqrt(1 + passes / options.horizon);
  }
  return 1;
}

void validate(const StepOptions& options) {
  const bool finds_its_own =
      options.rule == StepRule::line_search || options.rule == StepRule::barzilai_borwein;
  if (!(options.size >= 0) || !std::isfinite(options.size))
    throw UsageError(fmt::format("step.size must be positive, got {}", options.size));
  if (options.size == 0 && !finds_its_own)
    throw UsageError("step.size must be given for a fixed or safeguarded step");
  if (finds_its_own && options.schedule != Schedule::constant)
    throw UsageError(
        "step.schedule applies to fixed and safeguarded steps, not to rules that choose the step themselves");
  if ((options.schedule == Schedule::cosine || options.schedule == Schedule::fading) &&
      !(options.horizon > 0))
    throw UsageError(fmt::format("step.horizon must be positive for a {} schedule, got {}",
                                 options.schedule == Schedule::cosine ? "cosine" : "fading",
                                 options.horizon));
  if (options.schedule == Schedule::milestones &&
      (options.milestones.empty() || !std::is_sorted(options.milestones.begin(), options.milestones.end())))
    throw UsageError("step.milestones must be given in ascending order");
  if (!(options.milestone_factor > 0))
    throw UsageError(fmt::format("step.milestone_factor must be positive, got {}", options.milestone_factor));
}

}  // namespace landfall
