// A run that is put away and taken up again ends where the uninterrupted one does, to the last bit.
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/solver.hpp>

#include "support.hpp"

namespace landfall::test {
namespace {

constexpr Index kSavedRows = 90, kSavedComponents = 2;

/// A sampled CCA and its solver.
struct SampledRun {
  RowMatrix<double> left = gaussian<double>(kSavedRows, 6, {1, 1}),
                    right = gaussian<double>(kSavedRows, 4, {1, 2});
  std::shared_ptr<LinearSamples<double>> samples = std::make_shared<LinearSamples<double>>(
      std::vector{left, right}, std::vector<Index>{kSavedComponents, kSavedComponents}, std::vector{0.1, 0.2},
      correlation_objective<double>(), 3);
  SampledOracle<double> oracle;
  Solver<double> solver;

  explicit SampledRun(Estimator estimator)
      : oracle(samples, {.estimator = estimator, .batch = 8},
               {{.normal = Normal::newton}, {.normal = Normal::newton}}),
        solver(oracle,
               {gaussian<double>(6, kSavedComponents, {1, 3}), gaussian<double>(4, kSavedComponents, {1, 4})},
               {.step = {.rule = StepRule::fixed, .size = 0.1, .schedule = Schedule::inverse_sqrt},
                .momentum = 0.5,
                .averaging = 1,
                .stop = stop::passes(4),
                .history = 16}) {}  // so few that every second one is dropped, twice
};

class Checkpoint : public ::testing::TestWithParam<Estimator> {};

TEST_P(Checkpoint, EndsAsIfItHadNeverStopped) {
  SampledRun whole(GetParam());
  const auto expected = whole.solver.solve();
  for (const int steps : {1, 5, 12, 13, 20}) {  // 12 batches are a pass
    SampledRun first(GetParam());
    for (int i = 0; i < steps; ++i) first.solver.step();
    StateWriter out;
    first.solver.state(out);
    SampledRun second(GetParam());
    StateReader in(out.bytes());
    second.solver.state(in);
    const auto result = second.solver.solve();
    EXPECT_EQ(result.progress.iteration, expected.progress.iteration) << steps;
    EXPECT_EQ(result.counts.products, expected.counts.products) << steps;
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(result.x[i], expected.x[i]) << steps;
    ASSERT_EQ(result.history.size(), expected.history.size());
    for (std::size_t i = 0; i < expected.history.size(); ++i) {
      EXPECT_EQ(result.history[i].iteration, expected.history[i].iteration);
      EXPECT_EQ(result.history[i].objective, expected.history[i].objective);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Estimators, Checkpoint,
                         ::testing::Values(Estimator::shared, Estimator::split, Estimator::ustat,
                                           Estimator::svrg, Estimator::averaged, Estimator::recursive),
                         [](const auto& at) { return std::string(to_string(at.param)); });

TEST(CheckpointErrors, AStateThatEndsTooEarlyIsRefused) {
  SampledRun run(Estimator::recursive);
  run.solver.step();
  StateWriter out;
  run.solver.state(out);
  for (const std::size_t length : {std::size_t{0}, std::size_t{20}, out.bytes().size() - 1}) {
    SampledRun other(Estimator::recursive);
    StateReader in(std::string_view(out.bytes()).substr(0, length));
    EXPECT_THROW(other.solver.state(in), DataError);
  }
}

TEST(CheckpointErrors, TheClockStandsStillWhileTheObserverLooks) {
  SampledRun run(Estimator::shared);
  SolverOptions<double> options{.step = {.rule = StepRule::fixed, .size = 0.1}, .stop = stop::iterations(3)};
  const auto wait = std::chrono::milliseconds(20);
  options.observer = [&](const Progress&, const Point<double>&) {
    const auto end = std::chrono::steady_clock::now() + wait;
    while (std::chrono::steady_clock::now() < end) {
    }
    return true;
  };
  const auto began = std::chrono::steady_clock::now();
  const auto result = solve<double>(run.oracle, run.solver.x(), options);
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - began;
  EXPECT_LE(result.progress.seconds, all.count() - 2 * 0.02);
}

}  // namespace
}  // namespace landfall::test
