// Methods of the registry on the problems of the stochastic experiments: their way, their time, their memory.
//
//   const BaselineTrace trace = run_baseline(problem, "genelink", {.iterations = 50});
//   chart.series.push_back({"CCALin", trace.iteration, trace.share});
#pragma once

#include <string_view>
#include <vector>

#include "reproduce/stream_runs.hpp"

namespace landfall::app {

struct BaselineLimits {
  std::uint64_t iterations = 1000;
  double passes = 1;  // of methods that take batches
  Index batch = 512;
  std::uint64_t seed = 0;
};

struct BaselineTrace {
  std::vector<double> iteration{};
  std::vector<double> share{};  // of the optimum, captured by the spans of X and Y; 0 where that is not known
  bool batches = false;         // an iteration is a batch, else it uses all of S_xx, S_yy and S_xy
  double seconds_per_iteration = 0;  // the median
  double bytes = 0;                  // kept from one iteration to the next, at most, with the covariances
};

/// With S_xx, S_yy and S_xy as they are, or from batches in a random order.
BaselineTrace run_baseline(const StreamProblem& problem, std::string_view name, const BaselineLimits& limits);

}  // namespace landfall::app
