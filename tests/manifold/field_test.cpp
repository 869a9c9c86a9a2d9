#include <landfall/errors.hpp>
#include <landfall/manifold/constants.hpp>
#include <landfall/manifold/field.hpp>

#include <vector>

#include "support.hpp"

namespace landfall::test {

template <class S>
using FieldTest = Typed<S>;
TYPED_TEST_SUITE(FieldTest, Scalars);

namespace {

/// Eigenvectors of b, the leading k kept: a sketch of its inverse.
template <class S>
PreconditionerPtr<S> sketch_of(const Matrix<S>& b, Index k) {
  const EigenPairs eigen = eigen_pairs(b.template cast<double>());
  const Matrix<S> vectors = eigen.vectors.rightCols(k).template cast<S>();
  const Vector<S> values = eigen.values.tail(k).template cast<S>();
  const S tail = static_cast<S>(eigen.values(b.rows() - k - 1));
  return std::make_shared<SketchPreconditioner<S>>(vectors, values, tail, tail / 2);
}

/// Every direction, the preconditioned one with the identity, a diagonal, a sketch and the inverse of b.
template <class S>
std::vector<FieldOptions<S>> every_direction(const Matrix<S>& b) {
  const Index n = b.rows();
  const PreconditionerPtr<S> inverse = inverse_preconditioner<S>(b);
  std::vector<FieldOptions<S>> all{{Direction::metric, Normal::gradient, nullptr},
                                   {Direction::riemannian, Normal::gradient, inverse},
                                   {Direction::euclidean, Normal::gradient, nullptr}};
  const Vector<S> diagonal = b.diagonal().cwiseInverse();
  for (const PreconditionerPtr<S>& k : std::vector<PreconditionerPtr<S>>{
           std::make_shared<IdentityPreconditioner<S>>(n),
           std::make_shared<DiagonalPreconditioner<S>>(diagonal), sketch_of(b, n / 3), inverse})
    all.push_back({Direction::preconditioned, Normal::gradient, k});
  return all;
}

/// Lambda with both draws of B given as matrices.
template <class S>
Matrix<S> field_at(const FieldOptions<S>& options, In<S> x, In<S> g, In<S> y1, In<S> y2, S omega) {
  Matrix<S> lambda(x.rows(), x.cols());
  StiefelField<S> field(options);
  field(x, g, y1, y2, omega, lambda);
  return lambda;
}

template <class S>
S dot(const Matrix<S>& a, const Matrix<S>& b) {
  return a.cwiseProduct(b).sum();
}

}  // namespace

TYPED_TEST(FieldTest, DirectionIsOrthogonalToTheNormalTermOffTheManifold) {
  using S = TypeParam;
  for (const auto& [n, p] : std::vector<std::pair<Index, Index>>{{30, 4}, {12, 1}, {9, 9}}) {
    const Matrix<S> b = random_spd<S>(n, 50, 1);
    const Matrix<S> x = random_near_manifold<S>(b, p, 0.6, 2), g = gaussian<S>(n, p, {3, 0});
    const Matrix<S> y = b * x, gradient = normal_term<S>(Normal::gradient, x, y);
    ASSERT_GT(gradient.norm(), S(0.1));
    for (const auto& options : every_direction(b)) {
      const Matrix<S> psi = tangent_direction<S>(options, x, g, y);
      // Terms of the size of Psi cancel; solves with B lose its condition number, 50.
      EXPECT_LE(std::abs(dot(psi, gradient)), rounding<S>(psi.norm() * gradient.norm(), 2000))
          << to_string(options.direction) << ' ' << n << 'x' << p;
    }
  }
}

TYPED_TEST(FieldTest, VanishesExactlyAtCriticalPoints) {
  using S = TypeParam;
  const Index n = 20, p = 3;
  const Matrix<S> b = random_spd<S>(n, 10, 4), a = random_symmetric<S>(n, 5);
  const Matrix<double> vectors = pencil_eigenvectors(a.template cast<double>(), b.template cast<double>());
  const Matrix<S> rotation = random_orthogonal<S>(p, 6);
  const Matrix<S> critical = vectors.rightCols(p).template cast<S>() * rotation;
  const Matrix<S> middle = vectors.middleCols(7, p).template cast<S>() * rotation;
  const Matrix<S> feasible = random_near_manifold<S>(b, p, 0, 7);
  const Matrix<S> stretched = critical * S(1.05);
  const auto size = [&](FieldOptions<S> options, Normal normal, const Matrix<S>& x) {
    options.normal = normal;
    const Matrix<S> y = b * x, g = -a * x;
    return field_at<S>(options, x, g, y, y, 1).norm();
  };
  for (const auto& options : every_direction(b))
    for (const Normal normal : {Normal::gradient, Normal::newton}) {
      const S zero = rounding<S>(a.norm(), 500);
      EXPECT_LE(size(options, normal, critical), zero) << to_string(options.direction);
      EXPECT_LE(size(options, normal, middle), zero) << to_string(options.direction);
      EXPECT_GE(size(options, normal, feasible), S(0.01)) << to_string(options.direction);
      EXPECT_GE(size(options, normal, stretched), S(0.01)) << to_string(options.direction);
    }
}

TYPED_TEST(FieldTest, DirectionIsARelativeAscentDirection) {
  using S = TypeParam;
  for (const double condition : {1.0, 100.0, 1e4})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Index n = 15, p = 1 + static_cast<Index>(seed);
      const double eps = 0.05 + 0.09 * static_cast<double>(seed);
      const Matrix<S> b = random_spd<S>(n, condition, seed);
      const Matrix<S> x = random_near_manifold<S>(b, p, eps, seed + 100), g = gaussian<S>(n, p, {seed, 1});
      const Matrix<S> y = b * x;
      const StiefelConstants constants = tight_constants(1, 1 / condition, eps);
      const auto ratio = [&](Direction direction, const PreconditionerPtr<S>& k) {
        const Matrix<S> psi = tangent_direction<S>({direction, Normal::gradient, k}, x, g, y);
        return static_cast<double>(dot(psi, g)) / static_cast<double>(psi.squaredNorm());
      };
      const double slack = 1 - static_cast<double>(rounding<S>(static_cast<S>(condition)));
      EXPECT_GE(ratio(Direction::metric, nullptr), slack * constants.rho_metric);
      EXPECT_GE(ratio(Direction::riemannian, inverse_preconditioner<S>(b)), slack * constants.rho_riemannian);
      EXPECT_NEAR(ratio(Direction::euclidean, nullptr), 1,
                  static_cast<double>(rounding<S>(static_cast<S>(condition))));
    }
}

TYPED_TEST(FieldTest, ThePrintedRhoIsTooLargeByTwo) {
  // B = I and p = n on the manifold: ||Psi||^2 = 4||skew||^2 and <Psi, G> = 2||skew||^2, so the tight rho is
  // attained.
  using S = TypeParam;
  const Matrix<S> x = random_orthogonal<S>(2, 8), g = gaussian<S>(2, 2, {9, 0});
  const Matrix<S> psi = tangent_direction<S>({}, x, g, x);
  const double ratio = static_cast<double>(dot(psi, g) / psi.squaredNorm());
  EXPECT_NEAR(ratio, tight_constants(1, 1, 0).rho_metric, static_cast<double>(rounding<S>(1)));
  EXPECT_LT(ratio, 0.6 * paper_constants(1, 1, 0).rho_metric);
}

TYPED_TEST(FieldTest, PreconditionedContainsBothOfThePaper) {
  using S = TypeParam;
  const Index n = 25, p = 4;
  const Matrix<S> b = random_spd<S>(n, 20, 10), x = random_near_manifold<S>(b, p, 0.4, 11);
  const Matrix<S> g = gaussian<S>(n, p, {12, 0}), y = b * x;
  const auto psi = [&](Direction direction, PreconditionerPtr<S> k) {
    return tangent_direction<S>({direction, Normal::gradient, std::move(k)}, x, g, y);
  };
  const Matrix<S> metric = psi(Direction::metric, nullptr);
  const Matrix<S> riemannian = psi(Direction::riemannian, inverse_preconditioner<S>(b));
  EXPECT_LE((psi(Direction::preconditioned, std::make_shared<IdentityPreconditioner<S>>(n)) - metric).norm(),
            rounding<S>(metric.norm()));
  EXPECT_LE((psi(Direction::preconditioned, inverse_preconditioner<S>(b)) - riemannian).norm(),
            rounding<S>(riemannian.norm(), 1000));
}

TYPED_TEST(FieldTest, RotatesWithThePoint) {
  using S = TypeParam;
  const Index n = 25, p = 5;
  const Matrix<S> b = random_spd<S>(n, 20, 13), x = random_near_manifold<S>(b, p, 0.5, 14);
  const Matrix<S> g = gaussian<S>(n, p, {15, 0}), o = random_orthogonal<S>(p, 16);
  const Matrix<S> y = b * x, xo = x * o, go = g * o, yo = y * o;
  for (auto options : every_direction(b))
    for (const Normal normal : {Normal::gradient, Normal::newton}) {
      options.normal = normal;
      const Matrix<S> lambda = field_at<S>(options, x, g, y, y, 0.7);
      const Matrix<S> rotated = field_at<S>(options, xo, go, yo, yo, 0.7);
      EXPECT_LE((rotated - lambda * o).norm(), rounding<S>(lambda.norm(), 1000))
          << to_string(options.direction);
    }
}

TYPED_TEST(FieldTest, MergedProductsEqualTheFormulaOfThePaper) {
  using S = TypeParam;
  for (const auto& [n, p] : std::vector<std::pair<Index, Index>>{{24, 3}, {10, 1}, {8, 8}}) {
    const Matrix<S> b = random_spd<S>(n, 10, 17), x = random_near_manifold<S>(b, p, 0.5, 18);
    const Matrix<S> g = gaussian<S>(n, p, {19, 0}), y = b * x;
    const S omega = 0.3;
    const Matrix<S> identity = Matrix<S>::Identity(p, p);
    const Matrix<S> m = g * x.transpose() * b, h = x.transpose() * b * x - identity;
    const Matrix<S> psi = (m - m.transpose()) * b * x;  // 2 skew(G X'B) B X
    const Matrix<S> with_gradient = psi + omega * 2 * b * x * h, with_newton = psi + omega * 2 * x * h;
    EXPECT_LE((field_at<S>({}, x, g, y, y, omega) - with_gradient).norm(), rounding<S>(with_gradient.norm()));
    EXPECT_LE(
        (field_at<S>({Direction::metric, Normal::newton, nullptr}, x, g, y, y, omega) - with_newton).norm(),
        rounding<S>(with_newton.norm()));

    const Matrix<S> b_inverse = inverse(b.template cast<double>()).template cast<S>();
    const Matrix<S> mr = b_inverse * g * x.transpose();
    const Matrix<S> riemannian = (mr - mr.transpose()) * b * x + omega * 2 * b * x * h;
    EXPECT_LE((field_at<S>({Direction::riemannian, Normal::gradient, inverse_preconditioner<S>(b)}, x, g, y,
                           y, omega) -
               riemannian)
                  .norm(),
              rounding<S>(riemannian.norm(), 500));
  }
}

TYPED_TEST(FieldTest, TwoDrawsEqualTheFormulaOfThePaper) {
  using S = TypeParam;
  const Index n = 18, p = 3;
  const Matrix<S> b1 = random_spd<S>(n, 10, 20), b2 = random_spd<S>(n, 10, 21);
  const Matrix<S> x = random_near_manifold<S>(b1, p, 0.5, 22), g = gaussian<S>(n, p, {23, 0});
  const Matrix<S> y1 = b1 * x, y2 = b2 * x, identity = Matrix<S>::Identity(p, p);
  const S omega = 0.3;
  const Matrix<S> m = g * x.transpose() * b1;
  const Matrix<S> lambda =
      (m - m.transpose()) * b2 * x + omega * 2 * b2 * x * (x.transpose() * b1 * x - identity);
  EXPECT_LE((field_at<S>({}, x, g, y1, y2, omega) - lambda).norm(), rounding<S>(lambda.norm()));

  const Vector<S> k = gaussian<S>(n, 1, {24, 0}).cwiseAbs().array() + S(0.1);
  const Matrix<S> mk = k.asDiagonal() * m * k.asDiagonal();
  const Matrix<S> preconditioned =
      (mk - mk.transpose()) * b2 * x + omega * 2 * x * (x.transpose() * b1 * x - identity);
  const FieldOptions<S> options{Direction::preconditioned, Normal::newton,
                                std::make_shared<DiagonalPreconditioner<S>>(k)};
  EXPECT_LE((field_at<S>(options, x, g, y1, y2, omega) - preconditioned).norm(),
            rounding<S>(preconditioned.norm()));
}

TYPED_TEST(FieldTest, ReportsResidualAndNormalNorm) {
  using S = TypeParam;
  const Index n = 18, p = 3;
  const Matrix<S> b = random_spd<S>(n, 10, 25), other = random_spd<S>(n, 10, 26);
  const Matrix<S> x = random_near_manifold<S>(b, p, 0.5, 27), g = gaussian<S>(n, p, {28, 0});
  const Matrix<S> y = b * x, y2 = other * x, h = x.transpose() * y - Matrix<S>::Identity(p, p);
  Matrix<S> lambda(n, p);
  for (auto options : every_direction(b))
    for (const Normal normal : {Normal::gradient, Normal::newton}) {
      options.normal = normal;
      StiefelField<S> field(options);
      field(x, g, y, y, 0.4, lambda);
      const S expected = (2 * (normal == Normal::gradient ? y : x) * h).norm();
      EXPECT_LE((field.residual() - h).norm(), rounding<S>(1));
      EXPECT_NEAR(field.normal_norm(), expected, rounding<S>(expected));
    }
  StiefelField<S> field({});
  field(x, g, y, y2, 0.4, lambda);
  const S expected = (2 * y2 * h).norm();
  EXPECT_NEAR(field.normal_norm(), expected, rounding<S>(expected));
}

TYPED_TEST(FieldTest, ZeroIsNotNaN) {
  using S = TypeParam;
  const Index n = 8, p = 2;
  const Matrix<S> b = random_spd<S>(n, 10, 29), x = random_near_manifold<S>(b, p, 0.1, 30), y = b * x;
  const Matrix<S> zero = Matrix<S>::Zero(n, p);
  for (const auto& options : every_direction(b)) {
    EXPECT_EQ(tangent_direction<S>(options, x, zero, y).norm(), S(0)) << to_string(options.direction);
    // Where B X = 0 every direction is tangent: Psi_E is the gradient itself, the others vanish.
    const Matrix<S> expected = options.direction == Direction::euclidean ? y : zero;
    EXPECT_EQ(field_at<S>(options, zero, y, zero, zero, 1), expected) << to_string(options.direction);
  }
}

TYPED_TEST(FieldTest, MisuseIsNamed) {
  using S = TypeParam;
  EXPECT_THROW(StiefelField<S>({Direction::preconditioned, Normal::gradient, nullptr}), UsageError);
  EXPECT_THROW(StiefelField<S>({Direction::riemannian, Normal::gradient, nullptr}), UsageError);
  const Matrix<S> b = random_spd<S>(6, 5, 31), x = random_near_manifold<S>(b, 2, 0.1, 32), y = b * x, y2 = y;
  const Matrix<S> short_g = Matrix<S>::Zero(5, 2);
  for (const Direction direction : {Direction::euclidean, Direction::riemannian})
    EXPECT_THROW(field_at<S>({direction, Normal::gradient, inverse_preconditioner<S>(b)}, x, x, y, y2, 1),
                 UsageError);
  EXPECT_THROW(field_at<S>({}, x, short_g, y, y, 1), UsageError);
}

TEST(FieldNames, RoundTrip) {
  for (const Direction direction :
       {Direction::metric, Direction::riemannian, Direction::euclidean, Direction::preconditioned})
    EXPECT_EQ(parse_direction(to_string(direction)), direction);
  for (const Normal normal : {Normal::gradient, Normal::newton})
    EXPECT_EQ(parse_normal(to_string(normal)), normal);
  try {
    parse_direction("uphill");
    FAIL() << "accepted an unknown direction";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string_view(error.what()).find("metric, riemannian, euclidean, preconditioned"),
              std::string_view::npos);
  }
  EXPECT_THROW(parse_normal(""), UsageError);
}

}  // namespace landfall::test
