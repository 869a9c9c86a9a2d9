#include <landfall/errors.hpp>
#include <landfall/models/gevp/eigenpairs.hpp>

#include "support.hpp"

namespace landfall::test::eigenpairs_test {

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
      const auto quality = pair_quality<S>(pencil.a, pencil.b, pairs);
      EXPECT_LE(quality.infeasibility, rounding<S>(20));
      ASSERT_EQ(quality.residuals.size(), p);
      // A of norm about 9 against ||A x|| of about 1 and more: a residual of a few eps ||A|| ||x||
      EXPECT_LE(quality.residuals.maxCoeff(), rounding<S>(20, 200));
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
  const auto pairs = rayleigh_ritz<S>(pencil.a, pencil.b, x);
  EXPECT_LE(pair_quality<S>(pencil.a, pencil.b, pairs).infeasibility, rounding<S>(20));
}

TYPED_TEST(EigenpairsTest, QualityIsTheDepartureThatWasPutIn) {
  using S = TypeParam;
  const Pencil<S> pencil;
  const Matrix<S> x = random_near_manifold<S>(pencil.b.matrix(), 5, 0.25, 8);
  const auto quality = pair_quality<S>(pencil.a, pencil.b, {Vector<S>::Zero(5), x});
  EXPECT_NEAR(quality.infeasibility, S(0.25), rounding<S>(20));
  EXPECT_LE((quality.residuals - Vector<S>::Ones(5)).norm(), rounding<S>(1));  // A x against 0 B x

  auto pairs = solve_pencil<S>(pencil.a.matrix(), pencil.b.matrix(), 3);
  pairs.values *= S(1.01);  // |0.01 lambda| ||B x|| against 2.01 |lambda| ||B x||
  const Vector<S> off = pair_quality<S>(pencil.a, pencil.b, pairs).residuals;
  EXPECT_LE((off.array() - S(0.01 / 2.01)).matrix().norm(), rounding<S>(20, 200));
}

TYPED_TEST(EigenpairsTest, QualityHasNoScaleAndNoNaN) {
  using S = TypeParam;
  const Pencil<S> pencil;
  const auto zero = pair_quality<S>(pencil.a, pencil.b, {Vector<S>::Zero(2), Matrix<S>::Zero(40, 2)});
  EXPECT_EQ(zero.residuals, (Vector<S>::Zero(2)));
  EXPECT_NEAR(zero.infeasibility, std::sqrt(S(2)), rounding<S>(2));

  const Matrix<S> x = gaussian<S>(40, 3, {10, 1});
  const Vector<S> values = Vector<S>::LinSpaced(3, 1, 3);
  const Vector<S> plain = pair_quality<S>(pencil.a, pencil.b, {values, x}).residuals;
  for (const S scale : {S(1e-25), S(1e18)}) {  // norms whose squares leave the range of single precision
    const DenseOperator<S> scaled(scale * pencil.a.matrix());
    const Vector<S> same = pair_quality<S>(scaled, pencil.b, {scale * values, x}).residuals;
    EXPECT_LE((same - plain).norm(), rounding<S>(1));
  }
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
  EXPECT_THROW(pair_quality<S>(pencil.a, pencil.b, {Vector<S>::Zero(2), Matrix<S>::Zero(40, 3)}), UsageError);
}

}  // namespace landfall::test::eigenpairs_test
