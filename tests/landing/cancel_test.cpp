#include <landfall/data/rows/memory_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/linalg/random.hpp>

#include <support.hpp>

namespace landfall::test {
namespace {

TEST(Cancel, EndsSolveAfterTheStepInWhichItWasRequested) {
  Vector<double> spectrum = Vector<double>::LinSpaced(20, 1, 20);
  const auto a = std::make_shared<DenseOperator<double>>(Matrix<double>(spectrum.asDiagonal()));
  const auto b = std::make_shared<DenseOperator<double>>(Matrix<double>(Matrix<double>::Identity(20, 20)));
  QuadraticOracle<double> oracle(a, -1, {.b = b, .components = 2});
  const CancelFlag cancel = CancelFlag::create();
  std::uint64_t last = 0;
  SolverOptions<double> options{.observer =
                                    [&](const Progress& at, const Point<double>&) {
                                      if ((last = at.iteration) == 3) cancel.request();
                                      return true;
                                    },
                                .cancel = cancel};
  EXPECT_THROW(solve<double>(oracle, {gaussian<double>(20, 2, {1})}, options), Cancelled);
  EXPECT_EQ(last, 3u);
}

class CancelledRun : public testing::Test {
 protected:
  const CancelFlag cancel = CancelFlag::create();
  DataStream<double> stream{sources(), {.batch = 50, .cancel = cancel}};
  std::vector<Index> components{2, 2};
  std::vector<double> ridge{1e-2, 1e-2};
  ScoreObjective<double> objective = correlation_objective<double>();

  static std::vector<SourcePtr<double>> sources() {
    std::vector<SourcePtr<double>> views;
    for (std::uint64_t k : {1, 2})
      views.push_back(
          std::make_unique<MemorySource<double>>(RowMatrix<double>(gaussian<double>(1000, 6, {k}))));
    return views;
  }
  std::shared_ptr<InMemorySamples<double>> first() {
    return std::make_shared<InMemorySamples<double>>(read_into_memory(stream, 400, 50), components, ridge,
                                                     objective);
  }
  std::shared_ptr<Samples<double>> all() {
    return std::make_shared<StreamSamples<double>>(stream, components, ridge, objective, 1000);
  }
};

TEST_F(CancelledRun, ThePilotLooks) {
  const auto pilot = first();
  cancel.request();
  EXPECT_THROW(estimate_pilot(*pilot, 4, 0, {}, 0, cancel), Cancelled);
}

/// The flag reaches the warm-up, which reads no stream and has no observer.
TEST_F(CancelledRun, TheWarmUpLooks) {
  int calls = 0;
  objective.apply = [&, apply = objective.apply](const auto& alpha, auto& b) {
    if (++calls == 5) cancel.request();
    return apply(alpha, b);
  };
  const auto kept = first();
  EXPECT_THROW(solve_adaptively<double>(kept, all(), {.batch = 50, .rank = 4}, {}, {}, {}, cancel),
               Cancelled);
  EXPECT_LE(calls, 6);  // two points of the same batch
}

/// Even where only the stream knows the flag.
TEST_F(CancelledRun, TheStreamLooksDuringASolve) {
  std::uint64_t last = 0;
  const auto observer = [&](const Progress& at, const Point<double>&) {
    if ((last = at.iteration) == 4) cancel.request();
    return true;
  };
  const auto kept = first();
  EXPECT_THROW(solve_adaptively<double>(kept, all(), {.batch = 50, .rank = 4}, observer), Cancelled);
  EXPECT_EQ(last, 4u);
}

}  // namespace
}  // namespace landfall::test
