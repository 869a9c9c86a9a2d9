// The sketch that preconditions: as many directions as the spectrum has above its tail.
#include <landfall/errors.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/operator.hpp>

#include <cmath>

#include "support.hpp"

namespace landfall::test {
namespace {

/// Ten eigenvalues from 20 down to 11, all others 1.
DenseOperator<double> ten_large(Index n) {
  const Matrix<double> q = random_orthonormal(n, n, {3});
  Vector<double> values = Vector<double>::Ones(n);
  for (Index i = 0; i < 10; ++i) values(i) = 20 - static_cast<double>(i);
  return DenseOperator<double>(q * values.asDiagonal() * q.transpose());
}

TEST(Sketch, HasTheDirectionsThatStandOut) {
  const auto b = ten_large(80);
  EXPECT_EQ(sketch_preconditioner<double>(b, {.rank = 40})->rank(), 40);
  const auto k = sketch_preconditioner<double>(b, {.rank = 40, .flat = 1.2});
  EXPECT_EQ(k->rank(), 10);

  // K (B + 0.3 I) is the identity, since nothing is left out but one multiple of it, up to what the range
  // finder misses.
  const Matrix<double> x = gaussian<double>(80, 3, {4});
  Matrix<double> bx(80, 3), kbx(80, 3);
  b.apply(x, bx);
  bx += 0.3 * x;
  k->apply(bx, kbx);
  EXPECT_LT((kbx - x).norm(), 1e-2 * x.norm());
}

TEST(Sketch, GrowsWhileTheSpectrumFallsSteeply) {
  const Index n = 100;
  const Matrix<double> q = random_orthonormal(n, n, {3});
  Vector<double> values(n);
  for (Index i = 0; i < n; ++i) values(i) = std::pow(10.0, -static_cast<double>(i) / 8);
  const DenseOperator<double> b(q * values.asDiagonal() * q.transpose());
  const auto rank = [&](Index most) {
    return sketch_preconditioner<double>(b, {.rank = 8, .trace = values.sum(), .most = most})->rank();
  };
  EXPECT_EQ(rank(0), 8);
  EXPECT_EQ(rank(31), 16);
  EXPECT_EQ(rank(1000), 64);
  const DenseOperator<double> flat(Matrix<double>::Identity(n, n));
  EXPECT_EQ(sketch_preconditioner<double>(flat, {.rank = 8, .trace = 100, .most = 64})->rank(), 8);
}

TEST(Sketch, InOtherCoordinatesIsScaledOnBothSides) {
  const auto b = ten_large(40);
  const auto inner = sketch_preconditioner<double>(b, {.rank = 12});
  const Vector<double> scale = Vector<double>::LinSpaced(40, 0.1, 4);
  const ScaledPreconditioner<double> k(scale, inner);
  const Matrix<double> x = gaussian<double>(40, 3, {5}), sx = scale.asDiagonal() * x;
  Matrix<double> y(40, 3), expected(40, 3), back(40, 3);
  k.apply(x, y);
  inner->apply(sx, expected);
  EXPECT_LT((y - scale.asDiagonal() * expected).norm(), 1e-12 * y.norm());
  k.apply_inverse(y, back);
  EXPECT_LT((back - x).norm(), 1e-10 * x.norm());
  EXPECT_THROW(ScaledPreconditioner<double>(Vector<double>::Zero(40), inner), UsageError);
}

TEST(Sketch, OfAMultipleOfTheIdentityIsOne) {
  const DenseOperator<double> b(2 * Matrix<double>::Identity(30, 30));
  EXPECT_EQ(sketch_preconditioner<double>(b, {.rank = 16, .flat = 1.2})->rank(), 1);
}

}  // namespace
}  // namespace landfall::test
