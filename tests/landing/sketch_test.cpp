// The sketch that preconditions: as many directions as the spectrum has above its tail.
#include <landfall/landing/sketch.hpp>
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/orthonormal.hpp>

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

TEST(Sketch, OfAMultipleOfTheIdentityIsOne) {
  const DenseOperator<double> b(2 * Matrix<double>::Identity(30, 30));
  EXPECT_EQ(sketch_preconditioner<double>(b, {.rank = 16, .flat = 1.2})->rank(), 1);
}

}  // namespace
}  // namespace landfall::test
