#include <landfall/errors.hpp>
#include <landfall/manifold/constants.hpp>
#include <landfall/manifold/field.hpp>

#include "support.hpp"

namespace landfall::test {

namespace {

/// grad N = 2BXH.
Matrix<double> penalty_gradient(const Matrix<double>& b, const Matrix<double>& x) {
  return normal_term<double>(Normal::gradient, x, b * x);
}

}  // namespace

TEST(Constants, BoundTheSingularValuesOfTheDifferential) {
  for (const double condition : {1.0, 30.0, 1e4})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Index n = 12, p = 1 + static_cast<Index>(seed % 12);
      const double eps = 0.04 * static_cast<double>(1 + seed), beta_1 = 3;
      const Matrix<double> b = beta_1 * random_spd<double>(n, condition, seed);
      const Matrix<double> y = b * random_near_manifold<double>(b, p, eps, seed + 50);
      // Dh(X)* S = 2YS on symmetric S; its singular values sqrt(2(c_i + c_j)) reach from 2 sqrt(c_p) to 2
      // sqrt(c_1).
      const Vector<double> singular = 2 * singular_values(y);
      const StiefelConstants tight = tight_constants(beta_1, beta_1 / condition, eps);
      const StiefelConstants paper = paper_constants(beta_1, beta_1 / condition, eps);
      EXPECT_LE(singular(0), tight.c_h * (1 + 1e-12));
      EXPECT_GE(singular(p - 1), tight.c_h_low * (1 - 1e-10));
      EXPECT_LE(tight.c_h, paper.c_h * (1 + 1e-12));
      EXPECT_GE(tight.c_h_low, paper.c_h_low * (1 - 1e-12));
      EXPECT_LE(tight.l_n, paper.l_n * (1 + 1e-12));
    }
}

TEST(Constants, AreAttained) {
  // B = diag, X scaled eigenvectors of both ends: ||BX||^2 = beta_1 (1+eps) and beta_n (1-eps) exactly.
  const double beta_1 = 5, beta_n = 0.2, eps = 0.3;
  const StiefelConstants tight = tight_constants(beta_1, beta_n, eps);
  EXPECT_DOUBLE_EQ(2 * beta_1 * std::sqrt((1 + eps) / beta_1), tight.c_h);
  EXPECT_DOUBLE_EQ(2 * beta_n * std::sqrt((1 - eps) / beta_n), tight.c_h_low);
  // p = 1, N(x) = (beta x^2 - 1)^2/2: N'' = 2 beta (3 beta x^2 - 1), at beta x^2 = 1 + eps equal to L_N.
  EXPECT_DOUBLE_EQ(2 * beta_1 * (3 * (1 + eps) - 1), tight.l_n);
}

TEST(Constants, PenaltyGradientIsLipschitz) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Index n = 8, p = 1 + static_cast<Index>(seed % 8);
    const double eps = 0.5, condition = 100;
    const Matrix<double> b = random_spd<double>(n, condition, seed);
    const Matrix<double> x = random_near_manifold<double>(b, p, 0.99 * eps, seed + 10);
    const Matrix<double> v = gaussian<double>(n, p, {seed, 3}), step = 1e-5 * v / v.norm();
    const Matrix<double> change = penalty_gradient(b, x + step) - penalty_gradient(b, x - step);
    EXPECT_LE(change.norm(), tight_constants(1, 1 / condition, eps).l_n * 2 * step.norm() * (1 + 1e-6));
  }
}

TEST(Constants, PaperValuesAsPrinted) {
  const StiefelConstants paper = paper_constants(8, 2, 0.25);  // kappa = 4
  EXPECT_DOUBLE_EQ(paper.c_h, 2 * std::sqrt(1.25 * 32));
  EXPECT_DOUBLE_EQ(paper.c_h_low, 2 * std::sqrt(0.75 * 0.5));
  EXPECT_DOUBLE_EQ(paper.l_n, 16 * (0.25 + 2 * 1.25 * 4));
  EXPECT_DOUBLE_EQ(paper.rho_metric, 1 / (32 * 1.25));
  EXPECT_DOUBLE_EQ(paper.rho_riemannian, 2 / 1.25);
}

TEST(Constants, FletcherWeightMakesTheProofWork) {
  // The proof's last line, for every ||Psi|| and every ||grad N|| between C_h_low ||h|| and C_h ||h||:
  // rho psi^2 - C_l (psi + omega m) h + 2 beta omega m^2 >= rho/2 (psi^2 + h^2).
  const StiefelConstants c = tight_constants(4, 0.1, 0.5);
  const auto worst = [&](double beta, double rho, double c_lambda, double omega) {
    double least = 1e300;
    for (int i = 0; i <= 200; ++i)
      for (int j = 0; j <= 40; ++j) {
        const double psi = std::pow(10, 0.04 * i - 4), m = c.c_h_low + (c.c_h - c.c_h_low) * j / 40;  // h = 1
        least = std::min(least, rho * psi * psi - c_lambda * (psi + omega * m) + 2 * beta * omega * m * m -
                                    rho / 2 * (psi * psi + 1));
      }
    return least;
  };
  for (const double omega : {0.1, 1.0, 10.0})
    for (const double c_lambda : {0.3, 3.0}) {
      const double rho = c.rho_metric;
      EXPECT_GE(worst(fletcher_beta(c, rho, c_lambda, omega), rho, c_lambda, omega), -1e-12);
      EXPECT_LT(worst(fletcher_beta_paper(c, rho, c_lambda, omega), rho, c_lambda, omega), 0);
    }
}

TEST(Constants, LowerBoundOnTheSafeStepAsPrinted) {
  StiefelConstants c;
  c.c_h = 4;
  c.c_h_low = 2;
  c.l_n = 8;
  const double eps = 0.5, alpha = 0.25, room = 0.75 * eps / 4;
  // Where each of the three terms is the least; the fourth of the paper, 1/32 here at omega = 1, never is.
  EXPECT_DOUBLE_EQ(safe_step_lower_bound(c, 1, 1, eps, alpha),
                   4 * alpha * alpha * eps * eps / (8 * (1 + 16 * eps * eps)));
  EXPECT_DOUBLE_EQ(safe_step_lower_bound(c, 0, 1e-4, eps, alpha), room);
  EXPECT_DOUBLE_EQ(safe_step_lower_bound(c, 0, 100, eps, alpha), room / (1e4 * 16 * eps * eps));
}

TEST(Constants, StepBoundsOfTheTheorems) {
  StiefelConstants c;
  c.c_h = 2;
  EXPECT_DOUBLE_EQ(stochastic_step_bound(c, 0.5, 10, 0.1), 0.025);      // rho/(2L)
  EXPECT_DOUBLE_EQ(stochastic_step_bound(c, 0.5, 10, 5), 0.025 / 100);  // rho/(2L omega^2 C_h^2)
  EXPECT_DOUBLE_EQ(deterministic_step_bound(c, 0.5, 10, 0.1, 1), 0.025);
  EXPECT_DOUBLE_EQ(deterministic_step_bound(c, 0.5, 10, 0.1, 1e-3), 1e-3);
}

TEST(Constants, MisuseIsNamed) {
  EXPECT_THROW(tight_constants(1, 0, 0.5), UsageError);
  EXPECT_THROW(tight_constants(1, 2, 0.5), UsageError);
  EXPECT_THROW(paper_constants(1, 1, 1), UsageError);
  EXPECT_THROW(fletcher_beta(tight_constants(1, 1, 0.5), 0, 1, 1), UsageError);
  EXPECT_THROW(safe_step_lower_bound(tight_constants(1, 1, 0.5), 1, 1, 0.5, 1), UsageError);
  EXPECT_THROW(variance_bound({}), UsageError);
}

TEST(Variance, SampledFieldIsUnbiasedAndWithinTheBound) {
  // B_zeta is the covariance of r Gaussian rows, so sigma_B^2 = (tr(B)^2 + ||B||^2)/r exactly.
  const Index n = 6, p = 2, r = 4;
  const int samples = 4000;
  const double eps = 0.3, condition = 5, noise = 0.5;
  const Matrix<double> b = random_spd<double>(n, condition, 1), root = cholesky_factor(b);
  const Matrix<double> x = random_near_manifold<double>(b, p, eps, 2), a = random_symmetric<double>(n, 3);
  const Matrix<double> g = -a * x, y = b * x;
  const SingularTriplets outer = singular_triplets(g * x.transpose());
  for (const double omega : {0.0, 0.1, 3.0}) {
    VarianceInputs in{.sigma_g2 = noise * noise * static_cast<double>(n * p),
                      .sigma_b2 = (b.trace() * b.trace() + b.squaredNorm()) / static_cast<double>(r),
                      .p_b = 0,
                      .delta = std::pow(outer.values(0), 2),
                      .beta_1 = 1,
                      .beta_n = 1 / condition,
                      .eps = eps,
                      .omega = omega};
    StiefelField<double> field({});
    Matrix<double> exact(n, p), sampled(n, p), sum = Matrix<double>::Zero(n, p);
    field(x, g, y, y, omega, exact);
    double square = 0, fourth = 0, p_b = 0;
    for (int i = 0; i < samples; ++i) {
      const auto id = static_cast<std::uint64_t>(i);
      const auto draw = [&](std::uint64_t purpose) -> Matrix<double> {
        const Matrix<double> rows = gaussian<double>(r, n, {id, purpose}) * root;
        return rows.transpose() * rows / static_cast<double>(r);
      };
      const Matrix<double> b1 = draw(11), b2 = draw(12), y1 = b1 * x, y2 = b2 * x;
      const Matrix<double> noisy = g + noise * gaussian<double>(n, p, {id, 13});
      field(x, noisy, y1, y2, omega, sampled);
      sum += sampled - exact;
      const double e2 = (sampled - exact).squaredNorm();
      square += e2;
      fourth += e2 * e2;
      p_b += std::pow(eigenvalues(b1).maxCoeff(), 2);
    }
    in.p_b = p_b / samples;
    const double variance = square / samples;
    const double deviation = std::sqrt((fourth / samples - variance * variance) / samples);
    const VarianceBound bound = variance_bound(in);
    EXPECT_LE(variance + 5 * deviation, bound.total) << omega;
    EXPECT_LE((sum / samples).norm(), 5 * std::sqrt(variance / samples)) << omega;
    EXPECT_DOUBLE_EQ(bound.total, in.sigma_g2 * bound.alpha_g +
                                      in.sigma_b2 * (bound.alpha_b + omega * omega * bound.gamma_b));
    const double chi = (1 + eps) * condition;
    EXPECT_DOUBLE_EQ(bound.alpha_g, 8 * in.p_b * in.p_b * chi * chi);
    EXPECT_DOUBLE_EQ(bound.alpha_b, 8 * chi * in.delta * (in.p_b + 1));
    // Same Psi part as printed; the normal part differs by powers of (1+eps)/beta_n.
    const VarianceBound paper = variance_bound_paper(in);
    EXPECT_DOUBLE_EQ(paper.alpha_g, bound.alpha_g);
    EXPECT_DOUBLE_EQ(paper.alpha_b, bound.alpha_b);
    EXPECT_DOUBLE_EQ(paper.gamma_b, 8 * chi * (chi * in.sigma_b2 + eps * eps + chi * chi * chi));
  }
}

TEST(Variance, NormalPartAloneIsWithinItsBoundAtEveryScaleOfB) {
  // B = beta I, X'BX = I, one Gaussian row per draw: E||2VX(X'UX - I)||^2 = 4 beta n (n+1)(n+2) for p = n.
  for (const double n : {1.0, 8.0, 100.0})
    for (const double beta : {1e-3, 0.1, 1.0, 1e3}) {
      const VarianceBound bound =
          variance_bound({.sigma_b2 = beta * beta * n * (n + 1), .beta_1 = beta, .beta_n = beta, .omega = 1});
      EXPECT_LE(4 * beta * n * (n + 1) * (n + 2), bound.total) << n << ' ' << beta;
    }
}

}  // namespace landfall::test
