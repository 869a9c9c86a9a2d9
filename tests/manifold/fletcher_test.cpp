#include <landfall/manifold/constraints.hpp>
#include <landfall/manifold/fletcher.hpp>
#include <landfall/manifold/objective.hpp>

#include "support.hpp"

namespace landfall::test {

template <class S>
using FletcherTest = Typed<S>;
TYPED_TEST_SUITE(FletcherTest, Scalars);

namespace {

// f(X) = <X, AX>/2 + <D, X>.
template <class S>
Objective<S> quadratic(const Matrix<S>& a, const Matrix<S>& d) {
  return single_block<S>([a, d](const Matrix<S>& x, Matrix<S>* gradient) {
    const Matrix<S> ax = a * x;
    if (gradient) *gradient = ax + d;
    return x.cwiseProduct(ax / 2 + d).sum();
  });
}

template <class S>
Fletcher<S> evaluate(const Constraint<S>& c, const Objective<S>& f, const Matrix<S>& x, S beta) {
  Point<S> point{x}, gradient{x};
  const S value = f(point, &gradient);
  return fletcher_merit(c, value, gradient, point, beta);
}

// The smallest beta for which the theory promises descent at x: singular values of Dh(x) and the norm of D
// lambda(x), the latter by differences.
template <class S>
S sufficient_beta(const Constraint<S>& c, const Objective<S>& f, const Matrix<S>& x, S rho, S omega) {
  Matrix<S> adjoint(x.size(), c.size()), derivative(c.size(), x.size());
  Point<S> column;
  for (Index i = 0; i < c.size(); ++i) {
    c.adjoint({x}, Vector<S>::Unit(c.size(), i), column);
    adjoint.col(i) = column[0].reshaped();
  }
  const S t = std::cbrt(std::numeric_limits<S>::epsilon());
  for (Index i = 0; i < x.size(); ++i) {
    Matrix<S> ahead = x, behind = x;
    ahead.reshaped()(i) += t;
    behind.reshaped()(i) -= t;
    derivative.col(i) = (evaluate(c, f, ahead, S(0)).lambda - evaluate(c, f, behind, S(0)).lambda) / (2 * t);
  }
  const Vector<S> values = singular_values(adjoint.template cast<double>()).template cast<S>();
  const S largest = values(0), smallest = values(c.size() - 1), c_lambda = derivative.norm();
  return (rho / 4 + omega * c_lambda * largest / 2 + c_lambda * c_lambda / (4 * rho)) /
         (omega * smallest * smallest);
}

}  // namespace

TYPED_TEST(FletcherTest, LandingFieldAscendsTheMerit) {
  using S = TypeParam;
  const Index n = 8, p = 2;
  const Matrix<S> b = random_spd<S>(n, 4, 1);
  const auto op = std::make_shared<DenseOperator<S>>(b);
  const Matrix<S> a = random_symmetric<S>(n, 2), d = gaussian<S>(n, p, {3, 0});
  const S distance = S(0.3), rho_landing = 1 / (2 * (1 + distance));  // beta_1 = 1

  for (const S omega : {S(0.3), S(2)})
    for (const Direction direction : {Direction::euclidean, Direction::metric}) {
      const GeneralizedStiefelConstraint<S> c(op, p, direction);
      const S rho = direction == Direction::euclidean ? S(1) : rho_landing;
      for (std::uint64_t seed = 10; seed < 20; ++seed) {
        const S scale = seed < 15 ? S(1) : S(0.03);  // Psi rules where f is large, h where it is small
        const Objective<S> f = quadratic<S>(scale * a, scale * d);
        const Matrix<S> x = random_near_manifold<S>(b, p, static_cast<double>(distance), seed);
        const S beta = sufficient_beta<S>(c, f, x, rho, omega);
        Point<S> gradient{x}, psi, normal;
        f({x}, &gradient);
        const Fletcher<S> here = evaluate(c, f, x, beta);
        c.direction({x}, gradient, psi);
        c.normal({x}, here.h, normal);
        const Matrix<S> field = psi[0] + omega * normal[0];

        const S t = std::cbrt(std::numeric_limits<S>::epsilon()) / field.norm();
        const S ahead = evaluate<S>(c, f, x + t * field, beta).merit;
        const S behind = evaluate<S>(c, f, x - t * field, beta).merit;
        const S promised = rho / 2 * (psi[0].squaredNorm() + here.h.squaredNorm());
        EXPECT_GE((ahead - behind) / (2 * t), promised - rounding<S>(std::abs(here.merit) + beta, 10) / t)
            << "omega = " << omega << ", beta = " << beta << ", seed = " << seed;
      }
    }
}

TYPED_TEST(FletcherTest, OnTheManifoldTheMeritIsTheObjective) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(7, 4, 21), x = random_near_manifold<S>(b, 3, 0, 22);
  const Objective<S> f = quadratic<S>(random_symmetric<S>(7, 23), gaussian<S>(7, 3, {24, 0}));
  const GeneralizedStiefelConstraint<S> c(std::make_shared<DenseOperator<S>>(b), 3);
  const Fletcher<S> fletcher = evaluate(c, f, x, S(5));
  EXPECT_LE(fletcher.h.norm(), rounding<S>(1));
  EXPECT_NEAR(fletcher.merit, f({x}, nullptr), rounding<S>(fletcher.lambda.norm() + 1, 100));
}

TYPED_TEST(FletcherTest, OnTheSphereByHand) {
  using S = TypeParam;
  // f = <c, x> at x = (2, 0), c = (3, 4): h = 3, lambda = <x, c>/(2 ||x||^2) = 3/4, L = 6 - 9/4 + 9 beta.
  const Matrix<S> x{{2}, {0}}, gradient{{3}, {4}};
  const auto fletcher = fletcher_merit<S>(SphereConstraint<S>(2), 6, {gradient}, {x}, S(0.5));
  EXPECT_NEAR(fletcher.h(0), S(3), rounding<S>(3));
  EXPECT_NEAR(fletcher.lambda(0), S(0.75), rounding<S>(1));
  EXPECT_NEAR(fletcher.merit, S(8.25), rounding<S>(10));
}

}  // namespace landfall::test
