#include <landfall/linalg/conjugate_gradients.hpp>

#include "support.hpp"

namespace landfall::test {
namespace {

template <class S>
class ConjugateGradientsTest : public Typed<S> {};
TYPED_TEST_SUITE(ConjugateGradientsTest, Scalars);

TYPED_TEST(ConjugateGradientsTest, SolveEveryColumn) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(40, 100, 1), truth = gaussian<S>(40, 3, {2}), rhs = b * truth;
  const CallbackOperator<S> plain(40, [&](In<S> x, Out<S> y) { y = b * x; });  // no diagonal
  const DenseOperator<S> dense(b);
  for (const SymmetricOperator<S>* op :
       {static_cast<const SymmetricOperator<S>*>(&plain), static_cast<const SymmetricOperator<S>*>(&dense)}) {
    Matrix<S> x = Matrix<S>::Zero(40, 3);
    const S left = conjugate_gradients<S>(*op, rhs, x, {.steps = 200, .tolerance = 1e-6});
    EXPECT_LE(left, S(1e-6));
    EXPECT_LE((rhs - b * x).norm(), S(2e-6) * rhs.norm());
    EXPECT_LE((x - truth).norm(), S(1e-4) * truth.norm());
  }
}

TYPED_TEST(ConjugateGradientsTest, StepsAreLimitedAndAGoodStartNeedsNone) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(40, 100, 3), truth = gaussian<S>(40, 2, {4}), rhs = b * truth;
  int products = 0;
  const CallbackOperator<S> counted(40, [&](In<S> x, Out<S> y) {
    y = b * x;
    ++products;
  });
  Matrix<S> x = Matrix<S>::Zero(40, 2);
  const S few = conjugate_gradients<S>(counted, rhs, x, {.steps = 5});
  EXPECT_EQ(products, 6);  // one for the residual of the start
  EXPECT_LT(few, S(0.3));
  EXPECT_GT(few, S(1e-4));
  products = 0;
  x = truth;
  conjugate_gradients<S>(counted, rhs, x, {.steps = 5, .tolerance = 1e-4});
  EXPECT_EQ(products, 1);
  x.setZero();
  EXPECT_EQ(conjugate_gradients<S>(counted, Matrix<S>::Zero(40, 2), x, {.steps = 5}), S(0));
  EXPECT_EQ(x.norm(), S(0));
}

}  // namespace
}  // namespace landfall::test
