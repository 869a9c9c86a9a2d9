// Cholesky factors of well-conditioned matrices, against products.
#include <landfall/linalg/cholesky.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/parallel/threads.hpp>

#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class CholeskyTest : public Typed<S> {};
TYPED_TEST_SUITE(CholeskyTest, Scalars);

TYPED_TEST(CholeskyTest, SolvesInvertsAndRefusesWhatIsNearlySingular) {
  using S = TypeParam;
  const Matrix<S> a = gaussian<S>(200, 30, {1});
  Matrix<S> m = a.transpose() * a / S(200);
  const auto factor = Cholesky<S>::of(m, S(1e-3));
  ASSERT_TRUE(factor);
  const Matrix<S> identity = Matrix<S>::Identity(30, 30);
  const S tolerance = 200 * std::numeric_limits<S>::epsilon();
  EXPECT_LE((factor->inverse() * m - identity).norm(), tolerance);
  Matrix<S> x = identity;
  factor->solve_lower(x);
  // L^-1 M L^-T = I.
  EXPECT_LE((x * m * x.transpose() - identity).norm(), tolerance);
  factor->solve_upper(x);
  EXPECT_LE((x - factor->inverse()).norm(), tolerance);

  // Only the lower triangle is read.
  Matrix<S> half = m;
  half.template triangularView<Eigen::StrictlyUpper>().setConstant(S(7));
  const auto same = Cholesky<S>::of(half, S(1e-3));
  ASSERT_TRUE(same);
  EXPECT_LE((same->inverse() - factor->inverse()).norm(), tolerance);

  m.col(29) = m.col(3);
  m.row(29) = m.row(3);
  m(29, 29) = m(3, 3) + S(1e-4);  // a pivot of 1e-4
  EXPECT_FALSE(Cholesky<S>::of(m, S(1e-3)));
  m(29, 29) = m(3, 3) - S(0.1);
  EXPECT_FALSE(Cholesky<S>::of(m, S(1e-3)));
}

/// Sizes at which kernels of OpenBLAS for old processors have read beyond what they were given.
TYPED_TEST(CholeskyTest, InvertsMatricesOfOddSizes) {
  using S = TypeParam;
  const SerialBlas serial;
  for (const Index n : {293, 301, 345}) {
    const Matrix<S> a = gaussian<S>(4 * n, n, {2});
    const Matrix<S> m = a.transpose() * a / static_cast<S>(4 * n);
    const auto factor = Cholesky<S>::of(m, S(1e-3));
    ASSERT_TRUE(factor);
    EXPECT_LE((factor->inverse() * m - Matrix<S>::Identity(n, n)).norm(),
              S(100) * static_cast<S>(n) * std::numeric_limits<S>::epsilon())
        << n;
  }
}

}  // namespace
}  // namespace landfall::test
