// Arguments that cannot be right are named, before anything is computed.
#include <landfall/errors.hpp>
#include <landfall/landing/constrained.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/landing/samples.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/linalg/distributions.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/manifold/retraction.hpp>
#include <landfall/models/fit/options.hpp>

#include <functional>
#include <limits>

#include "support.hpp"

namespace landfall::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string usage(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

Matrix<double> ones(Index rows, Index cols) {
  return Matrix<double>::Ones(rows, cols);
}

TEST(WrongCalls, OptionsOfTheSolver) {
  const auto error = [](const SolverOptions<double>& options) { return usage([&] { validate(options); }); };
  EXPECT_EQ(error({}), "accepted");
  EXPECT_EQ(error({.epsilon = 0}), "epsilon must be in (0, 1), got 0");
  EXPECT_EQ(error({.attraction = 0}), "attraction must be in (0, 1/2), got 0");
  EXPECT_EQ(error({.omega = -1}), "omega must not be negative, got -1");
  EXPECT_EQ(error({.momentum = 1}), "momentum must be in [0, 1), got 1");
  EXPECT_EQ(error({.momentum = -0.1}), "momentum must be in [0, 1), got -0.1");
  EXPECT_EQ(error({.trust = 0}), "trust must be positive, got 0");
  EXPECT_EQ(error({.averaging = -1}), "averaging must not be negative, got -1");
  EXPECT_EQ(error({.history = -1}), "history must not be negative, got -1");
}

TEST(WrongCalls, OptionsOfSteps) {
  const auto error = [](const StepOptions& options) { return usage([&] { validate(options); }); };
  EXPECT_EQ(error({.rule = StepRule::fixed, .size = -1}), "step.size must be positive, got -1");
  EXPECT_EQ(error({.rule = StepRule::fixed, .size = std::numeric_limits<double>::infinity()}),
            "step.size must be positive, got inf");
  EXPECT_NE(error({.rule = StepRule::line_search, .schedule = Schedule::inverse_sqrt}).find("step.schedule"),
            std::string::npos);
  EXPECT_NE(error({.rule = StepRule::fixed, .size = 1, .schedule = Schedule::milestones}), "accepted");
  EXPECT_NE(
      error({.rule = StepRule::fixed, .size = 1, .schedule = Schedule::milestones, .milestones = {2, 1}}),
      "accepted");
  EXPECT_NE(error({.rule = StepRule::fixed,
                   .size = 1,
                   .schedule = Schedule::milestones,
                   .milestones = {1, 2},
                   .milestone_factor = 0}),
            "accepted");
}

TEST(WrongCalls, OptionsOfModels) {
  const auto error = [](const FitOptions& options) { return usage([&] { validate(options); }); };
  FitOptions wrong;
  EXPECT_EQ(error(wrong), "accepted");
  const auto with = [&](const auto& set) {
    FitOptions options;
    set(options);
    return error(options);
  };
  EXPECT_EQ(with([](FitOptions& o) { o.components = -1; }), "p must not be negative, got -1");
  EXPECT_EQ(with([](FitOptions& o) { o.ridge = -1; }), "a ridge must not be negative, got -1");
  EXPECT_EQ(with([](FitOptions& o) { o.relative_ridge = kNaN; }),
            "a relative ridge must not be negative, got nan");
  EXPECT_EQ(with([](FitOptions& o) { o.first_rows = -1; }), "first_rows must not be negative, got -1");
  EXPECT_EQ(with([](FitOptions& o) { o.batch = -1; }), "batch must not be negative, got -1");
  EXPECT_EQ(with([](FitOptions& o) { o.passes = 0; }), "passes must be positive, got 0");
  EXPECT_EQ(with([](FitOptions& o) { o.tolerance = 0; }), "tolerance must be positive, got 0");
  EXPECT_EQ(with([](FitOptions& o) { o.most_passes = 0; }), "most_passes must be at least 1, got 0");
  EXPECT_EQ(with([](FitOptions& o) { o.folds = 1; }), "folds must be 0 or at least 2, got 1");
  EXPECT_EQ(with([](FitOptions& o) { o.folds = -1; }), "folds must be 0 or at least 2, got -1");
  EXPECT_EQ(with([](FitOptions& o) { o.fold = 0; }), "fold must be below folds, got 0");
  EXPECT_EQ(with([](FitOptions& o) { o.permutations = -1; }), "permutations must not be negative, got -1");
  EXPECT_EQ(with([](FitOptions& o) { o.bootstrap = -1; }), "bootstrap must not be negative, got -1");
}

TEST(WrongCalls, Samples) {
  const auto objective = correlation_objective<double>();
  const RowMatrix<double> rows = RowMatrix<double>::Ones(4, 3), fewer = rows.topRows(3);
  using Samples = LinearSamples<double>;
  EXPECT_EQ(usage([&] { Samples({}, {}, {}, objective); }),
            "0 data matrices with 0 numbers of components and 0 ridges");
  EXPECT_EQ(usage([&] {
              Samples({rows, rows}, {1}, {0, 0}, objective);
            }),
            "2 data matrices with 1 numbers of components and 2 ridges");
  EXPECT_EQ(usage([&] {
              Samples({rows, rows}, {1, 1}, {0}, objective);
            }),
            "2 data matrices with 2 numbers of components and 1 ridges");
  EXPECT_EQ(usage([&] {
              Samples({rows, fewer}, {1, 1}, {0, 0}, objective);
            }),
            "views must have the same number of samples, got 4 and 3");
  EXPECT_EQ(usage([&] {
              Samples({rows}, {1}, {0}, objective, 0, serial_communicator(), {1, 1});
            }),
            "2 weights for 4 samples");
  EXPECT_EQ(usage([&] { Samples({rows.topRows(0)}, {1}, {0}, objective); }),
            "a sampled problem needs at least one sample, got 0");
  EXPECT_EQ(usage([&] { Samples({rows}, {1}, {0}, {}); }),
            "samples in memory need an objective that is applied to their projections");
  const auto nothing = [](std::span<const Index>, const Point<double>&, Point<double>*, Point<double>*) {
    return 0.0;
  };
  EXPECT_EQ(usage([&] {
              CallbackSamples<double>(0, {{3, 1}}, nothing);
            }),
            "a sampled problem needs at least one sample, got 0");
  EXPECT_EQ(usage([&] {
              CallbackSamples<double>(4, {{3, 1}}, nullptr);
            }),
            "a sampled problem needs a function that evaluates it");
}

TEST(WrongCalls, Oracles) {
  const OperatorPtr<double> five = std::make_shared<DenseOperator<double>>(Matrix<double>::Identity(5, 5));
  const OperatorPtr<double> four = std::make_shared<DenseOperator<double>>(Matrix<double>::Identity(4, 4));
  EXPECT_EQ(usage([&] { QuadraticOracle<double>(nullptr, 1, {five, 2, {}}); }), "a quadratic oracle needs A");
  EXPECT_NE(usage([&] { QuadraticOracle<double>(four, 1, {five, 2, {}}); }), "accepted");
  EXPECT_EQ(usage([&] {
              QuadraticOracle<double>(five, 1, {nullptr, 2, {}});
            }),
            "a block needs B; the identity gives the plain Stiefel manifold");
  for (const Index p : {0, 6})
    EXPECT_NE(usage([&] { QuadraticOracle<double>(five, 1, {five, p, {}}); }), "accepted") << p;
}

TEST(WrongCalls, Retractions) {
  const DenseOperator<double> b(Matrix<double>::Identity(5, 5));
  EXPECT_NE(usage([&] { orthonormalize<double>(b, ones(4, 2)); }), "accepted");
  EXPECT_NE(usage([&] { orthonormalize<double>(b, ones(5, 0)); }), "accepted");
  EXPECT_EQ(usage([&] { retract<double>(Retraction::polar, b, ones(5, 2), ones(5, 3)); }),
            "step of size 5x3 from a point of size 5x2");
  Matrix<double> with_nan = ones(5, 2);
  with_nan(3, 1) = kNaN;
  EXPECT_THROW(orthonormalize<double>(b, with_nan), NumericalError);
  for (const Retraction kind : {Retraction::polar, Retraction::svd, Retraction::cholesky})
    EXPECT_THROW(retract<double>(kind, b, ones(5, 2), with_nan), NumericalError);
  const DenseOperator<double> zero(Matrix<double>::Zero(5, 5));
  EXPECT_THROW(orthonormalize<double>(zero, gaussian<double>(5, 2, {1})), NumericalError);
}

TEST(WrongCalls, Preconditioners) {
  EXPECT_NE(usage([&] { DiagonalPreconditioner<double>(Vector<double>::Zero(3)); }), "accepted");
  EXPECT_NE(usage([&] { SketchPreconditioner<double>(ones(5, 2), ones(3, 1), 1, 1); }), "accepted");
  EXPECT_NE(usage([&] { SketchPreconditioner<double>(ones(5, 2), ones(2, 1), -1, 0); }), "accepted");
  EXPECT_NE(usage([&] { SketchPreconditioner<double>(ones(5, 2), -ones(2, 1), 1, 0); }), "accepted");
  EXPECT_NE(usage([&] { CallbackPreconditioner<double>(5, nullptr, nullptr); }), "accepted");
  const IdentityPreconditioner<double> identity(5);
  Matrix<double> y(5, 2);
  EXPECT_NE(usage([&] { identity.apply_inverse(ones(4, 2), y); }), "accepted");
  EXPECT_NE(usage([&] { identity.apply_inverse(ones(5, 3), y); }), "accepted");
}

TEST(WrongCalls, Products) {
  Matrix<double> c(2, 2);
  EXPECT_NE(usage([&] { multiply<double>(ones(2, 3), ones(4, 2), c); }), "accepted");
  EXPECT_NE(usage([&] { multiply<double>(ones(3, 4), ones(4, 2), c); }), "accepted");
  EXPECT_NE(usage([&] { multiply<double>(ones(2, 4), ones(4, 3), c); }), "accepted");
}

TEST(WrongCalls, TailsOfDistributions) {
  EXPECT_TRUE(std::isnan(chi_squared_tail(kNaN, 3)));
  EXPECT_TRUE(std::isnan(chi_squared_tail(1, 0)));
  EXPECT_TRUE(std::isnan(f_tail(kNaN, 3, 4)));
  EXPECT_TRUE(std::isnan(f_tail(1, 0, 4)));
  EXPECT_TRUE(std::isnan(f_tail(1, 3, -1)));
  EXPECT_EQ(incomplete_beta(2, 3, -1), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 2), 1);
}

}  // namespace
}  // namespace landfall::test
