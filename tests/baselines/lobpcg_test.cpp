#include <landfall/baselines/lobpcg.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>

#include "support.hpp"

namespace landfall::test {

template <class S>
using LobpcgTest = Typed<S>;
TYPED_TEST_SUITE(LobpcgTest, Scalars);

/// The n x n matrix with the given diagonal and both neighbours of it.
template <class S>
Eigen::SparseMatrix<S> tridiagonal(Index n, double diagonal, double beside) {
  std::vector<Eigen::Triplet<S>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(i, i, static_cast<S>(diagonal));
    if (i + 1 < n) {
      entries.emplace_back(i, i + 1, static_cast<S>(beside));
      entries.emplace_back(i + 1, i, static_cast<S>(beside));
    }
  }
  Eigen::SparseMatrix<S> m(n, n);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

/// The five-point Laplacian on a side x side grid.
template <class S>
Eigen::SparseMatrix<S> grid_laplacian(Index side) {
  std::vector<Eigen::Triplet<S>> entries;
  const auto at = [side](Index i, Index j) { return i * side + j; };
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j) {
      entries.emplace_back(at(i, j), at(i, j), S(4));
      if (i + 1 < side) entries.emplace_back(at(i, j), at(i + 1, j), S(-1));
      if (i > 0) entries.emplace_back(at(i, j), at(i - 1, j), S(-1));
      if (j + 1 < side) entries.emplace_back(at(i, j), at(i, j + 1), S(-1));
      if (j > 0) entries.emplace_back(at(i, j), at(i, j - 1), S(-1));
    }
  Eigen::SparseMatrix<S> m(side * side, side * side);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

/// Against the direct solution: values to `accuracy` relative to the largest, B-orthonormal vectors, and
/// reported residuals that are true.
template <class S>
void expect_matches_direct(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b,
                           const LobpcgOptions& options, double accuracy, S condition,
                           PreconditionerPtr<S> preconditioner = nullptr) {
  const auto found = lobpcg<S>(a, b, options, preconditioner);
  const Matrix<S> da = to_dense(a), db = to_dense(b);
  const auto exact = solve_pencil<S>(da, db, options.components, options.smallest);
  ASSERT_EQ(found.end, LobpcgEnd::converged);
  ASSERT_EQ(found.values.size(), options.components);
  const Matrix<S>& x = found.vectors;
  const Index p = options.components;
  EXPECT_LE((found.values - exact.values).cwiseAbs().maxCoeff(),
            static_cast<S>(accuracy) * exact.values.cwiseAbs().maxCoeff());
  EXPECT_LE((x.transpose() * db * x - Matrix<S>::Identity(p, p)).norm(), rounding<S>(condition));
  const Matrix<S> difference = da * x - db * x * found.values.asDiagonal();
  // The norms in the criterion are estimated from below, so the bound with the true ones must hold as well.
  const S norm_a = static_cast<S>(eigenvalues(da.template cast<double>()).cwiseAbs().maxCoeff());
  const S norm_b = static_cast<S>(eigenvalues(db.template cast<double>()).maxCoeff());
  for (Index j = 0; j < p; ++j) {
    const S scale = (norm_a + std::abs(found.values(j)) * norm_b) * x.col(j).norm();
    EXPECT_LE(difference.col(j).norm(), found.residuals(j) * scale * S(1.01) + rounding<S>(scale))
        << "pair " << j;
  }
}

template <class S>
constexpr bool is_double = std::is_same_v<S, double>;

TYPED_TEST(LobpcgTest, DensePencilsBothEnds) {
  using S = TypeParam;
  const DenseOperator<S> a(random_symmetric<S>(150, 1)), b(random_spd<S>(150, 20, 2));
  for (const bool smallest : {false, true})  // A is indefinite, so both ends are far from zero
    for (const Index p : {1, 4, 20})
      expect_matches_direct<S>(a, b, {.components = p, .smallest = smallest}, is_double<S> ? 1e-10 : 1e-4,
                               100);
}

TYPED_TEST(LobpcgTest, BarOfFiniteElements) {
  using S = TypeParam;
  const SparseOperator<S> stiffness(tridiagonal<S>(400, 2, -1)), mass(tridiagonal<S>(400, 4. / 6, 1. / 6));
  const auto inverse = inverse_preconditioner<S>(to_dense(stiffness));
  const LobpcgOptions options{.components = 8, .smallest = true, .tolerance = is_double<S> ? 1e-12 : 1e-6};
  // lambda_k is 1e-5 of ||A||, so single precision holds it to eps ||A|| / lambda only
  expect_matches_direct<S>(stiffness, mass, options, is_double<S> ? 1e-10 : 1e-2, 20, inverse);
}

TEST(LobpcgDoubleTest, GridLaplacianWithItsDoubleEigenvalues) {
  const SparseOperator<double> a(grid_laplacian<double>(25)), b(tridiagonal<double>(625, 4. / 6, 1. / 6));
  const SparseOperator<double> identity(tridiagonal<double>(625, 1, 0));
  const auto inverse = inverse_preconditioner<double>(to_dense(a));
  expect_matches_direct<double>(a, identity, {.components = 6, .smallest = true, .tolerance = 1e-10}, 1e-10,
                                10, inverse);
  expect_matches_direct<double>(a, identity, {.components = 12}, 1e-10, 10);
  expect_matches_direct<double>(a, b, {.components = 12, .smallest = true, .tolerance = 1e-10}, 1e-10, 20,
                                inverse);
}

TYPED_TEST(LobpcgTest, GramOperatorsAreNeverWrittenOut) {
  using S = TypeParam;
  const GramOperator<S> a(gaussian<S>(300, 120, {3, 1})), b(gaussian<S>(1500, 120, {4, 1}), S(1e-2));
  for (const Index p : {1, 5})
    expect_matches_direct<S>(a, b, {.components = p}, is_double<S> ? 1e-10 : 1e-4, 20);
}

TYPED_TEST(LobpcgTest, ClustersAndMultipleEigenvalues) {
  using S = TypeParam;
  Vector<double> values = Vector<double>::LinSpaced(200, -1, 1);
  values.tail(6).setConstant(2);
  values.segment(188, 6) = Vector<double>::Constant(6, 1.8) + 1e-7 * Vector<double>::LinSpaced(6, 0, 1);
  const DenseOperator<S> a(with_spectrum<S>(values, 5)), b(Matrix<S>::Identity(200, 200));
  for (const Index p : {1, 3, 6, 9, 12})  // inside, at the edge of, and across the clusters
    // Where p cuts a cluster whose values differ by 1e-7, values are as good as the residual, not its square.
    expect_matches_direct<S>(a, b, {.components = p, .tolerance = is_double<S> ? 1e-8 : 1e-5},
                             is_double<S> ? 1e-8 : 1e-5, 5);
}

TEST(LobpcgDoubleTest, ConditionOfBUpToAMillion) {
  const DenseOperator<double> a(random_symmetric<double>(150, 6)), b(random_spd<double>(150, 1e6, 7));
  const auto inverse = inverse_preconditioner<double>(b.matrix());
  for (const bool smallest : {false, true})
    expect_matches_direct<double>(a, b, {.components = 5, .smallest = smallest, .tolerance = 1e-12}, 1e-10,
                                  1e6, inverse);
}

TYPED_TEST(LobpcgTest, ZeroAIsSolvedByAnyBasis) {
  using S = TypeParam;
  const DenseOperator<S> zero(Matrix<S>::Zero(60, 60)), b(random_spd<S>(60, 20, 8));
  const auto found = lobpcg<S>(zero, b, {.components = 4});
  EXPECT_EQ(found.end, LobpcgEnd::converged);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(found.values, Vector<S>::Zero(4));
  EXPECT_LE((found.vectors.transpose() * b.matrix() * found.vectors - Matrix<S>::Identity(4, 4)).norm(),
            rounding<S>(20));
}

TYPED_TEST(LobpcgTest, ScalesOfAAndBChangeNothingElse) {
  using S = TypeParam;
  const Matrix<S> a = random_symmetric<S>(80, 9), b = random_spd<S>(80, 10, 10);
  const auto plain = lobpcg<S>(DenseOperator<S>(a), DenseOperator<S>(b), {.components = 3});
  const int far = std::numeric_limits<S>::max_exponent / 4;  // squares of A x would overflow
  for (const int up : {-far, far})
    for (const int down : {-far, far}) {
      const S grow = std::ldexp(S(1), 2 * up), shrink = std::ldexp(S(1), 2 * (down / 2));
      const auto scaled =
          lobpcg<S>(DenseOperator<S>(grow * a), DenseOperator<S>(shrink * b), {.components = 3});
      EXPECT_EQ(scaled.iterations, plain.iterations);
      EXPECT_EQ(scaled.residuals, plain.residuals);
      EXPECT_EQ(scaled.values, (plain.values / shrink * grow).eval());
      EXPECT_EQ(scaled.vectors, (plain.vectors / std::sqrt(shrink)).eval());
    }
}

TYPED_TEST(LobpcgTest, OneProductWithEachPerIteration) {
  using S = TypeParam;
  const Matrix<S> a = random_symmetric<S>(100, 11), b = random_spd<S>(100, 10, 12);
  Index with_a = 0, with_b = 0, widest = 0;
  const CallbackOperator<S> ca(100, [&](In<S> x, Out<S> y) {
    ++with_a;
    multiply<S>(a, x, y);
  });
  const CallbackOperator<S> cb(100, [&](In<S> x, Out<S> y) {
    ++with_b;
    widest = std::max(widest, x.cols());
    multiply<S>(b, x, y);
  });
  const LobpcgOptions options{.components = 5, .max_iterations = 500};
  const auto found = lobpcg<S>(ca, cb, options);
  EXPECT_EQ(found.end, LobpcgEnd::converged);
  EXPECT_EQ(found.products_a, with_a);
  EXPECT_EQ(found.products_b, with_b);
  EXPECT_LE(widest, 10);
  const Index least = found.iterations + 1;  // the start
  EXPECT_GE(with_a, least);
  EXPECT_LE(with_a, least + found.iterations / 25 + 2);
  EXPECT_EQ(with_a, with_b);
}

TYPED_TEST(LobpcgTest, SeedsReproduceToTheBit) {
  using S = TypeParam;
  const DenseOperator<S> a(random_symmetric<S>(90, 13)), b(random_spd<S>(90, 10, 14));
  const auto first = lobpcg<S>(a, b, {.components = 4, .seed = 5}),
             again = lobpcg<S>(a, b, {.components = 4, .seed = 5});
  const auto other = lobpcg<S>(a, b, {.components = 4, .seed = 6});
  EXPECT_EQ(first.vectors, again.vectors);
  EXPECT_EQ(first.values, again.values);
  EXPECT_NE(first.vectors, other.vectors);
}

TYPED_TEST(LobpcgTest, StartingAtTheAnswerTakesNoIteration) {
  using S = TypeParam;
  const DenseOperator<S> a(random_symmetric<S>(90, 15)), b(random_spd<S>(90, 10, 16));
  const auto exact = solve_pencil<S>(a.matrix(), b.matrix(), 4);
  const Matrix<S> start = S(3) * exact.vectors * random_orthogonal<S>(4, 17);
  const auto found = lobpcg<S>(a, b, {.components = 4}, nullptr, start);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(found.end, LobpcgEnd::converged);
}

TYPED_TEST(LobpcgTest, TheBestIterateIsReturnedNotTheLast) {
  using S = TypeParam;
  // From beside an eigenvector in the middle of the spectrum the residual first grows, on the way up.
  const DenseOperator<S> a(random_symmetric<S>(80, 18)), b(random_spd<S>(80, 10, 19));
  const Matrix<S> middle = solve_pencil<S>(a.matrix(), b.matrix(), 40).vectors.col(39);
  const Matrix<S> start = middle + S(1e-4) * gaussian<S>(80, 1, {18, 1});
  double last = 0;
  LobpcgOptions options{.components = 1, .max_iterations = 8};
  options.observer = [&](int, double residual) {
    last = residual;
    return true;
  };
  const auto found = lobpcg<S>(a, b, options, nullptr, start);
  EXPECT_EQ(found.end, LobpcgEnd::max_iterations);
  EXPECT_LT(static_cast<double>(found.residuals(0)), last / 2);
  EXPECT_GE(std::abs(middle.col(0).dot(b.matrix() * found.vectors.col(0))), S(0.99));
}

TYPED_TEST(LobpcgTest, TheObserverStopsTheRun) {
  using S = TypeParam;
  const DenseOperator<S> a(random_symmetric<S>(80, 20)), b(random_spd<S>(80, 10, 21));
  LobpcgOptions options{.components = 3};
  int calls = 0;
  options.observer = [&](int iteration, double residual) {
    EXPECT_EQ(iteration, calls++);
    EXPECT_GT(residual, 0);
    return iteration < 4;
  };
  const auto found = lobpcg<S>(a, b, options);
  EXPECT_EQ(found.end, LobpcgEnd::stopped);
  EXPECT_EQ(found.iterations, 4);
  EXPECT_EQ(lobpcg<S>(a, b, {.components = 3, .max_iterations = 2}).end, LobpcgEnd::max_iterations);
}

TYPED_TEST(LobpcgTest, SmallPencilsAreSolvedDirectly) {
  using S = TypeParam;
  for (const Index n : {1, 3, 20}) {
    const DenseOperator<S> a(random_symmetric<S>(n, 22)), b(random_spd<S>(n, 5, 23));
    for (const Index p : {(n + 1) / 2, n}) {
      const auto found = lobpcg<S>(a, b, {.components = p, .smallest = true});
      const auto exact = solve_pencil<S>(a.matrix(), b.matrix(), p, true);
      EXPECT_EQ(found.end, LobpcgEnd::direct);
      EXPECT_TRUE(found.converged());
      EXPECT_LE((found.values - exact.values).norm(), rounding<S>(5 * exact.values.norm()));
      EXPECT_LE(found.residuals.maxCoeff(), rounding<S>(1));
      EXPECT_GE(found.products_a, 1);
    }
  }
}

TYPED_TEST(LobpcgTest, MisuseAndBadDataAreNamed) {
  using S = TypeParam;
  const DenseOperator<S> a(random_symmetric<S>(30, 24)), b(random_spd<S>(30, 10, 25)),
      nine(Matrix<S>::Identity(9, 9));
  EXPECT_EQ(message<UsageError>([&] { lobpcg<S>(a, nine, {}); }), "LOBPCG: A has size 30 and B has size 9");
  EXPECT_EQ(message<UsageError>([&] { lobpcg<S>(a, b, {.components = 0}); }),
            "LOBPCG: components is 0, expected 1 to 30");
  EXPECT_EQ(message<UsageError>([&] { lobpcg<S>(a, b, {.components = 31}); }),
            "LOBPCG: components is 31, expected 1 to 30");
  EXPECT_EQ(message<UsageError>([&] { lobpcg<S>(a, b, {.tolerance = -1}); }),
            "LOBPCG: tolerance is -1, expected at least 0 and below 1");
  EXPECT_EQ(message<UsageError>([&] { lobpcg<S>(a, b, {.max_iterations = -1}); }),
            "LOBPCG: max_iterations is -1, expected at least 0");
  EXPECT_EQ(message<UsageError>(
                [&] { lobpcg<S>(a, b, {}, std::make_shared<IdentityPreconditioner<S>>(Index{9})); }),
            "LOBPCG: the preconditioner has size 9, expected 30");
  EXPECT_EQ(message<UsageError>([&] { lobpcg<S>(a, b, {}, nullptr, Matrix<S>::Zero(30, 2)); }),
            "LOBPCG: x0 is 30x2, expected 30x1");
  EXPECT_EQ(
      message<NumericalError>([&] { lobpcg<S>(a, b, {.components = 2}, nullptr, Matrix<S>::Ones(30, 2)); }),
      "LOBPCG starts from 2 columns whose rank in the metric of B is 1");

  Matrix<S> indefinite = Matrix<S>::Identity(30, 30);
  indefinite(7, 7) = -4;
  EXPECT_EQ(message<DataError>([&] { lobpcg<S>(a, DenseOperator<S>(indefinite), {.components = 2}); }),
            "B is not positive definite: its diagonal entry 7 is -4");
  const CallbackOperator<S> hidden(30, [&](In<S> x, Out<S> y) { multiply<S>(indefinite, x, y); });
  EXPECT_THROW(lobpcg<S>(a, hidden, {.components = 4}), DataError);
  const CallbackOperator<S> broken(
      30, [](In<S>, Out<S> y) { y.setConstant(std::numeric_limits<S>::quiet_NaN()); });
  EXPECT_EQ(message<DataError>([&] { lobpcg<S>(broken, b, {}); }),
            "a product with A has a NaN or infinite entry");
}

}  // namespace landfall::test
