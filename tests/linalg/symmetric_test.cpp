#include <landfall/errors.hpp>
#include <landfall/linalg/symmetric.hpp>

#include "support.hpp"

namespace landfall::test {

template <class S>
using SymmetricTest = Typed<S>;
TYPED_TEST_SUITE(SymmetricTest, Scalars);

TYPED_TEST(SymmetricTest, EigenvectorsRebuildTheMatrix) {
  using S = TypeParam;
  SymmetricEigen<S> eigen;
  for (const Index n : {1, 4, 30}) {
    const Matrix<S> m = random_symmetric<S>(n, 1);
    eigen.compute(m);
    const Matrix<S> rebuilt = eigen.vectors() * eigen.values().asDiagonal() * eigen.vectors().transpose();
    EXPECT_LE((rebuilt - m).norm(), rounding<S>(m.norm()));
  }
}

TYPED_TEST(SymmetricTest, InverseRootSquaredInverts) {
  using S = TypeParam;
  const Matrix<S> m = random_spd<S>(12, 30, 2);
  SymmetricEigen<S> eigen;
  eigen.compute(m);
  const Matrix<S> root = eigen.inverse_root();
  EXPECT_LE((root * root * m - Matrix<S>::Identity(12, 12)).norm(), rounding<S>(30, 100));
  EXPECT_THROW((eigen.compute(Matrix<S>::Zero(3, 3)), eigen.inverse_root()), NumericalError);
}

TYPED_TEST(SymmetricTest, LyapunovSolutionSolves) {
  using S = TypeParam;
  const Matrix<S> m = random_spd<S>(9, 50, 3), rhs = random_symmetric<S>(9, 4);
  Matrix<S> l = rhs;
  SymmetricEigen<S> eigen;
  eigen.compute(m);
  eigen.solve_lyapunov(l);
  EXPECT_LE((m * l + l * m - rhs).norm(), rounding<S>(rhs.norm(), 500));
  EXPECT_LE((l - l.transpose()).norm(), rounding<S>(l.norm()));
}

TYPED_TEST(SymmetricTest, LyapunovSolutionOfASingularMatrixHasLeastNorm) {
  using S = TypeParam;
  SymmetricEigen<S> eigen;
  Matrix<S> l = Matrix<S>::Zero(3, 3);
  eigen.compute(Matrix<S>::Zero(3, 3));
  eigen.solve_lyapunov(l);
  EXPECT_EQ(l.norm(), S(0));

  const Matrix<S> u = random_orthogonal<S>(4, 5).leftCols(2);
  const Matrix<S> inside = random_symmetric<S>(2, 6), m = u * u.transpose();
  l = 2 * u * inside *
      u.transpose();  // m L + L m for L = u inside u', which has no part in the null space of m
  eigen.compute(m);
  eigen.solve_lyapunov(l);
  EXPECT_LE((l - u * inside * u.transpose()).norm(), rounding<S>(inside.norm(), 100));
}

TYPED_TEST(SymmetricTest, NaNIsNamedNotSpread) {
  using S = TypeParam;
  Matrix<S> m = Matrix<S>::Identity(3, 3);
  m(2, 1) = std::numeric_limits<S>::quiet_NaN();
  SymmetricEigen<S> eigen;
  EXPECT_THROW(eigen.compute(m), NumericalError);
}

}  // namespace landfall::test
