// The result of a run: why it stopped, its cost, its history.
//
//   #include <landfall/landing/solver.hpp>
//   const landfall::Result<double> result = landfall::solve<double>(oracle, start);
//   if (result.termination != landfall::Termination::converged)
//     std::cerr << landfall::to_string(result.termination) << '\n';
//   use(result.x[0], result.progress.infeasibility, result.counts.products);
#pragma once

#include <landfall/linalg/types.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace landfall {

enum class Termination {
  running,    // not finished yet
  converged,  // the gradient and feasibility criteria hold
  iteration_limit,
  pass_limit,
  time_limit,
  no_progress,      // patience ran out
  stopped,          // the observer said so
  diverged,         // a number was not finite; x is the last iterate whose numbers were
  infeasible_start  // the start could not be brought into the safe region: X'BX is singular
};

std::string_view to_string(Termination termination);

/// What is known after a step. Norms are those at the point the step started from.
struct Progress {
  std::uint64_t iteration = 0;
  double passes = 0;           // readings of all samples; evaluations of f where it is exact
  double seconds = 0;          // since the run began
  double objective = 0;        // f(x), of the draw when sampled
  double infeasibility = 0;    // ||h(x)||, of the draw when sampled
  double stationarity = 0;     // ||Psi|| over the size of the terms that cancel in it: 0 at a critical point
  double step = 0;             // eta
  double attraction = 0;       // omega, the largest over the blocks
  double field_norm = 0;       // ||Lambda||
  double gap = -1;             // estimated, relative to the optimum; below 0: unknown
  std::int64_t back_offs = 0;  // how often the step was halved because the trust region had to cut it
};

struct Counts {
  std::uint64_t products = 0;   // n x p blocks multiplied with B (or with a sample of it)
  std::uint64_t gradients = 0;  // evaluations of f and its gradient
  /// After the first step; known when SolverOptions::allocation_count is set.
  std::optional<std::uint64_t> allocations = {};
};

/// What it took to bring the start into the safe region ||h|| <= epsilon.
struct Restoration {
  int steps = 0;  // 0: the start was inside
  double from = 0;
  double to = 0;
  double noise = 0;  // sampled: what a batch cannot tell from 0; `to` may be that large
};

template <class S>
struct Result {
  Point<S> x;
  Termination termination = Termination::running;
  Progress progress;  // at x where f and B are exact
  Counts counts;
  Restoration restoration;
  std::vector<Progress> history;
};

}  // namespace landfall
