#include <landfall/errors.hpp>
#include <landfall/manifold/retraction.hpp>

#include <vector>

#include "support.hpp"

namespace landfall::test {

template <class S>
using RetractionTest = Typed<S>;
TYPED_TEST_SUITE(RetractionTest, Scalars);

namespace {

constexpr Retraction every_retraction[] = {Retraction::polar, Retraction::svd, Retraction::cholesky};

template <class S>
S infeasibility_of(const Matrix<S>& b, const Matrix<S>& x) {
  const Matrix<double> xd = x.template cast<double>();
  return static_cast<S>(
      (xd.transpose() * b.template cast<double>() * xd - Matrix<double>::Identity(x.cols(), x.cols()))
          .norm());
}

/// A random tangent vector at x with tr(V'BV) = 1, or 0 where the tangent space is trivial.
template <class S>
Matrix<S> unit_tangent(const Matrix<S>& b, const Matrix<S>& x, std::uint64_t seed) {
  const Matrix<S> y = b * x;
  const Matrix<S> v = project_tangent<S>(x, y, random_near_manifold<S>(b, x.cols(), 0, seed));
  const S length = std::sqrt((v.transpose() * b * v).trace());
  return length > S(1e-3) ? Matrix<S>(v / length) : Matrix<S>::Zero(x.rows(), x.cols());
}

const std::vector<std::pair<Index, Index>> shapes{{20, 4}, {20, 1}, {7, 7}, {1, 1}};

}  // namespace

TYPED_TEST(RetractionTest, LandsOnTheManifold) {
  using S = TypeParam;
  // ||X|| ||BX|| eps = sqrt(condition) eps is what X'BX itself is rounded by; the eigenvectors of U'BU in the
  // svd type cost the whole condition number.
  for (const double condition : {10.0, std::is_same_v<S, double> ? 1e6 : 1e3})
    for (const auto& [n, p] : shapes) {
      const Matrix<S> b = random_spd<S>(n, condition, 1), x = random_near_manifold<S>(b, p, 0, 2);
      const DenseOperator<S> op(b);
      const Matrix<S> v = unit_tangent(b, x, 3);
      for (const S step : {S(0), S(0.1), S(1), S(30)})
        for (const Retraction kind : every_retraction)
          EXPECT_LE(infeasibility_of(b, retract<S>(kind, op, x, step * v)),
                    rounding<S>(static_cast<S>(condition), 10))
              << static_cast<int>(kind) << ' ' << n << 'x' << p << " step " << step;
    }
}

TYPED_TEST(RetractionTest, LandsFromOffTheManifoldToo) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(15, 10, 4), x = gaussian<S>(15, 5, {5, 0}),
                  v = gaussian<S>(15, 5, {6, 0});
  const DenseOperator<S> op(b);
  for (const Retraction kind : every_retraction)
    EXPECT_LE(infeasibility_of(b, retract<S>(kind, op, x, v)), rounding<S>(10));
}

TEST(Retraction, AgreesWithTheStepToFirstOrder) {
  const auto b_norm = [](const Matrix<double>& b, const Matrix<double>& e) {
    return std::sqrt((e.transpose() * b * e).trace());
  };
  for (const auto& [n, p] : shapes) {
    if (n == 1) continue;  // the tangent space is {0}
    for (const double condition : {10.0, 1e6})
      for (const Retraction kind : every_retraction) {
        // The second-order term of the svd type grows with the condition number, so that no t is small enough
        // here.
        if (kind == Retraction::svd && condition > 10) continue;
        const Matrix<double> b = random_spd<double>(n, condition, 7),
                             x = random_near_manifold<double>(b, p, 0, 8);
        const DenseOperator<double> op(b);
        const Matrix<double> v = unit_tangent(b, x, 9);
        const auto error = [&](double t) {
          return b_norm(b, retract<double>(kind, op, x, t * v) - (x + t * v));
        };
        const double coarse = error(2e-3), fine = error(1e-3);
        EXPECT_GT(fine, 1e-8);
        EXPECT_NEAR(coarse / fine, 4, 0.1)
            << static_cast<int>(kind) << ' ' << n << 'x' << p << ' ' << condition;
      }
  }
}

TYPED_TEST(RetractionTest, PolarIsTheSymmetricOne) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(15, 10, 10), x = random_near_manifold<S>(b, 4, 0, 11);
  const DenseOperator<S> op(b);
  const Matrix<S> v = unit_tangent(b, x, 12);
  const Matrix<S> polar = retract_polar<S>(op, x, v), w = x + v;
  const Matrix<S> factor = polar.transpose() * b * w;  // (W'BW)^1/2: symmetric positive definite
  EXPECT_LE((factor - factor.transpose()).norm(), rounding<S>(factor.norm()));
  EXPECT_GT(eigenvalues(factor.template cast<double>()).minCoeff(), 0.5);
  const Matrix<S> cholesky = retract_cholesky<S>(op, x, v), r = cholesky.transpose() * b * w;
  EXPECT_LE(Matrix<S>(r.template triangularView<Eigen::StrictlyLower>()).norm(), rounding<S>(r.norm()));
  EXPECT_GT(r.diagonal().minCoeff(), S(0));
}

TYPED_TEST(RetractionTest, OrthonormalizeSurvivesNearlyDependentColumns) {
  using S = TypeParam;
  // cond(W) = eps^-2/5 leaves W'BW positive definite but makes one pass inaccurate; with eps^-3/4 it is
  // singular to working precision, and only a shift can save it.
  const Index n = 40, p = 6;
  const Matrix<S> b = random_spd<S>(n, 10, 13), basis = gaussian<S>(n, p, {14, 0});
  for (const double power : {0.4, 0.75}) {
    const S small = std::pow(std::numeric_limits<S>::epsilon(), static_cast<S>(power));
    Matrix<S> w = basis;
    for (Index j = 1; j < p; ++j) w.col(j) = basis.col(0) + small * basis.col(j);
    const Matrix<S> q = orthonormalize<S>(DenseOperator<S>(b), w);
    EXPECT_LE(infeasibility_of(b, q), rounding<S>(10));
    // Same span: what is left of w outside it is a rounding error.
    const Matrix<S> left = w - q * (q.transpose() * b * w);
    EXPECT_LE(left.norm(), rounding<S>(w.norm()));
  }
}

TYPED_TEST(RetractionTest, OrthonormalizeIgnoresScale) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(12, 10, 15);
  Matrix<S> w = gaussian<S>(12, 3, {16, 0});
  const Matrix<S> q = orthonormalize<S>(DenseOperator<S>(b), w);
  w.col(0) *= std::numeric_limits<S>::max() / 100;
  w.col(2) *= std::numeric_limits<S>::min() * 100;
  EXPECT_LE((orthonormalize<S>(DenseOperator<S>(b), w) - q).norm(), rounding<S>(q.norm(), 500));
}

TYPED_TEST(RetractionTest, DependentColumnsAreNamed) {
  using S = TypeParam;
  const Index n = 20;
  const Matrix<S> b = random_spd<S>(n, 10, 17);
  const DenseOperator<S> op(b);
  Matrix<S> twice = gaussian<S>(n, 3, {18, 0});
  twice.col(2) = twice.col(0);
  Matrix<S> with_zero = twice;
  with_zero.col(1).setZero();
  const Matrix<S> low_rank = gaussian<S>(n, 2, {19, 0}) * gaussian<S>(2, 5, {20, 0});
  for (const Matrix<S>& w : {twice, with_zero, low_rank}) {
    const Matrix<S> zero = Matrix<S>::Zero(n, w.cols());
    EXPECT_THROW(orthonormalize<S>(op, w), NumericalError);
    for (const Retraction kind : every_retraction)
      EXPECT_THROW(retract<S>(kind, op, zero, w), NumericalError);
  }
  const Matrix<S> wide = Matrix<S>::Zero(n, n + 1);
  EXPECT_THROW(orthonormalize<S>(op, wide), UsageError);
}

TYPED_TEST(RetractionTest, ProjectionIsTangentAndIdempotent) {
  using S = TypeParam;
  for (const double distance : {0.0, 0.6})
    for (const auto& [n, p] : shapes) {
      const Matrix<S> b = random_spd<S>(n, 10, 21), x = random_near_manifold<S>(b, p, distance, 22);
      const Matrix<S> y = b * x, v = gaussian<S>(n, p, {23, 0}), u = gaussian<S>(n, p, {24, 0});
      const Matrix<S> pv = project_tangent<S>(x, y, v), pu = project_tangent<S>(x, y, u);
      EXPECT_LE(tangency<S>(y, pv), rounding<S>(v.norm()));
      EXPECT_GT(tangency<S>(y, v), S(0.01));
      EXPECT_LE((project_tangent<S>(x, y, pv) - pv).norm(), rounding<S>(v.norm(), 100));
      // Orthogonal in the metric tr(P^-1 U'BV): <V - pv, pu> = 0.
      const Matrix<S> metric = inverse((x.transpose() * y).template cast<double>()).template cast<S>();
      const Matrix<S> normal = v - pv;
      const S product = (metric * normal.transpose() * b * pu).trace();
      EXPECT_LE(std::abs(product), rounding<S>(v.norm() * u.norm(), 200));
    }
}

}  // namespace landfall::test
