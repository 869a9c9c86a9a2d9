#include <landfall/errors.hpp>
#include <landfall/linalg/operator.hpp>

#include "support.hpp"

namespace landfall::test {

template <class S>
using OperatorTest = Typed<S>;
TYPED_TEST_SUITE(OperatorTest, Scalars);

/// Every kind of B against the same matrix written out.
template <class S>
void expect_applies(const SymmetricOperator<S>& b, const Matrix<S>& dense) {
  const Matrix<S> x = gaussian<S>(dense.rows(), 4, {7, 1});
  Matrix<S> y(dense.rows(), 4);
  b.apply(x, y);
  const S tolerance = rounding<S>(dense.norm() * x.norm());
  EXPECT_LE((y - dense * x).norm(), tolerance);
  EXPECT_LE((to_dense(b) - dense).norm(), rounding<S>(dense.norm()));
  if (b.diagonal().size() > 0) {
    EXPECT_LE((b.diagonal() - dense.diagonal()).norm(), rounding<S>(dense.norm()));
  }
}

TYPED_TEST(OperatorTest, DenseAppliesTheMatrix) {
  const Matrix<TypeParam> b = random_symmetric<TypeParam>(70, 1);
  expect_applies<TypeParam>(DenseOperator<TypeParam>(b), b);
}

TYPED_TEST(OperatorTest, SparseAppliesTheMatrix) {
  using S = TypeParam;
  Matrix<S> b = random_symmetric<S>(70, 2);
  b = (b.array().abs() > S(1)).select(b, S(0));
  expect_applies<S>(SparseOperator<S>(b.sparseView()), b);
}

TYPED_TEST(OperatorTest, GramIsTheCovariancePlusRidge) {
  using S = TypeParam;
  const RowMatrix<S> a = gaussian<S>(2500, 30, {3, 3});  // more than two blocks of rows
  const Matrix<S> b = a.transpose() * a / S(2500) + S(0.1) * Matrix<S>::Identity(30, 30);
  expect_applies<S>(GramOperator<S>(a, S(0.1)), b);
}

TYPED_TEST(OperatorTest, LowRankPlusDiagonal) {
  using S = TypeParam;
  const Matrix<S> u = gaussian<S>(40, 3, {4, 4});
  const Vector<S> d = gaussian<S>(40, 1, {4, 5}).cwiseAbs();
  expect_applies<S>(LowRankOperator<S>(u, d), Matrix<S>(u * u.transpose() + Matrix<S>(d.asDiagonal())));
}

TYPED_TEST(OperatorTest, CallbackAppliesTheCallersProduct) {
  using S = TypeParam;
  const Matrix<S> b = random_symmetric<S>(20, 5);
  expect_applies<S>(CallbackOperator<S>(20, [&](In<S> x, Out<S> y) { y = b * x; }), b);
}

TYPED_TEST(OperatorTest, LargestEigenvalueIsFromAboveAndClose) {
  using S = TypeParam;
  const S value = largest_eigenvalue<S>(DenseOperator<S>(random_spd<S>(60, 100, 6)));
  EXPECT_GE(value, S(1) - rounding<S>(1));
  EXPECT_LE(value, S(1.2));
  EXPECT_EQ(largest_eigenvalue<S>(DenseOperator<S>(Matrix<S>::Zero(5, 5))), S(0));
}

TYPED_TEST(OperatorTest, WrongSizesAreNamed) {
  using S = TypeParam;
  const DenseOperator<S> b(Matrix<S>::Identity(5, 5));
  const Matrix<S> x = Matrix<S>::Zero(4, 2);
  Matrix<S> y(5, 2);
  try {
    b.apply(x, y);
    FAIL() << "accepted a 4-row block";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "operator of size 5 applied to 4x2 into 5x2");
  }
  EXPECT_THROW(DenseOperator<S>(Matrix<S>::Zero(3, 4)), UsageError);
  EXPECT_THROW(GramOperator<S>(RowMatrix<S>(0, 4)), UsageError);
  EXPECT_THROW(LowRankOperator<S>(Matrix<S>::Zero(3, 1), Vector<S>::Zero(4)), UsageError);
}

TYPED_TEST(OperatorTest, ProductsCheckTheirSizesAndAgreeWithEigen) {
  using S = TypeParam;
  const Matrix<S> a = gaussian<S>(6, 4, {8, 1}), b = gaussian<S>(6, 3, {8, 2}), d = gaussian<S>(5, 4, {8, 3});
  Matrix<S> c = Matrix<S>::Ones(4, 3), e(6, 5), g(4, 4);
  multiply_at<S>(a, b, c, 2, 3);
  EXPECT_LE((c - (2 * a.transpose() * b + 3 * Matrix<S>::Ones(4, 3))).norm(), rounding<S>(10));
  multiply_bt<S>(a, d, e);
  EXPECT_LE((e - a * d.transpose()).norm(), rounding<S>(10));
  gram<S>(a, g);
  EXPECT_LE((g - a.transpose() * a).norm(), rounding<S>(10));
  EXPECT_THROW(multiply<S>(a, b, c), UsageError);
}

}  // namespace landfall::test
