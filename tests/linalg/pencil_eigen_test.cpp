#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>

#include "support.hpp"

namespace landfall::test {

template <class S>
using PencilEigenTest = Typed<S>;
TYPED_TEST_SUITE(PencilEigenTest, Scalars);

template <class S>
void expect_eigenpairs(const Matrix<S>& a, const Matrix<S>& b, const PencilEigen<S>& pairs, S condition) {
  const Matrix<S>& x = pairs.vectors;
  const Matrix<S> residual = a * x - b * x * pairs.values.asDiagonal();
  const S scale = (a.norm() + pairs.values.cwiseAbs().maxCoeff() * b.norm()) * x.norm();
  EXPECT_LE(residual.norm(), rounding<S>(scale));
  EXPECT_LE((x.transpose() * b * x - Matrix<S>::Identity(x.cols(), x.cols())).norm(), rounding<S>(condition));
}

TYPED_TEST(PencilEigenTest, PairsAreEigenpairsOrderedAndBOrthonormal) {
  using S = TypeParam;
  for (const Index n : {1, 2, 7, 60, 150}) {
    const Matrix<S> a = random_symmetric<S>(n, 1), b = random_spd<S>(n, 50, 2);
    for (const Index p : {Index{1}, (n + 2) / 3, n}) {
      const auto top = solve_pencil<S>(a, b, p), bottom = solve_pencil<S>(a, b, p, true);
      expect_eigenpairs<S>(a, b, top, 50);
      expect_eigenpairs<S>(a, b, bottom, 50);
      EXPECT_TRUE(std::is_sorted(top.values.begin(), top.values.end(), std::greater<>()));
      EXPECT_TRUE(std::is_sorted(bottom.values.begin(), bottom.values.end()));
      EXPECT_GE(top.values(p - 1), bottom.values(0));
    }
  }
}

TEST(PencilEigenDoubleTest, AgreesWithEigenToTenDigits) {
  for (const Index n : {5, 80, 200}) {
    const Matrix<double> a = random_symmetric<double>(n, 3), b = random_spd<double>(n, 1e3, 4);
    const Vector<double> reference = pencil_eigenvalues(a, b);
    const double scale = reference.cwiseAbs().maxCoeff();
    const Index p = n / 2;
    const auto top = solve_pencil<double>(a, b, p), bottom = solve_pencil<double>(a, b, p, true);
    EXPECT_LE((top.values - reference.tail(p).reverse()).norm(), 1e-10 * scale);
    EXPECT_LE((bottom.values - reference.head(p)).norm(), 1e-10 * scale);
  }
}

TYPED_TEST(PencilEigenTest, ClustersAndMultipleEigenvaluesKeepTheirVectorsApart) {
  using S = TypeParam;
  Vector<double> values = Vector<double>::Constant(90, 1);
  values.tail(30).setConstant(2);
  values.tail(10) += 1e-6 * Vector<double>::LinSpaced(10, 0, 1);
  const Matrix<S> a = with_spectrum<S>(values, 5), identity = Matrix<S>::Identity(90, 90);
  expect_eigenpairs<S>(a, identity, solve_pencil<S>(a, identity, 40), 1);
  expect_eigenpairs<S>(identity, identity, solve_pencil<S>(identity, identity, 90), 1);
}

TYPED_TEST(PencilEigenTest, ZeroANeedsNoSpecialCase) {
  using S = TypeParam;
  const Matrix<S> zero = Matrix<S>::Zero(12, 12), b = random_spd<S>(12, 10, 6);
  const auto pairs = solve_pencil<S>(zero, b, 4);
  EXPECT_EQ(pairs.values, Vector<S>::Zero(4));
  expect_eigenpairs<S>(zero, b, pairs, 10);
}

TYPED_TEST(PencilEigenTest, ScalesOfAAndBPassThroughExactly) {
  using S = TypeParam;
  const int far = std::numeric_limits<S>::max_exponent / 2 - 12;  // squares of such entries overflow
  const Matrix<S> a = random_symmetric<S>(30, 7), b = random_spd<S>(30, 20, 8);
  const auto plain = solve_pencil<S>(a, b, 6);
  for (const int up : {-far, far})
    for (const int down : {-far, far}) {
      const S grow = std::ldexp(S(1), 2 * (up / 2)), shrink = std::ldexp(S(1), 2 * (down / 2));
      const auto scaled = solve_pencil<S>(grow * a, shrink * b, 6);
      EXPECT_EQ(scaled.values, (plain.values * grow / shrink).eval());
      EXPECT_EQ(scaled.vectors, (plain.vectors / std::sqrt(shrink)).eval());
    }
}

TYPED_TEST(PencilEigenTest, OnlyLowerTrianglesAreRead) {
  using S = TypeParam;
  Matrix<S> a = random_symmetric<S>(20, 9), b = random_spd<S>(20, 20, 10);
  const auto expected = solve_pencil<S>(a, b, 3);
  a.template triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<S>::quiet_NaN());
  b.template triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<S>::quiet_NaN());
  EXPECT_EQ(solve_pencil<S>(a, b, 3).vectors, expected.vectors);
}

TYPED_TEST(PencilEigenTest, MisuseAndBadDataAreNamed) {
  using S = TypeParam;
  const Matrix<S> a = random_symmetric<S>(9, 11), identity = Matrix<S>::Identity(9, 9);
  EXPECT_EQ(message<UsageError>([&] { solve_pencil<S>(a, identity, 0); }),
            "0 eigenpairs requested for a pencil of size 9");
  EXPECT_EQ(message<UsageError>([&] { solve_pencil<S>(a, identity, 10); }),
            "10 eigenpairs requested for a pencil of size 9");
  EXPECT_EQ(message<UsageError>([&] { solve_pencil<S>(a, Matrix<S>::Identity(8, 9), 2); }),
            "A and B must be square and of the same size, got 9x9 and 8x9");
  Matrix<S> b = identity;
  b(6, 6) = -1;
  EXPECT_EQ(message<DataError>([&] { solve_pencil<S>(a, b, 2); }),
            "B is not positive definite: its leading 7x7 block is not");
  EXPECT_EQ(message<DataError>([&] { solve_pencil<S>(a, Matrix<S>::Zero(9, 9), 2); }),
            "B is singular to working precision: its rank is 0 of 9");
  b = identity;
  b(6, 3) = b(3, 6) = 1;
  EXPECT_EQ(message<DataError>([&] { solve_pencil<S>(a, b, 2); }),
            "B is singular to working precision: its rank is 8 of 9");
  Matrix<S> broken = a;
  broken(4, 2) = std::numeric_limits<S>::infinity();
  EXPECT_EQ(message<DataError>([&] { solve_pencil<S>(broken, identity, 2); }),
            "A has a NaN or infinite entry");
  EXPECT_EQ(message<DataError>([&] { solve_pencil<S>(a, broken, 2); }), "B has a NaN or infinite entry");
}

TYPED_TEST(PencilEigenTest, SingularGramMatricesAreRefused) {
  using S = TypeParam;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Matrix<S> samples = gaussian<S>(20, 40, {seed, 1});
    const Matrix<S> b = samples.transpose() * samples;  // rank 20
    EXPECT_THROW(solve_pencil<S>(Matrix<S>::Identity(40, 40), b, 3), DataError);
  }
}

}  // namespace landfall::test
