// Wilks' lambda against published examples.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/models/cca/cca.hpp>

#include "support.hpp"
#include <models/iris.hpp>
#include <models/linnerud.hpp>

namespace landfall::test::wilks_test {

CcaResult<double> fit_rows(const RowMatrix<double>& left, const RowMatrix<double>& right,
                           const CcaOptions& options) {
  return fit_cca<double>(std::make_unique<landfall::MemorySource<double>>(left),
                         std::make_unique<landfall::MemorySource<double>>(right), options);
}

/// SAS/STAT User's Guide, PROC CANCORR, fitness club data: likelihood ratios 0.35039053, 0.95472266, 0.99473355; approximate F 2.05,
/// 0.18, 0.08; degrees of freedom 9 and 34.223, 4 and 30, 1 and 16; Pr > F 0.0635, 0.9491, 0.7748. Only the first pair is asked
/// for: lambda is that of all.
TEST(Wilks, IsWhatSasPrintsForTheFitnessClub) {
  const auto result = fit_rows(linnerud(3), linnerud(0), {.components = 3});
  ASSERT_EQ(result.wilks.size(), 3U);
  const std::array lambda{0.35039053, 0.95472266, 0.99473355}, f{2.05, 0.18, 0.08}, df1{9.0, 4.0, 1.0},
      df2{34.223, 30.0, 16.0}, p{0.0635, 0.9491, 0.7748};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(result.wilks[k].lambda, lambda[k], 1e-8);
    EXPECT_NEAR(result.wilks[k].f.statistic, f[k], 0.006);
    EXPECT_NEAR(result.wilks[k].f.degrees, df1[k], 1e-9);
    EXPECT_NEAR(result.wilks[k].f.denominator, df2[k], 5e-4);
    EXPECT_NEAR(result.wilks[k].f.p, p[k], 6e-5);
  }
  const auto first = fit_rows(linnerud(3), linnerud(0), {.components = 1});
  EXPECT_NEAR(first.wilks.at(0).lambda, lambda[0], 1e-8);
}

/// UCLA, "Canonical Correlation Analysis, R Data Analysis Examples" (600 pupils, 3 and 5 columns; package CCP): correlations 0.4640861,
/// 0.1675092, 0.1039911; Wilks 0.75436, 0.96143, 0.98919; F 11.7157, 2.9445, 2.1646; df2 1634.65, 1186, 594; p 0, 0.0029, 0.0911.
TEST(Wilks, IsWhatThePackageCcpPrints) {
  Vector<double> correlations(3);
  correlations << 0.4640861, 0.1675092, 0.1039911;
  const auto tests = wilks_tests(correlations, log_wilks(correlations), {.left = 3, .right = 5, .rows = 600});
  const std::array lambda{0.7543611, 0.9614300, 0.9891858}, f{11.715733, 2.944459, 2.164612},
      df1{15.0, 8.0, 3.0}, df2{1634.653, 1186.0, 594.0}, p{0.0, 0.002905, 0.091092};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(tests[k].lambda, lambda[k], 1e-6);
    EXPECT_NEAR(tests[k].f.statistic, f[k], 2e-5);
    EXPECT_EQ(tests[k].f.degrees, df1[k]);
    EXPECT_NEAR(tests[k].f.denominator, df2[k], 5e-4);
    EXPECT_NEAR(tests[k].f.p, p[k], 1e-6);
  }
}

/// R 4.2.2: summary(manova(as.matrix(iris[, 1:4]) ~ iris$Species), test = "Wilks") prints 0.023439, F 199.15 on 8 and 288 degrees of
/// freedom: the canonical correlations of the columns with the indicators of two species.
TEST(Wilks, OfIndicatorsOfClassesIsManovas) {
  RowMatrix<double> classes = RowMatrix<double>::Zero(150, 2);
  classes.col(0).head(50).setOnes();
  classes.col(1).segment(50, 50).setOnes();
  const auto result = fit_rows(iris<double>(), classes, {.components = 2});
  EXPECT_NEAR(result.wilks.at(0).lambda, 0.023439, 5e-7);
  EXPECT_NEAR(result.wilks[0].f.statistic, 199.15, 5e-3);
  EXPECT_NEAR(result.wilks[0].f.denominator, 288, 1e-9);
  // Bartlett's: -(150 - 1 - (4 + 2 + 1)/2) log lambda
  EXPECT_NEAR(result.wilks[0].chi_squared.statistic, -145.5 * std::log(result.wilks[0].lambda), 1e-9);
  EXPECT_EQ(result.wilks[0].chi_squared.degrees, 8);
}

TEST(Wilks, IsNotClaimedWhereItDoesNotHold) {
  const RowMatrix<double> x = gaussian<double>(40, 4, {1, 0}), y = gaussian<double>(40, 3, {2, 0});
  EXPECT_EQ(fit_rows(x, y, {.components = 2}).wilks.size(), 2U);
  EXPECT_TRUE(fit_rows(x, y, {.components = 2, .ridge = 0.1}).wilks.empty());
  EXPECT_TRUE(fit_rows(x, y, {.components = 2, .method = FitMethod::landing}).wilks.empty());
  EXPECT_TRUE(fit_rows(x.topRows(8), y.topRows(8), {.components = 2, .ridge = 0}).wilks.empty());
}

}  // namespace landfall::test::wilks_test
