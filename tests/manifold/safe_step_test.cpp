#include <landfall/errors.hpp>
#include <landfall/manifold/constants.hpp>
#include <landfall/manifold/field.hpp>
#include <landfall/manifold/safe_step.hpp>

#include "support.hpp"

namespace landfall::test {

template <class S>
using SafeStepTest = Typed<S>;
TYPED_TEST_SUITE(SafeStepTest, Scalars);

namespace {

double at(const std::array<double, 5>& c, double t) {
  return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])));
}

/// ||X'BX - I||_F in double, whatever X was computed in.
template <class S>
double infeasibility(const Matrix<S>& b, const Matrix<S>& x) {
  const Matrix<double> xd = x.template cast<double>();
  return (xd.transpose() * b.template cast<double>() * xd - Matrix<double>::Identity(x.cols(), x.cols()))
      .norm();
}

/// One random problem: sizes, spectrum, distance, gradient, field.
template <class S>
struct Case {
  double eps, omega, condition;
  Matrix<S> b, x, y, lambda, z, h;
  double field_norm, normal_norm;

  Case(std::uint64_t seed, double most_condition, Direction direction, Normal normal) {
    const Stream stream{seed, 0xca5e};
    const Index n = 1 + static_cast<Index>(10 * uniform(stream, 0));
    const Index p = 1 + static_cast<Index>(static_cast<double>(n) * uniform(stream, 1));
    eps = 0.01 + 0.9 * uniform(stream, 2);
    omega = std::pow(10, 4 * uniform(stream, 3) - 2);
    condition = std::pow(most_condition, uniform(stream, 4));
    b = random_spd<S>(n, condition, seed);
    x = random_near_manifold<S>(b, p, eps * 0.999 * uniform(stream, 5), seed + 1);
    y = b * x;
    const S size = static_cast<S>(std::pow(10, 6 * uniform(stream, 6) - 3));
    const Matrix<S> g = size * gaussian<S>(n, p, {seed, 0x96ad});
    const PreconditionerPtr<S> inverse =
        direction == Direction::riemannian ? inverse_preconditioner<S>(b) : PreconditionerPtr<S>{};
    StiefelField<S> field({direction, normal, inverse});
    lambda.resize(n, p);
    field(x, g, y, y, static_cast<S>(omega), lambda);
    z = b * lambda;
    h = field.residual();
    field_norm = static_cast<double>(lambda.norm());
    normal_norm = static_cast<double>(field.normal_norm());
  }

  double beta_n() const { return x.rows() == 1 ? 1 : 1 / condition; }

  /// ||h(X - eta Lambda)||, the step taken in double from the stored numbers.
  double after(double eta) const {
    const Matrix<double> moved = x.template cast<double>() - eta * lambda.template cast<double>();
    return infeasibility<double>(b.template cast<double>(), moved);
  }

  /// How far ||h(X - eta Lambda)|| may be off from rounding: H, S1 and S2 are products through B, whose norm is
  /// 1, and small eigenvalues of B leave room for large X and Lambda.
  double slack_after(double eta) const {
    const double size = static_cast<double>(x.norm()) + eta * static_cast<double>(lambda.norm());
    return static_cast<double>(rounding<S>(1, 2)) * std::sqrt(static_cast<double>(x.rows())) * size * size;
  }
};

/// The same for well-conditioned B, in terms of the condition alone.
template <class S>
double slack(double condition) {
  return static_cast<double>(rounding<S>(static_cast<S>(std::sqrt(condition)), 200));
}

}  // namespace

TYPED_TEST(SafeStepTest, QuarticIsWhatHappensAlongTheRay) {
  using S = TypeParam;
  RayWorkspace<S> work;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto direction = static_cast<Direction>(seed % 3);
    const auto normal = static_cast<Normal>(seed % 2);
    const Case<S> c(seed, 100, direction, normal);
    const RayPolynomial ray = ray_polynomial<S>(c.h, c.y, c.lambda, c.z, work);
    const double unit = 1 / std::sqrt(static_cast<double>(work.s2.norm()) + 1e-30);  // eta^2 S2 of size 1
    for (const double t : {0.0, 0.1, 0.7, 2.0}) {
      const double direct = c.after(t * unit);
      EXPECT_NEAR(at(ray.infeasibility, t * unit), direct * direct, slack<S>(100) * (1 + direct * direct))
          << seed;
    }
  }
}

TYPED_TEST(SafeStepTest, QuarticStepNeverLeavesTheSafeRegion) {
  using S = TypeParam;
  const bool wide = std::is_same_v<S, double>;
  const std::uint64_t cases = wide ? 10000 : 1000;
  RayWorkspace<S> work;
  int finite = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const Case<S> c(seed, wide ? 1e6 : 1e3, static_cast<Direction>(seed % 2),
                    static_cast<Normal>(seed / 2 % 2));
    const RayPolynomial ray = ray_polynomial<S>(c.h, c.y, c.lambda, c.z, work);
    const double eta = safe_step(ray, c.eps);
    ASSERT_GE(eta, 0) << seed;
    if (!std::isfinite(eta)) continue;
    ++finite;
    ASSERT_LE(at(ray.infeasibility, eta), c.eps * c.eps * (1 + 1e-12)) << seed;
    for (const double part : {0.25, 0.6, 0.9, 1.0})
      ASSERT_LE(c.after(part * eta), c.eps + c.slack_after(part * eta)) << seed;
    // It is the boundary, not merely inside it.
    ASSERT_GE(c.after(1.0001 * eta), c.eps - c.slack_after(eta)) << seed;
  }
  EXPECT_GT(finite, static_cast<int>(cases * 9 / 10));
}

TYPED_TEST(SafeStepTest, LemmaStepNeverLeavesTheSafeRegion) {
  using S = TypeParam;
  const bool wide = std::is_same_v<S, double>;
  const std::uint64_t cases = wide ? 10000 : 1000;
  RayWorkspace<S> work;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const Case<S> c(seed, wide ? 1e6 : 1e3, static_cast<Direction>(seed % 2), Normal::gradient);
    const StiefelConstants constants = tight_constants(1, c.beta_n(), c.eps);
    const double d = static_cast<double>(c.h.norm());
    const double eta = safe_step_lemma(d, c.field_norm, c.normal_norm, c.omega, c.eps, constants.l_n);
    ASSERT_GE(eta, 0) << seed;
    if (c.field_norm == 0) continue;
    for (const double part : {0.25, 0.6, 1.0})
      ASSERT_LE(c.after(part * eta), c.eps + c.slack_after(part * eta)) << seed;
    // The quartic sees the whole truth, so it allows at least as much.
    const RayPolynomial ray = ray_polynomial<S>(c.h, c.y, c.lambda, c.z, work);
    ASSERT_GE(safe_step(ray, c.eps), eta * (1 - 1e-3)) << seed;
    // The paper's L_N is larger, its step shorter; and its lower bound holds with ||Psi|| <= ||Lambda||.
    const double paper = safe_step_lemma(d, c.field_norm, c.normal_norm, c.omega, c.eps,
                                         paper_constants(1, c.beta_n(), c.eps).l_n);
    ASSERT_LE(paper, eta * (1 + 1e-12)) << seed;
    ASSERT_LE(safe_step_lower_bound(constants, c.field_norm, c.omega, c.eps), eta * (1 + 1e-5)) << seed;
  }
}

TEST(SafeStepLemma, EdgesAreDefined) {
  EXPECT_EQ(safe_step_lemma(0.1, 0, 0, 1, 0.5, 4), std::numeric_limits<double>::infinity());
  // On the boundary: 2 omega m^2/(L g^2). Outside it: the centre of the parabola when it never comes back.
  EXPECT_DOUBLE_EQ(safe_step_lemma(0.5, 2, 1, 1, 0.5, 4), 2.0 / 16);
  EXPECT_DOUBLE_EQ(safe_step_lemma(5, 2, 1, 1, 0.5, 4), 1.0 / 16);
  for (const double scale : {1e-150, 1e150}) {
    const double eta = safe_step_lemma(0.3, scale, 0, 1, 0.5, 4);
    EXPECT_NEAR(eta * scale, 0.2, 1e-12);
  }
}

TEST(SafeStepQuartic, RandomQuarticsAtAnyScale) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Stream stream{seed, 0x9a47};
    const Index p = 1 + static_cast<Index>(4 * uniform(stream, 0));
    const double eps = std::pow(10, -8 * uniform(stream, 1));
    Matrix<double> h = random_symmetric<double>(p, 3 * seed), s1 = random_symmetric<double>(p, 3 * seed + 1),
                   s2 = random_symmetric<double>(p, 3 * seed + 2);
    h *= eps * uniform(stream, 2) / h.norm();
    s1 *= std::pow(10, 60 * uniform(stream, 3) - 30);
    s2 *= std::pow(10, 60 * uniform(stream, 4) - 30);
    const RayPolynomial ray = ray_polynomial<double>(h, s1, s2);
    const double eta = safe_step(ray, eps), bound = eps * eps;
    ASSERT_TRUE(std::isfinite(eta) && eta > 0) << seed;
    for (int i = 0; i <= 200; ++i)
      ASSERT_LE(at(ray.infeasibility, eta * i / 200), bound * (1 + 1e-12)) << seed;
    ASSERT_GE(at(ray.infeasibility, eta), bound * (1 - 1e-9)) << seed;
    ASSERT_GT(at(ray.infeasibility, eta * (1 + 1e-4)), bound * (1 - 1e-9)) << seed;
  }
}

TEST(SafeStepQuartic, EdgesAreDefined) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(safe_step({.infeasibility = {0.01, 0, 0, 0, 0}}, 0.5), inf);  // the field is zero
  EXPECT_EQ(safe_step({.infeasibility = {0.25, 1, 1, 0, 0}}, 0.5), 0);    // on the boundary, leaving
  EXPECT_NEAR(safe_step({.infeasibility = {0.25, -1, 1, 0, 0}}, 0.5), 1,
              1e-15);  // on the boundary, through the region
  EXPECT_NEAR(safe_step({.infeasibility = {4, -4, 2, 0, 0}}, 0.5), 1,
              1e-12);  // outside: the least infeasibility
  EXPECT_EQ(safe_step({.infeasibility = {4, 4, 2, 0, 0}}, 0.5), 0);
  EXPECT_EQ(safe_step({.infeasibility = {0, 0, 0, 0, inf}}, 0.5), 0);
  EXPECT_EQ(safe_step({.infeasibility = {std::nan(""), 0, 0, 0, 1}}, 0.5), 0);
  for (const double scale : {1e-140, 1e-30, 1.0, 1e30, 1e140})  // H = S1 = 0: eta = sqrt(eps/||S2||)
    EXPECT_NEAR(safe_step({.infeasibility = {0, 0, 0, 0, scale * scale}}, 0.25) * std::sqrt(scale), 0.5,
                1e-14);
}

TYPED_TEST(SafeStepTest, BlocksAddUp) {
  using S = TypeParam;
  RayWorkspace<S> work;
  const Case<S> one(1, 10, Direction::metric, Normal::gradient),
      two(2, 10, Direction::metric, Normal::newton);
  RayPolynomial both = ray_polynomial<S>(one.h, one.y, one.lambda, one.z, work);
  both.objective = {1, 2, 3};
  both.has_objective = true;
  both += ray_polynomial<S>(two.h, two.y, two.lambda, two.z, work);
  EXPECT_TRUE(both.has_objective);
  EXPECT_EQ(both.objective[2], 3);
  for (const double eta : {0.0, 0.01, 0.1}) {
    const double a = one.after(eta), b = two.after(eta);
    EXPECT_NEAR(at(both.infeasibility, eta), a * a + b * b, slack<S>(10) * (1 + a * a + b * b));
  }
}

TEST(BestStep, BeatsEveryOtherStep) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Stream stream{seed, 0xbe57};
    const Index p = 1 + static_cast<Index>(3 * uniform(stream, 0));
    const double scale = std::pow(10, 20 * uniform(stream, 1) - 10);  // of Lambda
    const Matrix<double> h = random_symmetric<double>(p, 3 * seed);
    const Matrix<double> s1 = scale * random_symmetric<double>(p, 3 * seed + 1);
    const Matrix<double> s2 = scale * scale * random_symmetric<double>(p, 3 * seed + 2);
    RayPolynomial ray = ray_polynomial<double>(h, s1, s2);
    ray.has_objective = seed % 4 != 0;
    ray.objective = {uniform(stream, 2), scale * (uniform(stream, 3) - 0.8) * 10,
                     scale * scale * (uniform(stream, 4) - 0.5)};
    const double mu = std::pow(10, 4 * uniform(stream, 5) - 2);
    const auto merit = [&](double eta) {
      const double f = ray.objective[0] + eta * (ray.objective[1] + eta * ray.objective[2]);
      return mu * at(ray.infeasibility, eta) + (ray.has_objective ? f : 0);
    };
    const double eta = best_step(ray, mu);
    ASSERT_TRUE(std::isfinite(eta) && eta >= 0);
    const double least = merit(eta), tolerance = 1e-12 * (1 + std::abs(merit(0)) + std::abs(least));
    for (int i = 0; i <= 1000; ++i) {
      ASSERT_LE(least, merit(i * 0.02 / scale) + tolerance) << seed;
      ASSERT_LE(least, merit(std::pow(10, 0.02 * i - 10) / scale) + tolerance) << seed;
    }
  }
}

TEST(BestStep, EdgesAreDefined) {
  EXPECT_EQ(best_step({}, 1), 0);
  EXPECT_EQ(best_step({.objective = {0, -1, 0}, .has_objective = true}, 1), 0);  // falls without end
  EXPECT_EQ(best_step({.objective = {0, -1, -1}, .has_objective = true}, 1), 0);
  EXPECT_EQ(best_step({.objective = {7, 1, 1}, .has_objective = true}, 1), 0);  // uphill
  EXPECT_NEAR(best_step({.objective = {1e9, -2, 1}, .has_objective = true}, 1), 1, 1e-15);
  EXPECT_EQ(best_step({.objective = {7, -1, 1}}, 1), 0);  // an objective that is not there
}

TYPED_TEST(SafeStepTest, TrustRegionBringsTheMoveToItsEdge) {
  using S = TypeParam;
  const Index n = 30, p = 4;
  const Matrix<S> b = random_spd<S>(n, 50, 40), move = gaussian<S>(n, p, {41, 0});
  const PreconditionerPtr<S> k = inverse_preconditioner<S>(b);
  Matrix<S> work;
  const double length = std::sqrt(static_cast<double>((move.transpose() * b * move).trace()));  // K^-1 = B
  const double radius = 0.3 * std::sqrt(static_cast<double>(p));
  ASSERT_GT(length, radius);
  const S factor = trust_scale<S>(k.get(), move, 0.3, work);
  EXPECT_NEAR(static_cast<double>(factor) * length, radius, static_cast<double>(rounding<S>(1)));
  const Matrix<S> little = static_cast<S>(0.5 * radius / length) * move;
  EXPECT_EQ(trust_scale<S>(k.get(), little, 0.3, work), S(1));
  EXPECT_NEAR(trust_scale<S>(nullptr, move, 0.3, work), static_cast<S>(radius) / move.norm(), rounding<S>(1));
  const Matrix<S> zero = Matrix<S>::Zero(n, p), huge = std::sqrt(std::numeric_limits<S>::max()) * move;
  EXPECT_EQ(trust_scale<S>(k.get(), zero, 0.3, work), S(1));
  EXPECT_EQ(trust_scale<S>(nullptr, zero, 0.3, work), S(1));
  EXPECT_GT(trust_scale<S>(nullptr, huge, 0.3, work), S(0));
}

TYPED_TEST(SafeStepTest, MisuseIsNamed) {
  using S = TypeParam;
  const Matrix<S> two = Matrix<S>::Zero(2, 2), three = Matrix<S>::Zero(3, 3);
  EXPECT_THROW(ray_polynomial<S>(two, three, two), UsageError);
}

}  // namespace landfall::test
