#include <landfall/errors.hpp>
#include <landfall/manifold/check.hpp>
#include <landfall/manifold/constraints.hpp>

#include <string>

#include "support.hpp"

namespace landfall::test {

template <class S>
using ConstraintTest = Typed<S>;
TYPED_TEST_SUITE(ConstraintTest, Scalars);

namespace {

// A user's own constraint, with two equations: the ellipsoid x'Ax = 1 cut by the plane <c, x> = 0.
template <class S>
class Slice final : public Constraint<S> {
 public:
  Slice(Matrix<S> a, Matrix<S> c) : Constraint<S>({{a.rows(), 1}}, 2), a_(std::move(a)), c_(std::move(c)) {}

 protected:
  void value_impl(const Point<S>& x, Vector<S>& h) const override {
    h << x[0].cwiseProduct(a_ * x[0]).sum() - 1, x[0].cwiseProduct(c_).sum();
  }
  void adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const override {
    out[0] = 2 * lambda(0) * (a_ * x[0]) + lambda(1) * c_;
  }

 private:
  Matrix<S> a_, c_;
};

// The same h and adjoint, but the multiplier and the direction of the base class.
template <class S>
FunctionConstraint<S> with_defaults(ConstraintPtr<S> c) {
  return FunctionConstraint<S>(
      c->shapes(), c->size(), [c](const Point<S>& x, Vector<S>& h) { c->value(x, h); },
      [c](const Point<S>& x, const Vector<S>& lambda, Point<S>& out) { c->adjoint(x, lambda, out); });
}

template <class S>
Point<S> random_point(const std::vector<Shape>& shapes, std::uint64_t seed) {
  Point<S> x;
  for (const Shape& shape : shapes) x.push_back(gaussian<S>(shape.rows, shape.cols, {seed, x.size()}));
  return x;
}

template <class S>
Point<S> combine(const Point<S>& x, S t, const Point<S>& v) {
  Point<S> sum = x;
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] += t * v[i];
  return sum;
}

template <class S>
struct ConstraintCase {
  std::string name;
  ConstraintPtr<S> constraint;
  Point<S> x;  // off the manifold, within ||h|| <= 0.4
  S rho;       // <Psi, grad f> >= rho ||Psi||^2
};

constexpr double epsilon_region = 0.4;

template <class S>
std::vector<ConstraintCase<S>> cases() {
  const Index n = 9;
  const Matrix<S> b = random_spd<S>(n, 10, 1), one = Matrix<S>::Identity(n, n);  // beta_1 = 1
  const auto op = std::make_shared<DenseOperator<S>>(b);
  const S rho_b = static_cast<S>(1 / (2 * (1 + epsilon_region)));
  const auto near = [&](const Matrix<S>& metric, Index p, std::uint64_t seed) {
    return random_near_manifold<S>(metric, p, 0.3, seed);
  };

  std::vector<ConstraintCase<S>> all;
  all.push_back({"sphere", std::make_shared<SphereConstraint<S>>(n), {near(one, 1, 11)}, 1});
  all.push_back({"sphere of matrices",
                 std::make_shared<SphereConstraint<S>>(3, 3),
                 {near(one, 1, 12).reshaped(3, 3)},
                 1});
  all.push_back({"oblique", std::make_shared<ObliqueConstraint<S>>(n, 4), {near(one, 4, 13)}, 1});
  for (const Index p : {Index(1), Index(3), n}) {
    const std::string size = " p = " + std::to_string(p);
    all.push_back({"Stiefel" + size, std::make_shared<StiefelConstraint<S>>(n, p), {near(one, p, 14)}, 1});
    all.push_back({"generalized Stiefel" + size,
                   std::make_shared<GeneralizedStiefelConstraint<S>>(op, p),
                   {near(b, p, 15)},
                   1});
    all.push_back({"generalized Stiefel, landing direction," + size,
                   std::make_shared<GeneralizedStiefelConstraint<S>>(op, p, Direction::metric),
                   {near(b, p, 16)},
                   rho_b});
  }
  all.push_back({"slice of an ellipsoid",
                 std::make_shared<Slice<S>>(b, gaussian<S>(n, 1, {17, 0})),
                 {near(b, 1, 18)},
                 1});
  all.push_back({"product",
                 std::make_shared<ProductConstraint<S>>(std::vector<ConstraintPtr<S>>{
                     all[0].constraint, all[6].constraint, all.back().constraint}),
                 {all[0].x[0], all[6].x[0], all.back().x[0]},
                 1});
  return all;
}

}  // namespace

TYPED_TEST(ConstraintTest, AdjointIsThatOfTheDifferential) {
  using S = TypeParam;
  for (const auto& [name, c, x, rho] : cases<S>()) {
    SCOPED_TRACE(name);
    const Point<S> v = random_point<S>(c->shapes(), 21);
    const Vector<S> lambda = gaussian<S>(c->size(), 1, {22, 0});
    // h is quadratic, so that (h(x + v) - h(x - v))/2 is Dh(x)[v] without truncation.
    Vector<S> ahead, behind;
    c->value(combine(x, S(1), v), ahead);
    c->value(combine(x, S(-1), v), behind);
    Point<S> adjoint;
    c->adjoint(x, lambda, adjoint);
    EXPECT_NEAR((ahead - behind).dot(lambda) / 2, inner(adjoint, v),
                rounding<S>(ahead.norm() * lambda.norm()));
    EXPECT_LE(check_adjoint(*c, x, 23), 100 * std::pow(std::numeric_limits<S>::epsilon(), S(2) / 3));
  }
}

TYPED_TEST(ConstraintTest, NormalIsTheGradientOfTheSquaredDistance) {
  using S = TypeParam;
  for (const auto& [name, c, x, rho] : cases<S>()) {
    SCOPED_TRACE(name);
    const Objective<S> squared = [&c = c](const Point<S>& point, Point<S>* gradient) {
      Vector<S> h;
      c->value(point, h);
      if (gradient) c->normal(point, h, *gradient);
      return h.squaredNorm() / 2;
    };
    EXPECT_LE(check_gradient(squared, x, 24), 1000 * std::pow(std::numeric_limits<S>::epsilon(), S(2) / 3));
  }
}

TYPED_TEST(ConstraintTest, OwnMultiplierIsTheLeastSquaresOne) {
  using S = TypeParam;
  for (const auto& [name, c, x, rho] : cases<S>()) {
    SCOPED_TRACE(name);
    const Point<S> gradient = random_point<S>(c->shapes(), 31);
    Vector<S> own, expected;
    c->multiplier(x, gradient, own);
    with_defaults<S>(c).multiplier(x, gradient, expected);
    EXPECT_LE((own - expected).norm(), rounding<S>(expected.norm(), 500));
    if (rho != 1) continue;
    Point<S> psi, riemannian;
    c->direction(x, gradient, psi);
    with_defaults<S>(c).direction(x, gradient, riemannian);
    EXPECT_LE(norm(combine(psi, S(-1), riemannian)), rounding<S>(norm(gradient), 500));
  }
}

TYPED_TEST(ConstraintTest, DirectionIsARelativeAscentDirection) {
  using S = TypeParam;
  for (const auto& [name, c, x, rho] : cases<S>()) {
    SCOPED_TRACE(name);
    Vector<S> h;
    c->value(x, h);
    ASSERT_GT(h.norm(), S(0.1));
    const Point<S> gradient = random_point<S>(c->shapes(), 41);
    Point<S> psi, normal;
    c->direction(x, gradient, psi);
    for (std::uint64_t seed = 42; seed < 47; ++seed) {
      c->adjoint(x, gaussian<S>(c->size(), 1, {seed, 0}), normal);
      EXPECT_LE(std::abs(inner(psi, normal)), rounding<S>(norm(gradient) * norm(normal), 200));
    }
    const S squared = norm(psi) * norm(psi);
    EXPECT_GE(inner(psi, gradient), rho * squared - rounding<S>(norm(gradient) * norm(gradient)));
  }
}

TYPED_TEST(ConstraintTest, DirectionVanishesWhenTheGradientIsNormal) {
  using S = TypeParam;
  for (const auto& [name, c, x, rho] : cases<S>()) {
    SCOPED_TRACE(name);
    const Vector<S> lambda = gaussian<S>(c->size(), 1, {51, 0});
    Point<S> gradient, psi;
    c->adjoint(x, lambda, gradient);
    c->direction(x, gradient, psi);
    EXPECT_LE(norm(psi), rounding<S>(norm(gradient), 200));
    Vector<S> found;
    c->multiplier(x, gradient, found);
    EXPECT_LE((found - lambda).norm(), rounding<S>(lambda.norm(), 500));
  }
}

TYPED_TEST(ConstraintTest, StiefelMultiplierOnTheManifoldIsHalfTheSymmetricPart) {
  using S = TypeParam;
  const Matrix<S> x = random_orthogonal<S>(8, 61).leftCols(3), g = gaussian<S>(8, 3, {62, 0});
  const StiefelConstraint<S> stiefel(8, 3);
  Vector<S> h, lambda;
  stiefel.value({x}, h);
  EXPECT_LE(h.norm(), rounding<S>(1));
  stiefel.multiplier({x}, {g}, lambda);
  Matrix<S> found(3, 3);
  unpack_symmetric<S>(lambda, found);
  EXPECT_LE((found - (x.transpose() * g + g.transpose() * x) / 4).norm(), rounding<S>(g.norm()));
}

TYPED_TEST(ConstraintTest, LeastSquaresFindsTheRank) {
  using S = TypeParam;
  LeastSquares<S> solver;
  Vector<S> lambda;
  const auto solve = [&](const Matrix<S>& j, const Vector<S>& g) {
    solver.resize(j.rows(), j.cols());
    solver.matrix() = j;
    solver.target().head(g.size()) = g;
    solver.solve(lambda);
  };
  const Vector<S> g = gaussian<S>(5, 1, {65, 0}), a = gaussian<S>(5, 1, {66, 0});
  Matrix<S> j = gaussian<S>(5, 3, {67, 0});
  solve(j, g);
  EXPECT_LE((j.transpose() * (j * lambda - g)).norm(), rounding<S>(j.squaredNorm()));
  j << Vector<S>::Zero(5), a, a;  // the smallest solution splits what a asks for
  solve(j, g);
  const S half = a.dot(g) / (2 * a.squaredNorm());
  EXPECT_LE((lambda - Vector<S>{{0, half, half}}).norm(), rounding<S>(1));
  solve(a.transpose(), Vector<S>::Ones(1));  // fewer rows than columns
  EXPECT_LE((lambda - a / a.squaredNorm()).norm(), rounding<S>(1));
}

TYPED_TEST(ConstraintTest, OneProductWithBPerPoint) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(7, 5, 71);
  int products = 0;
  const auto op = std::make_shared<CallbackOperator<S>>(7, [&](In<S> x, Out<S> y) {
    ++products;
    multiply<S>(b, x, y);
  });
  const GeneralizedStiefelConstraint<S> c(op, 2);
  Point<S> x{random_near_manifold<S>(b, 2, 0.2, 72)}, psi, normal;
  Vector<S> h, again;
  c.value(x, h);
  c.direction(x, random_point<S>(c.shapes(), 73), psi);
  c.normal(x, h, normal);
  EXPECT_EQ(products, 1);

  x[0](6, 1) += S(0.5);  // the point changed in place
  c.value(x, again);
  EXPECT_EQ(products, 2);
  Vector<S> expected;
  pack_symmetric<S>(x[0].transpose() * b * x[0] - Matrix<S>::Identity(2, 2), expected);
  EXPECT_LE((again - expected).norm(), rounding<S>(expected.norm()));
}

TYPED_TEST(ConstraintTest, ProductIsItsParts) {
  using S = TypeParam;
  const auto sphere = std::make_shared<SphereConstraint<S>>(4);
  const auto inner_product = std::make_shared<ProductConstraint<S>>(
      std::vector<ConstraintPtr<S>>{std::make_shared<StiefelConstraint<S>>(6, 2, Direction::metric), sphere});
  const ProductConstraint<S> c({sphere, inner_product});  // products nest; a part may be used twice
  ASSERT_EQ(c.shapes(), (std::vector<Shape>{{4, 1}, {6, 2}, {4, 1}}));
  ASSERT_EQ(c.size(), 1 + 3 + 1);

  const Point<S> x = random_point<S>(c.shapes(), 81), g = random_point<S>(c.shapes(), 82);
  const Point<S> tail{x[1], x[2]}, tail_g{g[1], g[2]};
  Vector<S> whole, head_part, tail_part;
  Point<S> whole_block, head_block, tail_block;
  const auto expect_same = [&] {
    EXPECT_EQ(whole.head(1), head_part);
    EXPECT_EQ(whole.tail(4), tail_part);
  };
  const auto expect_same_blocks = [&] {
    ASSERT_EQ(whole_block.size(), 3u);
    EXPECT_EQ(whole_block[0], head_block[0]);
    EXPECT_EQ(whole_block[1], tail_block[0]);
    EXPECT_EQ(whole_block[2], tail_block[1]);
  };
  for (int call = 0; call < 2; ++call) {  // the second with used scratch space
    c.value(x, whole), sphere->value({x[0]}, head_part), inner_product->value(tail, tail_part);
    expect_same();
    c.multiplier(x, g, whole), sphere->multiplier({x[0]}, {g[0]}, head_part);
    inner_product->multiplier(tail, tail_g, tail_part);
    expect_same();
    c.adjoint(x, whole, whole_block), sphere->adjoint({x[0]}, head_part, head_block);
    inner_product->adjoint(tail, tail_part, tail_block);
    expect_same_blocks();
    c.direction(x, g, whole_block), sphere->direction({x[0]}, {g[0]}, head_block);
    inner_product->direction(tail, tail_g, tail_block);
    expect_same_blocks();
  }
}

TYPED_TEST(ConstraintTest, PackingIsAnIsometry) {
  using S = TypeParam;
  for (const Index p : {1, 2, 6}) {
    const Matrix<S> a = random_symmetric<S>(p, 91), b = random_symmetric<S>(p, 92);
    Vector<S> packed_a, packed_b;
    pack_symmetric<S>(a, packed_a);
    pack_symmetric<S>(b, packed_b);
    EXPECT_EQ(packed_a.size(), p * (p + 1) / 2);
    EXPECT_NEAR(packed_a.dot(packed_b), a.cwiseProduct(b).sum(), rounding<S>(a.norm() * b.norm()));
    Matrix<S> back(p, p);
    unpack_symmetric<S>(packed_a, back);
    EXPECT_LE((back - a).norm(), rounding<S>(a.norm()));
  }
}

TYPED_TEST(ConstraintTest, WhereTheDifferentialIsZeroNothingIsSubtracted) {
  using S = TypeParam;
  for (const auto& [name, c, near, rho] : cases<S>()) {
    if (name == "slice of an ellipsoid" || name == "product")
      continue;  // the plane's differential is never zero
    SCOPED_TRACE(name);
    const Point<S> g = random_point<S>(c->shapes(), 101);
    Vector<S> lambda;
    Point<S> psi;
    for (const S size : {S(0), std::numeric_limits<S>::denorm_min()}) {
      Point<S> x = near;
      for (auto& block : x) block.setConstant(size);
      c->multiplier(x, g, lambda);
      EXPECT_EQ(lambda.norm(), S(0));
      c->direction(x, g, psi);
      EXPECT_LE(norm(combine(psi, S(-1), rho == 1 ? g : x)), S(0));  // Psi_B is quadratic in X
    }
    with_defaults<S>(c).multiplier(combine(near, S(-1), near), g, lambda);
    EXPECT_EQ(lambda.norm(), S(0));
  }
}

TYPED_TEST(ConstraintTest, AColumnThatRepeatsIsNoHarm) {
  using S = TypeParam;
  const GeneralizedStiefelConstraint<S> c(std::make_shared<DenseOperator<S>>(random_spd<S>(6, 4, 111)), 3);
  Matrix<S> x = gaussian<S>(6, 3, {112, 0});
  x.col(2) = x.col(0);
  const Point<S> g = random_point<S>(c.shapes(), 113);
  Point<S> psi, normal;
  c.direction({x}, g, psi);
  c.adjoint({x}, gaussian<S>(6, 1, {114, 0}), normal);
  EXPECT_LE(std::abs(inner(psi, normal)), rounding<S>(norm(g) * norm(normal), 500));
  Vector<S> lambda, expected;
  c.multiplier({x}, g, lambda);
  with_defaults<S>(std::make_shared<GeneralizedStiefelConstraint<S>>(c)).multiplier({x}, g, expected);
  EXPECT_LE((lambda - expected).norm(), rounding<S>(expected.norm(), 1000));
}

TYPED_TEST(ConstraintTest, ScaleDoesNotMatter) {
  using S = TypeParam;
  const SphereConstraint<S> c(5);
  const Matrix<S> x = gaussian<S>(5, 1, {121, 0});
  const Point<S> g = random_point<S>(c.shapes(), 122);
  Point<S> expected, psi;
  c.direction({x}, g, expected);
  // ||x||^2 overflows at the first and is barely normal at the last.
  for (const S scale : {std::sqrt(std::numeric_limits<S>::max()) * 8, S(1e6), S(1e-6),
                        std::sqrt(std::numeric_limits<S>::min()) * 8}) {
    c.direction({scale * x}, g, psi);
    EXPECT_LE(norm(combine(psi, S(-1), expected)), rounding<S>(norm(g)));
  }
}

TYPED_TEST(ConstraintTest, WrongShapesAreNamed) {
  using S = TypeParam;
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  const ObliqueConstraint<S> c(5, 2);
  Vector<S> h;
  Point<S> out;
  const Matrix<S> good = Matrix<S>::Ones(5, 2), bad = Matrix<S>::Ones(3, 2);
  EXPECT_EQ(message([&] { c.value({bad}, h); }), "block 0 of the point is 3x2, but the constraint is on 5x2");
  EXPECT_EQ(message([&] { c.value({good, good}, h); }), "the point has 2 blocks, expected 1");
  EXPECT_EQ(message([&] { c.direction({good}, {bad}, out); }),
            "block 0 of the gradient is 3x2, but the constraint is on 5x2");
  EXPECT_EQ(message([&] { c.multiplier({good}, {}, h); }), "the gradient has 0 blocks, expected 1");
  EXPECT_EQ(message([&] { c.adjoint({good}, Vector<S>::Ones(3), out); }),
            "the multiplier has 3 entries, but the constraint has 2 equations");
  EXPECT_EQ(message([&] { StiefelConstraint<S>(3, 4); }),
            "4 B-orthonormal columns of length 3, expected 1 to 3");
  EXPECT_THROW(GeneralizedStiefelConstraint<S>(nullptr, 1), UsageError);
  EXPECT_THROW(StiefelConstraint<S>(4, 2, Direction::riemannian), UsageError);
  EXPECT_THROW(StiefelConstraint<S>(4, 2, Direction::preconditioned), UsageError);
  EXPECT_THROW(ProductConstraint<S>({}), UsageError);
  EXPECT_THROW(ProductConstraint<S>({nullptr}), UsageError);
  EXPECT_THROW(SphereConstraint<S>(0), UsageError);
  EXPECT_THROW(FunctionConstraint<S>({{2, 1}}, 1, nullptr, nullptr), UsageError);
  EXPECT_THROW(pack_symmetric<S>(bad, h), UsageError);
}

TYPED_TEST(ConstraintTest, NaNIsNamedNotSpread) {
  using S = TypeParam;
  const auto slice = cases<S>()[12];
  ASSERT_EQ(slice.name, "slice of an ellipsoid");
  Point<S> g = random_point<S>(slice.constraint->shapes(), 131);
  g[0](3) = std::numeric_limits<S>::quiet_NaN();
  Vector<S> lambda;
  EXPECT_THROW(slice.constraint->multiplier(slice.x, g, lambda), NumericalError);
}

TYPED_TEST(ConstraintTest, ChecksTellRightFromWrong) {
  using S = TypeParam;
  const S right = 100 * std::pow(std::numeric_limits<S>::epsilon(), S(2) / 3);
  const Point<S> x = random_point<S>({{4, 2}, {3, 1}}, 141);
  S factor = 1;
  const Objective<S> f = [&](const Point<S>& point, Point<S>* gradient) {  // <x_0, x_0> + sum of cubes of x_1
    if (gradient) {
      (*gradient)[0] = factor * 2 * point[0];
      (*gradient)[1] = factor * 3 * point[1].cwiseAbs2();
    }
    return point[0].squaredNorm() + point[1].array().cube().sum();
  };
  EXPECT_LE(check_gradient(f, x, 142), right);
  factor = 2;
  EXPECT_NEAR(check_gradient(f, x, 142), S(0.5), right);
  factor = std::numeric_limits<S>::quiet_NaN();
  EXPECT_EQ(check_gradient(f, x, 142), std::numeric_limits<S>::infinity());
  EXPECT_EQ(check_gradient<S>([](const Point<S>&, Point<S>* g) { return g ? (*g)[0].setZero(), S(3) : S(3); },
                              {Matrix<S>::Zero(2, 1)}),
            S(0));

  const FunctionConstraint<S> wrong(
      {{4, 2}}, 1, [](const Point<S>& point, Vector<S>& h) { h(0) = point[0].squaredNorm() - 1; },
      [](const Point<S>& point, const Vector<S>& lambda, Point<S>& out) { out[0] = lambda(0) * point[0]; });
  EXPECT_NEAR(check_adjoint(wrong, {x[0]}, 143), S(0.5), right);

  const auto block = single_block<S>([](const Matrix<S>& point, Matrix<S>* gradient) {
    if (gradient) *gradient = 2 * point;
    return point.squaredNorm();
  });
  EXPECT_LE(check_gradient<S>(block, {x[0]}, 144), right);
  EXPECT_THROW(block(x, nullptr), UsageError);
}

}  // namespace landfall::test
