#include <landfall/linalg/random.hpp>
#include <landfall/models/gevp/gevp.hpp>
#include <landfall/models/gevp/incomplete_inverse.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <support.hpp>
#include <unsupported/Eigen/KroneckerProduct>

namespace landfall::test::gevp_sparse_test {

template <class S>
using Sparse = Eigen::SparseMatrix<S>;

template <class S>
class SparseGevp : public test::Typed<S> {};
TYPED_TEST_SUITE(SparseGevp, Scalars);

template <class S>
Sparse<S> tridiagonal(Index size, double diagonal, double beside) {
  Sparse<S> m(size, size);
  for (Index i = 0; i < size; ++i) {
    m.insert(i, i) = static_cast<S>(diagonal);
    if (i > 0) m.insert(i - 1, i) = m.insert(i, i - 1) = static_cast<S>(beside);
  }
  return m;
}

/// The Laplacian on a cube by trilinear finite elements: eigenvalues are sums of three of those of an interval,
/// 6/h^2 (1 - c)/(2 + c), c = cos(k pi h).
template <class S>
struct Cube {
  explicit Cube(Index side) : h(1.0 / static_cast<double>(side + 1)) {
    const Sparse<S> k = tridiagonal<S>(side, 2 / h, -1 / h), m = tridiagonal<S>(side, 4 * h / 6, h / 6);
    const auto product = [](const Sparse<S>& x, const Sparse<S>& y, const Sparse<S>& z) {
      const Sparse<S> yz = Eigen::kroneckerProduct(y, z);
      return Sparse<S>(Eigen::kroneckerProduct(x, yz));
    };
    a = std::make_shared<SparseOperator<S>>(product(k, m, m) + product(m, k, m) + product(m, m, k));
    b = std::make_shared<SparseOperator<S>>(product(m, m, m));
  }

  Vector<double> smallest(Index p) const {
    std::vector<double> sums;
    const auto line = [&](Index k) {
      const double c = std::cos(static_cast<double>(k) * std::numbers::pi * h);
      return 6 / (h * h) * (1 - c) / (2 + c);
    };
    for (Index x = 1; x <= p; ++x)
      for (Index y = 1; y <= p; ++y)
        for (Index z = 1; z <= p; ++z) sums.push_back(line(x) + line(y) + line(z));
    std::ranges::sort(sums);
    return Eigen::Map<Vector<double>>(sums.data(), p);
  }

  double h;
  OperatorPtr<S> a, b;
};

TYPED_TEST(SparseGevp, SmallestEigenvaluesByAnIncompleteFactor) {
  using S = TypeParam;
  const Cube<S> cube(14);  // n = 2744
  const auto ours = solve_gevp<S>(cube.a, cube.b, {.components = 5, .smallest = true});
  EXPECT_EQ(ours.method, GevpMethod::lobpcg);
  EXPECT_EQ(ours.reason,
            "n = 2744 is above 2500, so only products with A and B are used; preconditioned by an incomplete "
            "Cholesky factor of A");
  EXPECT_EQ(ours.termination, Termination::converged);
  const Vector<double> known = cube.smallest(5);
  for (Index i = 0; i < 5; ++i)
    EXPECT_NEAR(static_cast<double>(ours.values(i)), known(i), (sizeof(S) == 4 ? 1e-3 : 1e-9) * known(i))
        << i;
  // Without the factor it takes more iterations, the more of them the finer the grid.
  const auto plain = solve_gevp<S>(cube.a, cube.b, {.components = 5, .smallest = true, .baseline = "lobpcg"});
  EXPECT_LT(3 * ours.iterations, 2 * plain.iterations);
}

/// A factor of all of A is exact: a tridiagonal A has no other entries.
TYPED_TEST(SparseGevp, TheIncompleteInverseOfATridiagonalMatrixIsItsInverse) {
  using S = TypeParam;
  const auto a = std::make_shared<SparseOperator<S>>(tridiagonal<S>(40, 2.5, -1));
  const auto inverse = incomplete_inverse<S>(*a);
  ASSERT_NE(inverse, nullptr);
  const Matrix<S> x = gaussian<S>(40, 7, {3, 0});
  Matrix<S> ax(40, 7), back(40, 7);
  a->apply(x, ax);
  inverse->apply(ax, back);
  EXPECT_LT((back - x).norm(), rounding<S>(x.norm()));
  EXPECT_EQ(incomplete_inverse<S>(DenseOperator<S>(Matrix<S>::Identity(3, 3))), nullptr);
}

}  // namespace landfall::test::gevp_sparse_test
