#include <landfall/errors.hpp>
#include <landfall/models/eigenpairs.hpp>

#include "support.hpp"

namespace landfall::test {

template <class S>
using EigenpairsTest = Typed<S>;
TYPED_TEST_SUITE(EigenpairsTest, Scalars);

template <class S>
struct Pencil {
  DenseOperator<S> a{random_symmetric<S>(40, 1)};
  DenseOperator<S> b{random_spd<S>(40, 20, 2)};
};

TYPED_TEST(EigenpairsTest, AnyBasisOfAnInvariantSubspaceGivesItsEigenpairs) {
  using S = TypeParam;
  const Pencil<S> pencil;
  for (const bool smallest : {false, true})
    for (const Index p : {1, 6}) {
      auto exact = solve_pencil<S>(pencil.a.matrix(), pencil.b.matrix(), p, smallest);
      fix_signs(exact.vectors);
      const Matrix<S> mixed = exact.vectors * gaussian<S>(p, p, {3, 1});  // condition of a few tens
      const auto pairs = rayleigh_ritz<S>(pencil.a, pencil.b, mixed, smallest);
      const S scale = exact.values.cwiseAbs().maxCoeff();
      EXPECT_LE((pairs.values - exact.values).norm(), rounding<S>(scale, 200));
      EXPECT_LE((pairs.vectors - exact.vectors).norm(), rounding<S>(exact.vectors.norm(), 2000));
      EXPECT_LE(infeasibility<S>(pencil.b, pairs.vectors), rounding<S>(20));
      const Vector<S> errors = residuals<S>(pencil.a, pencil.b, pairs);
      ASSERT_EQ(errors.size(), p);
      const S size = (pencil.a.matrix().norm() + scale * pencil.b.matrix().norm()) * pairs.vectors.norm();
      EXPECT_LE(errors.maxCoeff(), rounding<S>(size, 200));
    }
}

TYPED_TEST(EigenpairsTest, RitzPairsOfAnySubspaceAreOrderedAndStationaryWithinIt) {
  using S = TypeParam;
  const Pencil<S> pencil;
  const auto pairs = rayleigh_ritz<S>(pencil.a, pencil.b, gaussian<S>(40, 5, {4, 1}));
  EXPECT_TRUE(std::is_sorted(pairs.values.begin(), pairs.values.end(), std::greater<>()));
  const Matrix<S> xax = pairs.vectors.transpose() * pencil.a.matrix() * pairs.vectors;
  EXPECT_LE((xax - Matrix<S>(pairs.values.asDiagonal())).norm(), rounding<S>(20 * xax.norm()));
  const auto lowest = rayleigh_ritz<S>(pencil.a, pencil.b, pairs.vectors, true);
  EXPECT_LE((lowest.values.reverse() - pairs.values).norm(), rounding<S>(20 * xax.norm()));
}

TYPED_TEST(EigenpairsTest, IllConditionedBasesStillGiveBOrthonormalVectors) {
  using S = TypeParam;
  const Pencil<S> pencil;
  Matrix<S> x = gaussian<S>(40, 4, {5, 1});
  const S nearly = std::sqrt(std::sqrt(std::numeric_limits<S>::epsilon()));  // X'BX has condition eps^-1/2
  x.col(3) = x.col(0) + nearly * x.col(3);
  x.col(1) *= S(1e8);
  x.col(2) *= S(1e-8);
  EXPECT_LE(infeasibility<S>(pencil.b, rayleigh_ritz<S>(pencil.a, pencil.b, x).vectors), rounding<S>(20));
}

TYPED_TEST(EigenpairsTest, StationarityIgnoresRotationsAndSeesDepartures) {
  using S = TypeParam;
  const Pencil<S> pencil;
  const auto exact = solve_pencil<S>(pencil.a.matrix(), pencil.b.matrix(), 4);
  const Matrix<S> turned = exact.vectors * random_orthogonal<S>(4, 6);
  const S size =
      (pencil.a.matrix().norm() + exact.values(0) * pencil.b.matrix().norm()) * exact.vectors.norm();
  EXPECT_LE(stationarity<S>(pencil.a, pencil.b, turned), rounding<S>(size));
  EXPECT_GE(stationarity<S>(pencil.a, pencil.b, random_near_manifold<S>(pencil.b.matrix(), 4, 0, 7)), S(0.1));
}

TYPED_TEST(EigenpairsTest, InfeasibilityIsTheDistanceThatWasPutIn) {
  using S = TypeParam;
  const Pencil<S> pencil;
  const Matrix<S> x = random_near_manifold<S>(pencil.b.matrix(), 5, 0.25, 8);
  EXPECT_NEAR(infeasibility<S>(pencil.b, x), S(0.25), rounding<S>(20));
}

TYPED_TEST(EigenpairsTest, SignsAreFixedByTheLargestEntry) {
  using S = TypeParam;
  Matrix<S> v(3, 3);
  v << -3, 1, 0,  //
      1, -1, 0,   //
      2, 0, 0;
  fix_signs(v);
  Matrix<S> expected(3, 3);
  expected << 3, 1, 0,  //
      -1, -1, 0,        //
      -2, 0, 0;
  EXPECT_EQ(v, expected);
}

TYPED_TEST(EigenpairsTest, RankDeficiencyAndMisuseAreNamed) {
  using S = TypeParam;
  const Pencil<S> pencil;
  Matrix<S> x = gaussian<S>(40, 5, {9, 1});
  x.col(2) = x.col(0) + x.col(1);
  x.col(4).setZero();
  try {
    rayleigh_ritz<S>(pencil.a, pencil.b, x);
    FAIL() << "accepted a rank-deficient X";
  } catch (const NumericalError& error) {
    EXPECT_STREQ(error.what(), "Rayleigh-Ritz on 5 columns of rank 3");
  }
  try {
    rayleigh_ritz<S>(pencil.a, pencil.b, Matrix<S>(40, 0));
    FAIL() << "accepted an X without columns";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "Rayleigh-Ritz needs at least one column, got 0");
  }
  x(3, 3) = std::numeric_limits<S>::quiet_NaN();
  EXPECT_THROW(rayleigh_ritz<S>(pencil.a, pencil.b, x), NumericalError);
  EXPECT_THROW(rayleigh_ritz<S>(pencil.a, pencil.b, Matrix<S>::Ones(39, 1)), UsageError);
  EXPECT_THROW(residuals<S>(pencil.a, pencil.b, {Vector<S>::Zero(2), Matrix<S>::Zero(40, 3)}), UsageError);
}

}  // namespace landfall::test
