// The two theorems of the paper on small problems: their rates, and the bound of the first.
#include <landfall/landing/exact.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/manifold/constants.hpp>

#include "support.hpp"

namespace landfall::test {
namespace {

/// The slope of log y against log x by least squares.
double log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0, my = 0, xy = 0, xx = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) mx += std::log(x[i]) / n, my += std::log(y[i]) / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (std::log(x[i]) - mx) * (std::log(y[i]) - my);
    xx += (std::log(x[i]) - mx) * (std::log(x[i]) - mx);
  }
  return xy / xx;
}

}  // namespace

TEST(Theory, DeterministicLandingDecaysAsOneOverKWithinItsBound) {
  const Index n = 10, p = 2;
  const double epsilon = 0.5;
  const Matrix<double> a = random_spd<double>(n, 5, 1), b = random_spd<double>(n, 4, 2);
  const auto operator_b = std::make_shared<DenseOperator<double>>(b);
  StiefelOracle<double> oracle(single_block<double>([&](const Matrix<double>& x, Matrix<double>* g) {
                                 const Matrix<double> ax = a * x;
                                 if (g) *g = -ax;
                                 return -x.cwiseProduct(ax).sum() / 2;
                               }),
                               {{.b = operator_b, .components = p}});
  const double eta = 0.3, omega = 0.5, beta = 5;
  const double rho = tight_constants(1, 0.25, epsilon).rho_metric;
  const Matrix<double> start = random_near_manifold(b, p, 0.4, 3);
  const double first = oracle.merit({start}, beta);
  oracle.moved(std::nullopt);

  std::vector<Matrix<double>> iterates{start};
  solve<double>(oracle, {start},
                {.epsilon = epsilon,
                 .step = {.rule = StepRule::fixed, .size = eta},
                 .omega = omega,
                 .stop = stop::iterations(3001),
                 .observer = [&](const Progress&, const Point<double>& x) {
                   iterates.push_back(x[0]);
                   return true;
                 }});
  // The merit at the end stands for L*, which is below it: the bound checked is tighter than the theorem's.
  oracle.moved(std::nullopt);
  const double last = oracle.merit({iterates.back()}, beta);
  double tangent = 0, normal = 0;
  std::vector<double> ks, means;
  for (std::size_t k = 0; k < iterates.size(); ++k) {
    const Matrix<double>& x = iterates[k];
    const Matrix<double> y = b * x;
    tangent += tangent_direction<double>(FieldOptions<double>{}, x, Matrix<double>(-a * x), y).squaredNorm();
    normal += (x.transpose() * y - Matrix<double>::Identity(p, p)).squaredNorm();
    const double count = static_cast<double>(k + 1);
    EXPECT_LE(tangent / count, 4 * (first - last) / (eta * rho * count));
    EXPECT_LE(normal / count, 4 * (first - last) / (eta * rho * count));
    if (k >= 300) {
      ks.push_back(count);
      means.push_back(tangent / count);
    }
  }
  EXPECT_NEAR(log_slope(ks, means), -1, 0.1);
}

TEST(Theory, StochasticLandingWithDecayingStepsFallsAtLeastAsOneOverRootK) {
  // CCA of two Gaussian views; E||Psi||^2 and E||h||^2 over 24 runs of the unbiased split estimator, against
  // the population.
  const Index n = 4, p = 1;
  const Matrix<double> covariance = random_spd<double>(2 * n, 6, 5);
  const Matrix<double> bx = covariance.topLeftCorner(n, n), by = covariance.bottomRightCorner(n, n);
  const Matrix<double> cross = covariance.topRightCorner(n, n);
  const Matrix<double> root = square_root(covariance);
  const int runs = 24, steps = 4096;
  std::vector<double> tangent(steps), normal(steps);
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<std::uint64_t>(run);
    const RowMatrix<double> joint = gaussian<double>(steps * 8, 2 * n, {seed, 6}) * root;
    auto samples = std::make_shared<LinearSamples<double>>(
        std::vector<RowMatrix<double>>{joint.leftCols(n), joint.rightCols(n)}, std::vector<Index>{p, p},
        std::vector<double>{0, 0}, correlation_objective<double>(), seed);
    SampledOracle<double> oracle(samples, {.estimator = Estimator::split, .batch = 8},
                                 std::vector<FieldOptions<double>>(2));
    int k = 0;
    solve<double>(oracle, {random_near_manifold(bx, p, 0.3, 7), random_near_manifold(by, p, 0.3, 8)},
                  {.step = {.rule = StepRule::fixed, .size = 0.5, .schedule = Schedule::inverse_sqrt},
                   .omega = 0.3,
                   .stop = stop::iterations(steps + 1),
                   .observer = [&](const Progress&, const Point<double>& x) {
                     const Matrix<double> yx = bx * x[0], yy = by * x[1];
                     const Matrix<double> gx = -cross * x[1], gy = -cross.transpose() * x[0];
                     const auto i = static_cast<std::size_t>(k++);
                     tangent[i] +=
                         tangent_direction<double>(FieldOptions<double>{}, x[0], gx, yx).squaredNorm() +
                         tangent_direction<double>(FieldOptions<double>{}, x[1], gy, yy).squaredNorm();
                     normal[i] += std::pow((x[0].transpose() * yx)(0) - 1, 2) +
                                  std::pow((x[1].transpose() * yy)(0) - 1, 2);
                     return k < steps;
                   }});
  }
  std::vector<double> ks, best_tangent, best_normal;
  double least_tangent = std::numeric_limits<double>::infinity(), least_normal = least_tangent;
  for (int k = 0; k < steps; ++k) {
    least_tangent = std::min(least_tangent, tangent[static_cast<std::size_t>(k)] / runs);
    least_normal = std::min(least_normal, normal[static_cast<std::size_t>(k)] / runs);
    if (k < 32) continue;
    ks.push_back(k);
    best_tangent.push_back(least_tangent);
    best_normal.push_back(least_normal);
  }
  // The theorem allows (1 + log K)/sqrt K, whose slope over this range is -0.5 + 0.13.
  EXPECT_LE(log_slope(ks, best_tangent), -0.37);
  EXPECT_LE(log_slope(ks, best_normal), -0.37);
}

}  // namespace landfall::test
