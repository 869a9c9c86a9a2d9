#include "reproduce/baseline_runs.hpp"

#include <landfall/baselines/registry.hpp>
#include <landfall/data/rows/memory_source.hpp>

#include <algorithm>
#include <memory>

#include "reproduce/stopwatch.hpp"
#include <malloc.h>

namespace landfall::app {
namespace {

double allocated_bytes() {
  const auto now = ::mallinfo2();
  return static_cast<double>(now.uordblks) + static_cast<double>(now.hblkhd);
}

/// Of X and Y, or of [X; Y].
double share_of(const StreamProblem& problem, const Point<float>& x) {
  if (x.empty() || problem.optimum == 0) return 0;
  const Index left = problem.data[0].rows();
  const Point<float> views =
      x.size() == 2 ? x : Point<float>{x[0].topRows(left), x[0].bottomRows(x[0].rows() - left)};
  return -captured(problem, views) / problem.optimum;
}

std::unique_ptr<DataStream<float>> stream_of(const StreamProblem& problem, const BaselineLimits& limits) {
  std::vector<SourcePtr<float>> views;
  for (const Matrix<float>& data : problem.data)
    views.push_back(
        std::make_unique<MemorySource<float>>(data.data(), data.cols(), data.rows(), data.rows()));
  return std::make_unique<DataStream<float>>(
      std::move(views), landfall::StreamOptions{.batch = limits.batch,
                                                .shuffle = {.seed = limits.seed},
                                                .transform = {.centring = Centring::none}});
}

}  // namespace

BaselineTrace run_baseline(const StreamProblem& problem, std::string_view name,
                           const BaselineLimits& limits) {
  const Baseline& baseline = find_baseline(name, Problem::cca);
  BaselineTrace trace{.batches = static_cast<bool>(baseline.stream)};
  std::vector<double> seconds;
  const double before = allocated_bytes();
  Stopwatch watch;
  const BaselineOptions<float> options{
      .components = problem.components,
      .ridge = {static_cast<double>(problem.ridge), static_cast<double>(problem.ridge)},
      .passes = limits.passes,
      .iterations = limits.iterations,
      .seed = limits.seed,
      .observer = [&](const Progress&, const Point<float>& point) {
        seconds.push_back(watch.seconds());
        trace.bytes = std::max(trace.bytes, allocated_bytes() - before);
        trace.iteration.push_back(static_cast<double>(seconds.size()));
        trace.share.push_back(share_of(problem, point));
        const bool goes_on = seconds.size() < limits.iterations;
        watch = Stopwatch();
        return goes_on;
      }};
  Result<float> result;
  if (baseline.stream) {
    const auto stream = stream_of(problem, limits);
    result = baseline.stream.get<float>()(*stream, options);
  } else {
    result = solve_baseline<float>(baseline, std::make_shared<HeldProducts<float>>(problem.b, problem.cross),
                                   options);
  }
  if (!trace.share.empty() && result.termination != Termination::diverged)
    trace.share.back() = share_of(problem, result.x);
  if (!seconds.empty()) {
    seconds.erase(seconds.begin());  // with the start
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2),
                     seconds.end());
    if (!seconds.empty()) trace.seconds_per_iteration = seconds[seconds.size() / 2];
  }
  return trace;
}

}  // namespace landfall::app
