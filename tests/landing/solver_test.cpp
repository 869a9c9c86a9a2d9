#include <landfall/errors.hpp>
#include <landfall/landing/constrained.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/manifold/constraints.hpp>

#include "support.hpp"

namespace landfall::test {
namespace {

/// max tr X'AX over X'BX = I, whose answer LAPACK-free Eigen knows.
template <class S>
struct Pencil {
  Matrix<S> a, b;
  OperatorPtr<S> operator_a, operator_b;
  double best;  // minus the optimal f: half the sum of the p largest eigenvalues

  Pencil(Index n, Index p, double condition, std::uint64_t seed)
      : a(random_spd<S>(n, 5, seed)), b(random_spd<S>(n, condition, seed + 1)) {
    operator_a = std::make_shared<DenseOperator<S>>(a);
    operator_b = std::make_shared<DenseOperator<S>>(b);
    best = pencil_eigenvalues(a.template cast<double>(), b.template cast<double>()).tail(p).sum() / 2;
  }

  StiefelBlock<S> block(Index p, Direction direction, Normal normal = Normal::gradient) const {
    StiefelBlock<S> out{operator_b, p, {.direction = direction, .normal = normal}};
    if (direction == Direction::riemannian) out.field.preconditioner = inverse_preconditioner<S>(b);
    if (direction == Direction::preconditioned)
      out.field.preconditioner = sketch_preconditioner<S>(*operator_b, {.rank = 10});
    return out;
  }

  Objective<S> objective() const {
    return single_block<S>([this](const Matrix<S>& x, Matrix<S>* g) {
      const Matrix<S> ax = a * x;
      if (g) *g = -ax;
      return -x.cwiseProduct(ax).sum() / 2;
    });
  }
};

template <class S>
constexpr double tolerance() {
  return std::is_same_v<S, float> ? 2e-4 : 1e-8;
}

}  // namespace

template <class S>
using SolverTest = Typed<S>;
TYPED_TEST_SUITE(SolverTest, Scalars);

TYPED_TEST(SolverTest, EveryDirectionAndRuleReachesTheOptimum) {
  using S = TypeParam;
  const Index n = 30, p = 3;
  const Pencil<S> pencil(n, p, 10, 1);
  for (const Direction direction :
       {Direction::metric, Direction::riemannian, Direction::euclidean, Direction::preconditioned})
    for (const Normal normal : {Normal::gradient, Normal::newton})
      for (const StepRule rule : {StepRule::line_search, StepRule::barzilai_borwein, StepRule::safeguarded}) {
        QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(p, direction, normal));
        const auto result =
            solve<S>(oracle, {gaussian<S>(n, p, {2, 0})},
                     {.step = {.rule = rule, .size = rule == StepRule::safeguarded ? 0.3 : 0.0},
                      .stop = (stop::gradient(tolerance<S>()) && stop::feasibility(tolerance<S>())) ||
                              stop::iterations(20000)});
        const std::string what = std::string(to_string(direction)) + " " + std::string(to_string(normal)) +
                                 " rule " + std::to_string(static_cast<int>(rule));
        EXPECT_EQ(result.termination, Termination::converged) << what << " " << result.progress.stationarity;
        EXPECT_NEAR(-result.progress.objective, pencil.best, 10 * tolerance<S>() * pencil.best) << what;
        EXPECT_LE(result.progress.infeasibility, 2 * tolerance<S>()) << what;
      }
}

TYPED_TEST(SolverTest, AnyCallableObjectiveWithTheMeritLineSearch) {
  using S = TypeParam;
  const Index n = 20, p = 2;
  const Pencil<S> pencil(n, p, 10, 3);
  StiefelOracle<S> oracle(pencil.objective(), {pencil.block(p, Direction::metric)});
  const auto result =
      solve<S>(oracle, {gaussian<S>(n, p, {2, 0})},
               {.stop = (stop::gradient(tolerance<S>()) && stop::feasibility(tolerance<S>())) ||
                        stop::iterations(5000)});
  EXPECT_EQ(result.termination, Termination::converged);
  EXPECT_NEAR(-result.progress.objective, pencil.best, 10 * tolerance<S>() * pencil.best);
}

TYPED_TEST(SolverTest, TwoBlocksAtOnce) {
  // CCA with known covariances: f = -tr X'SY over two generalized Stiefel manifolds.
  using S = TypeParam;
  const Matrix<S> joint = random_spd<S>(9, 20, 4);
  const Matrix<S> bx = joint.topLeftCorner(5, 5), by = joint.bottomRightCorner(4, 4),
                  cross = joint.topRightCorner(5, 4);
  const Objective<S> f = [&](const Point<S>& x, Point<S>* g) {
    const Matrix<S> left = cross * x[1];
    if (g) {
      (*g)[0] = -left;
      (*g)[1] = -cross.transpose() * x[0];
    }
    return -x[0].cwiseProduct(left).sum();
  };
  StiefelOracle<S> oracle(
      f, {{std::make_shared<DenseOperator<S>>(bx), 2, {}}, {std::make_shared<DenseOperator<S>>(by), 2, {}}});
  const auto result =
      solve<S>(oracle, {gaussian<S>(5, 2, {5, 0}), gaussian<S>(4, 2, {5, 1})},
               {.stop = (stop::gradient(tolerance<S>()) && stop::feasibility(tolerance<S>())) ||
                        stop::iterations(20000)});
  const auto root = [](const Matrix<S>& m) { return inverse_square_root(m.template cast<double>()); };
  const double best = singular_values(root(bx) * cross.template cast<double>() * root(by)).head(2).sum();
  EXPECT_EQ(result.termination, Termination::converged);
  EXPECT_NEAR(-result.progress.objective, best, 10 * tolerance<S>());
}

TYPED_TEST(SolverTest, InfeasibleStartsAreBroughtInAndReported) {
  using S = TypeParam;
  const Index n = 12, p = 3;
  const Pencil<S> pencil(n, p, 100, 6);
  for (const double scale : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(p, Direction::metric));
    Solver<S> solver(oracle, {static_cast<S>(scale) * gaussian<S>(n, p, {7, 0})}, {.epsilon = 0.5});
    EXPECT_GT(solver.restoration().steps, 0);
    EXPECT_GT(solver.restoration().from, 0.5);
    EXPECT_LE(solver.restoration().to, 0.5);
    EXPECT_LE(oracle.infeasibility(solver.x()), 0.5);
  }
  // A start inside is left alone.
  QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(p, Direction::metric));
  const Matrix<S> inside = random_near_manifold<S>(pencil.b, p, 0.3, 8);
  Solver<S> solver(oracle, {inside});
  EXPECT_EQ(solver.restoration().steps, 0);
  EXPECT_EQ(solver.x()[0], inside);
}

TYPED_TEST(SolverTest, AStartOfLowRankIsNamedNotNaN) {
  using S = TypeParam;
  const Pencil<S> pencil(10, 2, 10, 9);
  Matrix<S> start = gaussian<S>(10, 2, {9, 0});
  start.col(1) = start.col(0);
  for (const Matrix<S>& x : {start, Matrix<S>(Matrix<S>::Zero(10, 2))}) {
    QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(2, Direction::metric));
    const auto result = solve<S>(oracle, {x});
    EXPECT_EQ(result.termination, Termination::infeasible_start);
    EXPECT_TRUE(result.x[0].allFinite());
  }
}

TYPED_TEST(SolverTest, AFixedStepThatIsTooLongEndsWithTheLastFiniteIterate) {
  using S = TypeParam;
  const Pencil<S> pencil(10, 2, 10, 10);
  QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(2, Direction::metric));
  const auto result = solve<S>(oracle, {gaussian<S>(10, 2, {11, 0})},
                               {.step = {.rule = StepRule::fixed, .size = 1e4}, .omega = 1.0});
  EXPECT_EQ(result.termination, Termination::diverged);
  EXPECT_TRUE(result.x[0].allFinite());
}

TYPED_TEST(SolverTest, SafeguardedStepsNeverLeaveTheSafeRegion) {
  using S = TypeParam;
  const Pencil<S> pencil(15, 3, 1000, 12);
  QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(3, Direction::metric));
  StiefelOracle<S> reference(pencil.objective(), {pencil.block(3, Direction::metric)});
  double worst = 0;
  solve<S>(oracle, {gaussian<S>(15, 3, {13, 0})},
           {.epsilon = 0.3,
            .step = {.rule = StepRule::safeguarded, .size = 1e3},
            .stop = stop::iterations(200),
            .observer = [&](const Progress&, const Point<S>& x) {
              worst = std::max(worst, reference.infeasibility(x));
              return true;
            }});
  EXPECT_LE(worst, 0.3 * (1 + 1e3 * static_cast<double>(std::numeric_limits<S>::epsilon())));
  EXPECT_GT(worst, 0.01);  // the step asked for would have left it
}

TYPED_TEST(SolverTest, OneProductWithBPerStep) {
  using S = TypeParam;
  const Pencil<S> pencil(15, 3, 10, 14);
  for (const StepRule rule : {StepRule::fixed, StepRule::safeguarded}) {
    QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(3, Direction::metric));
    Solver<S> solver(oracle, {random_near_manifold<S>(pencil.b, 3, 0.2, 15)},
                     {.step = {.rule = rule, .size = 0.01}});
    const auto before = oracle.counts().products;
    for (int k = 0; k < 100; ++k) solver.step();
    const auto products = oracle.counts().products - before;
    // A safeguarded step multiplies Lambda and carries B X along; B X is made afresh every 50 steps.
    EXPECT_LE(products, rule == StepRule::fixed ? 100u : 103u);
  }
}

TYPED_TEST(SolverTest, CarriedProductsAgreeWithFreshOnes) {
  using S = TypeParam;
  const Pencil<S> pencil(15, 3, 10, 16);
  QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(3, Direction::metric));
  Solver<S> solver(oracle, {random_near_manifold<S>(pencil.b, 3, 0.2, 17)},
                   {.step = {.rule = StepRule::safeguarded, .size = 0.1}});
  for (int k = 0; k < 40; ++k) solver.step();
  FieldValue<S> carried, fresh;
  carried.lambda = fresh.lambda = solver.x();
  oracle.field(solver.x(), {.omega = 1.0}, carried);
  QuadraticOracle<S> other(pencil.operator_a, -1, pencil.block(3, Direction::metric));
  other.field(solver.x(), {.omega = 1.0}, fresh);
  EXPECT_LE((carried.lambda[0] - fresh.lambda[0]).norm(), rounding<S>(1, 500));
}

TYPED_TEST(SolverTest, StepsAreTheSameByHandAndBySolve) {
  using S = TypeParam;
  const Pencil<S> pencil(15, 3, 10, 18);
  const Matrix<S> start = random_near_manifold<S>(pencil.b, 3, 0.2, 19);
  QuadraticOracle<S> one(pencil.operator_a, -1, pencil.block(3, Direction::metric));
  QuadraticOracle<S> two(pencil.operator_a, -1, pencil.block(3, Direction::metric));
  const SolverOptions<S> options{.step = {.rule = StepRule::barzilai_borwein}, .stop = stop::iterations(20)};
  Solver<S> by_hand(one, {start}, options);
  for (int k = 0; k < 20; ++k) by_hand.step();
  EXPECT_EQ(solve<S>(two, {start}, options).x[0], by_hand.x()[0]);
}

TYPED_TEST(SolverTest, TheObserverSeesEveryStepAndMayStop) {
  using S = TypeParam;
  const Pencil<S> pencil(15, 3, 10, 20);
  QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(3, Direction::metric));
  std::uint64_t seen = 0;
  const auto result = solve<S>(oracle, {gaussian<S>(15, 3, {21, 0})},
                               {.observer = [&](const Progress& progress, const Point<S>&) {
                                 EXPECT_EQ(progress.iteration, ++seen);
                                 return seen < 7;
                               }});
  EXPECT_EQ(result.termination, Termination::stopped);
  EXPECT_EQ(result.progress.iteration, 7u);
}

TYPED_TEST(SolverTest, HistoryIsBoundedAndSpansTheRun) {
  using S = TypeParam;
  const Pencil<S> pencil(10, 2, 10, 22);
  QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(2, Direction::metric));
  const auto result = solve<S>(
      oracle, {gaussian<S>(10, 2, {23, 0})},
      {.step = {.rule = StepRule::fixed, .size = 0.01}, .stop = stop::iterations(1000), .history = 64});
  ASSERT_GE(result.history.size(), 32u);
  EXPECT_LE(result.history.size(), 64u);
  EXPECT_GE(result.history.back().iteration, 960u);
  for (std::size_t i = 1; i < result.history.size(); ++i)
    EXPECT_EQ(result.history[i].iteration - result.history[i - 1].iteration, 16u);
}

TYPED_TEST(SolverTest, AveragingAndMomentumKeepTheirFormulas) {
  using S = TypeParam;
  const Pencil<S> pencil(10, 2, 10, 24);
  const Matrix<S> start = random_near_manifold<S>(pencil.b, 2, 0.2, 25);
  std::vector<Matrix<S>> iterates;
  QuadraticOracle<S> oracle(pencil.operator_a, -1, pencil.block(2, Direction::metric));
  const auto result = solve<S>(oracle, {start},
                               {.step = {.rule = StepRule::fixed, .size = 0.05},
                                .momentum = 0.5,
                                .averaging = 0,
                                .stop = stop::iterations(10),
                                .observer = [&](const Progress&, const Point<S>& x) {
                                  iterates.push_back(x[0]);
                                  return true;
                                }});
  Matrix<S> mean = Matrix<S>::Zero(10, 2);
  // The observer is asked after the stopping criterion, so the last iterate is not among those it saw.
  ASSERT_EQ(iterates.size(), 9u);
  QuadraticOracle<S> again(pencil.operator_a, -1, pencil.block(2, Direction::metric));
  Matrix<S> x = start, m = Matrix<S>::Zero(10, 2);
  FieldValue<S> value;
  value.lambda = {x};
  for (std::size_t k = 0; k < 10; ++k) {
    again.moved(std::nullopt);
    again.field({x}, {.attraction = 0.25, .step = 0.05}, value);
    m = S(0.5) * m + S(0.05) * value.lambda[0];
    x -= m;
    if (k < 9) {
      EXPECT_LE((x - iterates[k]).norm(), rounding<S>(x.norm()));
    }
    mean += x / S(10);
  }
  EXPECT_LE((result.x[0] - mean).norm(), rounding<S>(mean.norm()));
}

TYPED_TEST(SolverTest, GeneralConstraintsAreSolved) {
  using S = TypeParam;
  // The smallest eigenvector on the sphere, and its product with an oblique factor that only counts columns.
  const Matrix<S> a = random_spd<S>(12, 8, 26);
  const Objective<S> f = single_block<S>([&](const Matrix<S>& x, Matrix<S>* g) {
    const Matrix<S> ax = a * x;
    if (g) *g = ax;
    return x.cwiseProduct(ax).sum() / 2;
  });
  ConstraintOracle<S> oracle(f, std::make_shared<SphereConstraint<S>>(12));
  const auto result =
      solve<S>(oracle, {5 * gaussian<S>(12, 1, {27, 0})},
               {.stop = (stop::gradient(tolerance<S>()) && stop::feasibility(tolerance<S>())) ||
                        stop::iterations(20000)});
  EXPECT_EQ(result.termination, Termination::converged);
  EXPECT_GT(result.restoration.steps, 0);
  EXPECT_NEAR(result.progress.objective, 1.0 / 16, 10 * tolerance<S>());  // eigenvalues from 1 down to 1/8
}

TYPED_TEST(SolverTest, TheGeneralMethodAgreesWithTheSpecialOne) {
  using S = TypeParam;
  const Index n = 15, p = 2;
  const Pencil<S> pencil(n, p, 5, 28);
  const Matrix<S> start = random_near_manifold<S>(pencil.b, p, 0.3, 29);
  const SolverOptions<S> options{.stop =
                                     (stop::gradient(tolerance<S>()) && stop::feasibility(tolerance<S>())) ||
                                     stop::iterations(20000)};
  ConstraintOracle<S> general(pencil.objective(),
                              std::make_shared<GeneralizedStiefelConstraint<S>>(pencil.operator_b, p));
  StiefelOracle<S> special(pencil.objective(), {pencil.block(p, Direction::euclidean)});
  EXPECT_NEAR(solve<S>(general, {start}, options).progress.objective,
              solve<S>(special, {start}, options).progress.objective, 10 * tolerance<S>() * pencil.best);
}

TEST(Solver, WrongOptionsAreNamed) {
  const Pencil<double> pencil(10, 2, 10, 30);
  QuadraticOracle<double> oracle(pencil.operator_a, -1, pencil.block(2, Direction::metric));
  const auto error = [&](SolverOptions<double> options,
                         Point<double> start = {Matrix<double>::Ones(10, 2)}) -> std::string {
    try {
      Solver<double>(oracle, start, options);
    } catch (const UsageError& failure) {
      return failure.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error({.epsilon = 1.5}), "epsilon must be in (0, 1), got 1.5");
  EXPECT_EQ(error({.attraction = 0.5}), "attraction must be in (0, 1/2), got 0.5");
  EXPECT_EQ(error({.momentum = 0.5}),
            "momentum requires fixed steps: the other rules choose each step themselves");
  EXPECT_EQ(error({.step = {.rule = StepRule::fixed}}),
            "step.size must be given for a fixed or safeguarded step");
  EXPECT_EQ(error({.step = {.rule = StepRule::fixed, .size = 1, .schedule = Schedule::cosine}}),
            "step.horizon must be positive for a cosine schedule, got 0");
  EXPECT_EQ(error({}, {Matrix<double>::Ones(9, 2)}), "block 1 of the start is 9x2, expected 10x2");
  EXPECT_EQ(error({}, {}), "the start has 0 blocks, the problem 1");
}

TEST(Schedules, FollowTheirFormulas) {
  EXPECT_EQ(schedule_factor({.schedule = Schedule::constant}, 99, 3), 1);
  EXPECT_DOUBLE_EQ(schedule_factor({.schedule = Schedule::inverse_sqrt}, 99, 3), 0.1);
  EXPECT_DOUBLE_EQ(schedule_factor({.schedule = Schedule::cosine, .horizon = 4}, 0, 2), 0.5);
  EXPECT_NEAR(schedule_factor({.schedule = Schedule::cosine, .horizon = 4}, 0, 5), 0, 1e-15);
  EXPECT_DOUBLE_EQ(schedule_factor({.schedule = Schedule::fading, .horizon = 4}, 99, 12), 0.5);
  const StepOptions steps{.schedule = Schedule::milestones, .milestones = {3, 4}};
  EXPECT_DOUBLE_EQ(schedule_factor(steps, 0, 2.9), 1);
  EXPECT_DOUBLE_EQ(schedule_factor(steps, 0, 3), 0.1);
  EXPECT_DOUBLE_EQ(schedule_factor(steps, 0, 4.5), 0.01);
}

TEST(Stopping, CriteriaCombineAndNameTheReason) {
  using namespace stop;
  StopWhen both = gradient(1e-3) && feasibility(1e-3);
  StopWhen all = (gradient(1e-3) && feasibility(1e-3)) || iterations(10) || seconds(5) || passes(2);
  Progress progress{.iteration = 1, .infeasibility = 1, .stationarity = 1e-4};
  EXPECT_FALSE(both(progress));
  EXPECT_FALSE(all(progress));
  progress.infeasibility = 1e-4;
  EXPECT_EQ(all(progress), Termination::converged);
  progress.infeasibility = 1;
  progress.iteration = 10;
  EXPECT_EQ(all(progress), Termination::iteration_limit);
  progress.iteration = 2;
  progress.seconds = 6;
  EXPECT_EQ(all(progress), Termination::time_limit);
  progress.seconds = 0;
  progress.passes = 2;
  EXPECT_EQ(all(progress), Termination::pass_limit);
}

TEST(Stopping, PatienceCountsStepsWithoutProgress) {
  StopWhen patience = stop::patience(3);
  Progress progress;
  for (const double objective : {-1.0, -2.0, -2.0, -2.0}) {
    ++progress.iteration;
    progress.objective = objective;
    EXPECT_FALSE(patience(progress));
  }
  ++progress.iteration;
  EXPECT_EQ(patience(progress), Termination::no_progress);
}

}  // namespace landfall::test
