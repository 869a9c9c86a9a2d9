// Step sizes: rules and schedules.
//
//   landfall::StepOptions step{.rule = landfall::StepRule::fixed, .size = 0.3,
//                              .schedule = landfall::Schedule::cosine, .horizon = 4};    // over four passes
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace landfall {

enum class StepRule {
  fixed,             // size x schedule
  safeguarded,       // the same, cut so that the next point stays in the safe region
  line_search,       // decreases the merit function; closed form where f is quadratic
  barzilai_borwein,  // two-point steps, kept in the safe region
};

enum class Schedule {
  constant,
  inverse_sqrt,  // (1 + k)^-1/2, Theorem 2 of the paper
  cosine,        // from 1 to 0 over the horizon
  milestones,    // x milestone_factor after each milestone
  fading,        // (1 + passes / horizon)^-1/2, without an end
};

struct StepOptions {
  StepRule rule = StepRule::line_search;
  double size = 0;  // eta_0 > 0; 0: found by the rule (line_search and barzilai_borwein only)
  Schedule schedule = Schedule::constant;
  double horizon = 0;                   // cosine: the planned passes, > 0; fading: after which it counts
  std::vector<double> milestones = {};  // in passes, ascending
  double milestone_factor = 0.1;
};

/// The factor of the schedule at iteration k, after so many passes.
double schedule_factor(const StepOptions& options, std::uint64_t iteration, double passes);

/// Throws UsageError naming the field that is wrong.
void validate(const StepOptions& options);

}  // namespace landfall
