#include <landfall/errors.hpp>
#include <landfall/linalg/rank.hpp>

#include "support.hpp"

namespace landfall::test {

template <class S>
using RankTest = Typed<S>;
TYPED_TEST_SUITE(RankTest, Scalars);

namespace {

/// The Gram matrix as the library sums it: in precision S, some rows at a time.
template <class S>
Matrix<S> summed(const Matrix<S>& a, Index batch = 256) {
  Matrix<S> sum = Matrix<S>::Zero(a.cols(), a.cols());
  for (Index first = 0; first < a.rows(); first += batch) {
    const auto rows = a.middleRows(first, std::min(batch, a.rows() - first));
    multiply_at<S>(rows, rows, sum, 1, 1);
  }
  return sum / static_cast<S>(a.rows());
}

/// What every way to ask says of columns with the given rank.
template <class S>
void expect_rank(const Matrix<S>& columns, Index rank) {
  const Matrix<S> g = summed(columns);
  EXPECT_EQ(numerical_rank<S>(g), rank);
  EXPECT_EQ(orthonormalizing_factor<S>(g).cols(), rank);
  if (rank == g.cols())
    EXPECT_NO_THROW(require_positive_definite<S>(g));
  else
    EXPECT_THROW(require_positive_definite<S>(g), DataError);
}

/// Two columns of unit variance with 1 - R^2 = rest.
template <class S>
Matrix<S> nearly_dependent(double rest) {
  Matrix<S> g = Matrix<S>::Identity(2, 2);
  g(1, 0) = g(0, 1) = static_cast<S>(std::sqrt(1 - rest));
  return g;
}

template <class S>
std::string refusal(const Matrix<S>& b) {
  try {
    require_positive_definite<S>(b);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TYPED_TEST(RankTest, IndependentColumnsHaveFullRankWhateverTheirScales) {
  using S = TypeParam;
  for (const Index n : {1, 2, 12, 100}) {
    Matrix<S> a = gaussian<S>(3 * n + 50, n, {1, static_cast<std::uint64_t>(n)});
    expect_rank<S>(a, n);
    for (Index j = 0; j < n; ++j) a.col(j) *= static_cast<S>(std::pow(10.0, 12.0 * uniform({2, 1}, j) - 6));
    expect_rank<S>(a, n);
  }
}

TYPED_TEST(RankTest, DuplicatedColumnsAreOneColumn) {
  using S = TypeParam;
  for (const Index rows : {150, 20000})
    for (const Index n : {2, 5, 40}) {
      Matrix<S> a = gaussian<S>(rows, n, {3, static_cast<std::uint64_t>(rows + n)});
      a.col(n - 1) = a.col(0);
      expect_rank<S>(a, n - 1);
      a.rightCols(n / 2) = a.leftCols(n / 2);
      expect_rank<S>(a, n - n / 2);
    }
}

TYPED_TEST(RankTest, ScaledDuplicatesAreOneColumn) {
  using S = TypeParam;
  for (const double scale : {1e-6, 1e-3, 0.7, 2.54, 1e3, 1e6}) {
    SCOPED_TRACE(scale);
    Matrix<S> a = gaussian<S>(5000, 6, {4, 1});
    a.col(5) = static_cast<S>(scale) * a.col(2);
    expect_rank<S>(a, 5);
    a.col(0) = static_cast<S>(-scale) * a.col(1);
    expect_rank<S>(a, 4);
  }
}

TYPED_TEST(RankTest, SumsOfColumnsAddNothing) {
  using S = TypeParam;
  Matrix<S> a = gaussian<S>(4000, 8, {5, 1});
  a.col(7) = a.leftCols(7).rowwise().sum();
  expect_rank<S>(a, 7);
  a.col(3) = a.col(0) - S(1e-2) * a.col(1);
  a.col(7) = a.leftCols(7).rowwise().sum();
  expect_rank<S>(a, 6);
  // A small difference of two columns that are nearly the same, after both.
  a = gaussian<S>(4000, 4, {6, 1});
  a.col(1) = a.col(0) + S(0.03) * a.col(1);
  a.col(3) = a.col(0) - a.col(1);
  expect_rank<S>(a, 3);
}

TYPED_TEST(RankTest, FewerRowsThanColumns) {
  using S = TypeParam;
  for (const Index rows : {1, 7, 20}) {
    const Matrix<S> a = gaussian<S>(rows, 40, {7, static_cast<std::uint64_t>(rows)});
    expect_rank<S>(a, rows);
  }
}

TYPED_TEST(RankTest, ADecadeOnEitherSideOfTheToleranceIsDecidedAlike) {
  using S = TypeParam;
  const double tolerance = static_cast<double>(rank_tolerance<S>(2));
  EXPECT_EQ(numerical_rank<S>(nearly_dependent<S>(10 * tolerance)), 2);
  EXPECT_EQ(orthonormalizing_factor<S>(nearly_dependent<S>(10 * tolerance)).cols(), 2);
  EXPECT_EQ(refusal<S>(nearly_dependent<S>(10 * tolerance)), "no error");
  EXPECT_EQ(numerical_rank<S>(nearly_dependent<S>(tolerance / 10)), 1);
  EXPECT_EQ(orthonormalizing_factor<S>(nearly_dependent<S>(tolerance / 10)).cols(), 1);
  EXPECT_EQ(refusal<S>(nearly_dependent<S>(tolerance / 10)),
            "B is singular to working precision: its rank is 1 of 2");
  Matrix<S> b = nearly_dependent<S>(10 * tolerance);
  EXPECT_NO_THROW(factor_positive_definite<S>(b));
  b = nearly_dependent<S>(tolerance / 10);
  EXPECT_THROW(factor_positive_definite<S>(b), DataError);
}

TYPED_TEST(RankTest, ColumnsThatNearlyRepeatOthersAreDecidedBySize) {
  using S = TypeParam;
  // Columns c + d e with independent c and e leave 1 - R^2 = d^2 / (1 + d^2).
  const double root = std::sqrt(static_cast<double>(rank_tolerance<S>(30)));
  for (const double factor : {1 / std::sqrt(10.0), std::sqrt(10.0)}) {
    Matrix<S> a = gaussian<S>(3000, 30, {8, 1});
    const Matrix<S> noise = gaussian<S>(3000, 15, {9, 1});
    a.rightCols(15) = a.leftCols(15) + static_cast<S>(factor * root) * noise;
    EXPECT_EQ(numerical_rank<S>(summed(a)), factor < 1 ? 15 : 30) << factor;
  }
}

TYPED_TEST(RankTest, CentredColumnsFarFromZeroKeepTheirRank) {
  using S = TypeParam;
  Matrix<S> a = gaussian<S>(2000, 5, {10, 1});
  a.col(4) = a.col(1);
  a.array() += S(1000);
  const Vector<S> mean = a.colwise().mean();
  a.rowwise() -= mean.transpose();
  expect_rank<S>(a, 4);
}

TYPED_TEST(RankTest, FactorIsTheCholeskyFactor) {
  using S = TypeParam;
  const Matrix<S> b = random_spd<S>(20, 50, 11);
  Matrix<S> factor = b;
  factor_positive_definite<S>(factor);
  const Matrix<S> l = factor.template triangularView<Eigen::Lower>();
  EXPECT_LE((l * l.transpose() - b).norm(), rounding<S>(b.norm()));
}

TYPED_TEST(RankTest, IndefiniteIsToldFromSingular) {
  using S = TypeParam;
  Matrix<S> b = Matrix<S>::Identity(4, 4);
  EXPECT_EQ(refusal<S>(b), "no error");
  b(2, 2) = -1;
  EXPECT_EQ(refusal<S>(b), "B is not positive definite: its leading 3x3 block is not");
  b(2, 2) = 0;
  EXPECT_EQ(refusal<S>(b), "B is singular to working precision: its rank is 3 of 4");
  b = Matrix<S>::Identity(4, 4);
  b(3, 1) = b(1, 3) = S(1.001);
  EXPECT_EQ(refusal<S>(b), "B is not positive definite: its leading 4x4 block is not");
  EXPECT_EQ(refusal<S>(Matrix<S>::Zero(3, 3)), "B is singular to working precision: its rank is 0 of 3");
  b(3, 1) = std::numeric_limits<S>::quiet_NaN();
  EXPECT_EQ(refusal<S>(b), "B has a NaN or infinite entry");
  EXPECT_THROW(require_positive_definite<S>(Matrix<S>(2, 3)), UsageError);
  EXPECT_THROW(numerical_rank<S>(Matrix<S>(2, 3)), UsageError);
  EXPECT_EQ(numerical_rank<S>(Matrix<S>::Zero(3, 3)), 0);
  EXPECT_EQ(numerical_rank<S>(Matrix<S>(0, 0)), 0);
}

TYPED_TEST(RankTest, OnlyTheLowerTriangleIsRead) {
  using S = TypeParam;
  Matrix<S> b = random_spd<S>(10, 20, 12);
  b.template triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<S>::quiet_NaN());
  EXPECT_EQ(numerical_rank<S>(b), 10);
  EXPECT_EQ(refusal<S>(b), "no error");
}

TYPED_TEST(RankTest, OrthonormalizingFactorFindsTheRankWhateverTheScales) {
  using S = TypeParam;
  Matrix<S> y = gaussian<S>(30, 6, {12, 1});
  y.col(4) = y.col(0) - y.col(2);
  y.col(1) *= S(1e6);
  y.col(5) *= S(1e-6);
  y.col(3).setZero();
  const Matrix<S> t = orthonormalizing_factor<S>(y.transpose() * y);
  ASSERT_EQ(t.cols(), 4);
  const Matrix<S> basis = y * t;
  EXPECT_LE((basis.transpose() * basis - Matrix<S>::Identity(4, 4)).norm(), rounding<S>(10));
  EXPECT_EQ(orthonormalizing_factor<S>(Matrix<S>::Zero(3, 3)).cols(), 0);
  Matrix<S> indefinite = Matrix<S>::Identity(3, 3);
  indefinite(1, 0) = indefinite(0, 1) = 2;
  try {
    orthonormalizing_factor<S>(indefinite);
    FAIL() << "accepted an indefinite matrix";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "B is not positive definite: found x with x'Bx < 0");
  }
  EXPECT_THROW(orthonormalizing_factor<S>(-Matrix<S>::Identity(3, 3)), DataError);
}

}  // namespace landfall::test
