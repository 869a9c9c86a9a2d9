// The two theorems of the paper on small problems: the decrease behind the first, the rate of the second, and the local
// rates, which are known in closed form.
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

/// Psi_B = G (Y'Y) - Y (G'Y), written out independently of the library.
Matrix<double> metric_direction(const Matrix<double>& g, const Matrix<double>& y) {
  return g * (y.transpose() * y) - y * (g.transpose() * y);
}

/// A x = lambda B x whose matrices commute, A = Q diag(a) Q' and B = Q diag(b) Q': the eigenvectors are the columns of
/// Q, and how a small error of any of them changes in a step can be written down.
struct CommutingPencil {
  Vector<double> a{{1.8, 0.7, 0.9, 0.3, 0.15}};
  Vector<double> b{{1.0, 0.5, 0.8, 0.6, 0.4}};
  Matrix<double> q = random_orthogonal<double>(5, 11);

  Matrix<double> times(const Vector<double>& values) const { return q * values.asDiagonal() * q.transpose(); }
  double lambda(Index i) const { return a(i) / b(i); }  // 1.8 and 1.4, then 1.125, 0.5, 0.375
};

struct Contraction {
  FieldOptions<double> field;
  std::function<double(Index i, Index j)> tangent;  // factor of (lambda_i - lambda_j) in Psi
  std::function<double(Index i)> normal;            // factor of H in the normal term
};

}  // namespace

TEST(Theory, EveryStepLowersTheMeritFunctionAsTheProofOfTheFirstTheoremSays) {
  // L(X_k) - L(X_{k+1}) >= eta rho/4 (||Psi||^2 + ||h||^2); its sum over k is the theorem. The right-hand side is written
  // out here, the merit function is checked in fletcher_test.
  const Index n = 10, p = 2;
  const double epsilon = 0.5, eta = 0.3, omega = 0.5, beta = 5;
  const Matrix<double> a = random_spd<double>(n, 5, 1), b = random_spd<double>(n, 4, 2);
  StiefelOracle<double> oracle(single_block<double>([&](const Matrix<double>& x, Matrix<double>* g) {
                                 const Matrix<double> ax = a * x;
                                 if (g) *g = -ax;
                                 return -x.cwiseProduct(ax).sum() / 2;
                               }),
                               {{.b = std::make_shared<DenseOperator<double>>(b), .components = p}});
  const double rho = tight_constants(1, 0.25, epsilon).rho_metric;
  Solver<double> solver(oracle, {random_near_manifold(b, p, 0.4, 3)},
                        {.epsilon = epsilon, .step = {.rule = StepRule::fixed, .size = eta}, .omega = omega});
  std::vector<Matrix<double>> iterates{solver.x()[0]};
  for (int k = 0; k < 400; ++k) {
    solver.step();
    iterates.push_back(solver.x()[0]);
  }
  std::vector<double> merit;
  for (const Matrix<double>& x : iterates) {
    oracle.moved(std::nullopt);
    merit.push_back(oracle.merit({x}, beta));
  }
  for (std::size_t k = 0; k + 1 < iterates.size(); ++k) {
    const Matrix<double>& x = iterates[k];
    const Matrix<double> y = b * x, g = -a * x, h = x.transpose() * y - Matrix<double>::Identity(p, p);
    const double promised = eta * rho / 4 * (metric_direction(g, y).squaredNorm() + h.squaredNorm());
    EXPECT_LE(h.norm(), epsilon) << k;
    EXPECT_GE(merit[k] - merit[k + 1], promised - 1e-14) << k;
  }
}

TEST(Theory, NearASolutionErrorsContractByTheFactorsOfTheLinearisedField) {
  // X = X* + E at the eigenvectors X* = q_i/sqrt(b_i). To first order in E, with mu the factor of the direction,
  //   q_j' Psi e_i = mu_ij (lambda_i - lambda_j) (q_j' E e_i)   for j > p,   and   q_i' N e_i = 4 nu_i (q_i' E e_i),
  // so k steps of size eta multiply the former by (1 - eta mu_ij (lambda_i - lambda_j))^k and the latter by
  // (1 - 4 eta omega nu_i)^k.
  const CommutingPencil pencil;
  const Vector<double>& b = pencil.b;
  const Matrix<double> matrix_b = pencil.times(b);
  const Vector<double> k{{0.9, 1.3, 0.7, 0.7, 0.7}};  // of a preconditioner
  const auto sketch = std::make_shared<SketchPreconditioner<double>>(
      pencil.q.leftCols(2), Vector<double>(k.head(2).cwiseInverse()), 1 / k(2), 0.0);
  const auto by_b = [&](Index i) { return b(i); };
  const auto by_one = [](Index) { return 1.0; };
  const std::vector<Contraction> cases{
      {{.direction = Direction::metric}, [&](Index i, Index j) { return b(i) * b(j); }, by_b},
      {{.direction = Direction::metric, .normal = Normal::newton},
       [&](Index i, Index j) { return b(i) * b(j); },
       by_one},
      {{.direction = Direction::riemannian, .preconditioner = inverse_preconditioner<double>(matrix_b)},
       [](Index, Index) { return 1.0; },
       by_b},
      {{.direction = Direction::euclidean}, [&](Index, Index j) { return b(j); }, by_b},
      {{.direction = Direction::preconditioned, .normal = Normal::newton, .preconditioner = sketch},
       [&](Index i, Index j) { return k(i) * k(j) * b(i) * b(j); },
       by_one}};
  const Index n = b.size(), p = 2;
  const double eta = 0.2, omega = 0.6, size = 1e-6;
  const int steps = 12;
  const Matrix<double> solution = pencil.q.leftCols(p) * b.head(p).cwiseSqrt().cwiseInverse().asDiagonal();
  for (const Contraction& expected : cases) {
    SCOPED_TRACE(to_string(expected.field.direction));
    Matrix<double> error = gaussian<double>(n, p, {12}).cwiseAbs().array() + 1;  // in the basis q
    error(1, 0) = error(0, 1) = 0;  // would turn the columns into each other
    error *= size;
    QuadraticOracle<double> oracle(
        std::make_shared<DenseOperator<double>>(pencil.times(pencil.a)), -1,
        {.b = std::make_shared<DenseOperator<double>>(matrix_b), .components = p, .field = expected.field});
    Solver<double> solver(oracle, {solution + pencil.q * error},
                          {.step = {.rule = StepRule::fixed, .size = eta}, .omega = omega});
    for (int step = 0; step < steps; ++step) solver.step();
    const Matrix<double> left = pencil.q.transpose() * (solver.x()[0] - solution);
    for (Index i = 0; i < p; ++i) {
      const double normal = 1 - 4 * eta * omega * expected.normal(i);
      EXPECT_NEAR(left(i, i) / error(i, i), std::pow(normal, steps), 1e-4) << i;
      for (Index j = p; j < n; ++j) {
        const double tangent = 1 - eta * expected.tangent(i, j) * (pencil.lambda(i) - pencil.lambda(j));
        EXPECT_NEAR(left(j, i) / error(j, i), std::pow(tangent, steps), 1e-4) << i << ' ' << j;
      }
    }
  }
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
                         metric_direction(gx, yx).squaredNorm() + metric_direction(gy, yy).squaredNorm();
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
