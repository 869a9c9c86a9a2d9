// Landing steps from batches, of CCA at the size of split MNIST: n = 392, p = 5, r = 128, two views, single
// precision. The batch must come from memory once per step; how much of a step is that? And do threads help
// so small a step?
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/parallel/threads.hpp>

#include <array>
#include <cstring>
#include <thread>

#include "timing.hpp"

namespace {

using namespace landfall;
using S = float;

constexpr Index n = 392, p = 5, r = 128, rows = 30000;  // 94 MB: more than a cache holds
constexpr int steps = 200;                              // per run

struct Case {
  const char* name;
  Estimator estimator;
  bool preconditioned;
};
constexpr std::array<Case, 3> cases{{{"shared", Estimator::shared, false},
                                     {"split", Estimator::split, false},
                                     {"split_sketch", Estimator::split, true}}};

struct Run {
  SampledOracle<S> oracle;
  Solver<S> solver;

  Run(std::shared_ptr<Samples<S>> samples, const Case& which, std::vector<FieldOptions<S>> fields)
      : oracle(std::move(samples), {.estimator = which.estimator, .batch = r}, std::move(fields)),
        solver(oracle, {gaussian<S>(n, p, {3, 0}), gaussian<S>(n, p, {4, 0})}, small_steps()) {}

  static SolverOptions<S> small_steps() {
    SolverOptions<S> options;
    options.step.rule = StepRule::fixed;
    options.step.size = 0.01;
    return options;
  }
};

}  // namespace

int main() {
  const RowMatrix<S> left = gaussian<S>(n, rows, {1, 0}).transpose(),
                     right = gaussian<S>(n, rows, {2, 0}).transpose();
  const auto sketch = sketch_preconditioner<S>(GramOperator<S>(left.topRows(4096), 1e-3f), {.rank = 64});
  const int all_threads = static_cast<int>(std::max(2u, std::thread::hardware_concurrency()));

  std::vector<std::unique_ptr<Run>> runs;
  std::vector<bench::Piece> pieces;
  for (const Case& which : cases) {
    auto samples =
        std::make_shared<LinearSamples<S>>(std::vector{left, right}, std::vector<Index>{p, p},
                                           std::vector<S>{1e-3f, 1e-3f}, correlation_objective<S>());
    FieldOptions<S> field{.direction = Direction::metric, .normal = Normal::newton};
    if (which.preconditioned) field = {Direction::preconditioned, Normal::newton, sketch};
    runs.push_back(std::make_unique<Run>(std::move(samples), which, std::vector(2, field)));
    for (const int count : {1, all_threads})
      pieces.push_back({[&solver = runs.back()->solver] {
                          for (int i = 0; i < steps; ++i) solver.step();
                        },
                        [count] { set_threads(count); }});
  }
  std::vector<S> copy(static_cast<std::size_t>(left.size()));
  pieces.push_back({[&] { std::memcpy(copy.data(), left.data(), copy.size() * sizeof(S)); }});

  const auto times = bench::interleave({.rounds = 25, .seconds = 40}, pieces);
  const double bytes_per_second = static_cast<double>(copy.size() * sizeof(S)) / times.back().median;
  const double read = 2 * static_cast<double>(n * r * static_cast<Index>(sizeof(S))) / bytes_per_second;
  fmt::print("memcpy {:.1f} GB/s; one read of the batch {:.0f} us\n", bytes_per_second * 1e-9, 1e6 * read);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (runs[i]->solver.termination() != Termination::running) {
      fmt::print(stderr, "the run '{}' ended: {}\n", cases[i].name, to_string(runs[i]->solver.termination()));
      return 1;
    }
    const double one = times[2 * i].median / steps, all = times[2 * i + 1].median / steps;
    fmt::print("{:>12}: {:6.0f} steps/s with 1 thread, {:6.0f} with {}\n", cases[i].name, 1 / one, 1 / all,
               all_threads);
    bench::report(fmt::format("step_read_fraction.{}", cases[i].name), read / one);
    bench::report(fmt::format("step_threads.{}", cases[i].name),
                  bench::ratio(times[2 * i + 1], times[2 * i]));
  }
}
