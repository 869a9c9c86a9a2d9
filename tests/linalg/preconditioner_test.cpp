#include <landfall/errors.hpp>
#include <landfall/linalg/preconditioner.hpp>

#include "support.hpp"

namespace landfall::test {

template <class S>
using PreconditionerTest = Typed<S>;
TYPED_TEST_SUITE(PreconditionerTest, Scalars);

template <class S>
void expect_inverse_pair(const Preconditioner<S>& k) {
  const Matrix<S> x = gaussian<S>(k.size(), 3, {11, 1});
  Matrix<S> y(k.size(), 3), z(k.size(), 3);
  k.apply(x, y);
  k.apply_inverse(y, z);
  EXPECT_LE((z - x).norm(), rounding<S>(x.norm(), 500));
}

TYPED_TEST(PreconditionerTest, InverseUndoesApply) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(30, 20, 1);
  const Matrix<S> v = random_orthogonal<S>(30, 2).leftCols(6);
  const Vector<S> values = Vector<S>::LinSpaced(6, 3, 1);
  expect_inverse_pair(IdentityPreconditioner<S>(30));
  expect_inverse_pair(DiagonalPreconditioner<S>(Vector<S>::LinSpaced(30, S(0.1), 2)));
  expect_inverse_pair(SketchPreconditioner<S>(v, values, S(0.5), S(0.2)));
  expect_inverse_pair(*inverse_preconditioner<S>(b));
}

TYPED_TEST(PreconditionerTest, SketchIsTheInverseOfTheShiftedSketch) {
  using S = TypeParam;
  const Matrix<S> v = random_orthogonal<S>(20, 3).leftCols(4);
  const Vector<S> values = Vector<S>::LinSpaced(4, 8, 2);
  const S tail = S(0.7), shift = S(0.3);
  const Matrix<S> identity = Matrix<S>::Identity(20, 20);
  const Matrix<S> k = v * (values.array() + shift).inverse().matrix().asDiagonal() * v.transpose() +
                      (identity - v * v.transpose()) / (tail + shift);
  EXPECT_LE((to_dense(SketchPreconditioner<S>(v, values, tail, shift)) - k).norm(), rounding<S>(k.norm()));
}

TYPED_TEST(PreconditionerTest, CholeskyInverseInverts) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(25, 10, 4);
  EXPECT_LE((to_dense(*inverse_preconditioner<S>(b)) * b - Matrix<S>::Identity(25, 25)).norm(),
            rounding<S>(5, 500));
}

TYPED_TEST(PreconditionerTest, WhatIsNotPositiveIsRefused) {
  using S = TypeParam;
  Vector<S> d = Vector<S>::Ones(4);
  d(2) = 0;
  EXPECT_THROW(DiagonalPreconditioner<S>{d}, UsageError);
  EXPECT_THROW(SketchPreconditioner<S>(Matrix<S>::Identity(4, 1), Vector<S>::Ones(1), S(0), S(0)),
               UsageError);
  Matrix<S> b = Matrix<S>::Identity(4, 4);
  b(2, 2) = -1;
  try {
    inverse_preconditioner<S>(b);
    FAIL() << "accepted an indefinite B";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "B is not positive definite: its leading 3x3 block is not");
  }
}

}  // namespace landfall::test
