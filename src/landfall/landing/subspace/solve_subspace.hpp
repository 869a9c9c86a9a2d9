// SubspaceLanding over the passes of a stream: when to stop, what to save, what to show.
//
//   std::shared_ptr<landfall::InMemorySamples<float>> first;
//   std::shared_ptr<landfall::StreamSamples<float>> all;
//   auto [run, choice] = landfall::solve_subspace<float>(first, all, {.wanted = 5, .ridge = {1e-3, 1e-3}}, {.passes = 4});
//   use(run.x, run.estimated_gap);
#pragma once

#include <landfall/landing/checkpoints.hpp>
#include <landfall/landing/subspace/subspace_landing.hpp>

#include <functional>
#include <optional>

namespace landfall {

struct PassOptions {
  std::optional<double> passes =
      {};  // exactly so many; unset: until the estimated gap is below the tolerance
  double tolerance = 1e-3;
  double most_passes = 32;
  Index history = 2048;  // the most records kept
};

template <class S>
struct SubspaceRun : Result<S> {
  Point<S> gradient, bx;  // as the estimates say at x
  double estimated_gap = 1;
  bool converged = false;  // the gap is below the tolerance, and reliable
};

template <class S>
struct SubspaceResult {
  SubspaceRun<S> run;
  AdaptiveChoice choice;
};

/// The observer is called after every step; false ends the run.
template <class S>
SubspaceResult<S> solve_subspace(std::shared_ptr<InMemorySamples<S>> first,
                                 std::shared_ptr<ViewSamples<S>> all, const SubspaceOptions& landing,
                                 const PassOptions& passes, const std::vector<Vector<S>>& variance = {},
                                 const std::function<bool(const Progress&, const Point<S>&)>& observer = {},
                                 const Checkpoints& checkpoints = {}, const CancelFlag& cancel = {});

#define LANDFALL_SOLVE_SUBSPACE(EXTERN, S)                                                          \
  EXTERN template SubspaceResult<S> solve_subspace<S>(                                              \
      std::shared_ptr<InMemorySamples<S>>, std::shared_ptr<ViewSamples<S>>, const SubspaceOptions&, \
      const PassOptions&, const std::vector<Vector<S>>&,                                            \
      const std::function<bool(const Progress&, const Point<S>&)>&, const Checkpoints&, const CancelFlag&);
LANDFALL_SOLVE_SUBSPACE(extern, float)
LANDFALL_SOLVE_SUBSPACE(extern, double)

}  // namespace landfall
