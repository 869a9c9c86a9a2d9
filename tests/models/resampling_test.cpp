// Permutation tests and the bootstrap on rows whose answer is known.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/parallel/threads.hpp>

#include "support.hpp"

namespace landfall::test::resampling_test {

struct Rows {
  RowMatrix<double> left, right;
  CcaResult<double> fit(const CcaOptions& options) const {
    return fit_cca<double>(std::make_unique<landfall::MemorySource<double>>(left),
                           std::make_unique<landfall::MemorySource<double>>(right), options);
  }
};

/// Pairs with the given correlations, mixed with noise columns.
Rows pairs(Index rows, const std::vector<double>& correlations, Index more, std::uint64_t seed) {
  const auto k = static_cast<Index>(correlations.size());
  Matrix<double> x = gaussian<double>(rows, k + more, {seed, 0}),
                 y = gaussian<double>(rows, k + more, {seed, 1});
  for (Index j = 0; j < k; ++j) {
    const double rho = correlations[static_cast<std::size_t>(j)];
    y.col(j) = rho * x.col(j) + std::sqrt(1 - rho * rho) * y.col(j);
  }
  return {x * gaussian<double>(k + more, k + more, {seed, 2}),
          y * gaussian<double>(k + more, k + more, {seed, 3})};
}

TEST(PermutationTest, SeesWhichPairsAreReal) {
  const auto result = pairs(200, {0.8, 0.6}, 3, 1).fit({.components = 4, .permutations = 199});
  EXPECT_EQ(result.permutation.permutations, 199);
  EXPECT_EQ(result.permutation.rows, 200);
  EXPECT_EQ(result.permutation.p(0), 1.0 / 200);
  EXPECT_EQ(result.permutation.p(1), 1.0 / 200);
  EXPECT_GT(result.permutation.p(2), 0.05);
  EXPECT_GE(result.permutation.p(3), result.permutation.p(2));
}

TEST(PermutationTest, IsNearWilksForNormalRows) {
  for (const std::uint64_t seed : {11, 12, 13}) {
    const auto result = pairs(80, {0.3}, 2, seed).fit({.components = 1, .permutations = 999});
    const double p = result.wilks.at(0).f.p;
    EXPECT_NEAR(result.permutation.p(0), p, 4 * std::sqrt(p * (1 - p) / 999) + 0.01) << seed;
  }
}

TEST(PermutationTest, DoesNotDependOnUnitsMixturesAndThreads) {
  const Rows rows = pairs(120, {0.3}, 3, 2);
  const CcaOptions options{.components = 2, .permutations = 99};
  const Vector<double> p = rows.fit(options).permutation.p;
  Rows other = rows;
  other.left = (rows.left * gaussian<double>(4, 4, {77, 0})).array() + 5;
  EXPECT_EQ(other.fit(options).permutation.p, p);
  const int before = threads();
  set_threads(1);
  EXPECT_EQ(rows.fit(options).permutation.p, p);
  set_threads(before);
}

TEST(PermutationTest, WorksForMoreColumnsThanRowsAndLanding) {
  const Rows wide = pairs(60, {0.99, 0.9}, 78, 3);  // 80 columns each
  EXPECT_GT(wide.fit({.components = 1, .permutations = 99}).permutation.p(0), 0);
  const auto landed =
      pairs(400, {0.8}, 5, 4).fit({.components = 1, .method = FitMethod::landing, .permutations = 99});
  EXPECT_EQ(landed.permutation.p(0), 0.01);
}

/// The rows that fit in memory are tested, and the run says how many.
TEST(PermutationTest, TakesTheRowsThatFit) {
  const auto result = pairs(4000, {0.8}, 9, 5).fit({.components = 1, .memory = 1 << 20, .permutations = 99});
  EXPECT_LT(result.permutation.rows, 4000);
  EXPECT_EQ(result.permutation.p(0), 0.01);
  EXPECT_NE(result.warnings.back().find("of 4000 rows"), std::string::npos) << result.warnings.back();
}

TEST(Bootstrap, IntervalsCoverTheTruth) {
  int covered = 0, loadings_covered = 0, loadings = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto result =
        pairs(300, {0.7}, 1, 100 + seed).fit({.components = 1, .bootstrap = 200, .seed = seed});
    const CcaBootstrap& intervals = result.bootstrap;
    covered += intervals.lower(0) <= 0.7 && 0.7 <= intervals.upper(0);
    for (std::size_t v = 0; v < 2; ++v)
      for (Index j = 0; j < 2; ++j) {
        const double r = result.views[v].loadings(j, 0);
        loadings_covered += intervals.loadings[v].lower(j, 0) <= r && r <= intervals.loadings[v].upper(j, 0);
        ++loadings;
      }
    // (1 - rho^2)/sqrt(N) = 0.029
    EXPECT_NEAR(intervals.errors(0), 0.03, 0.015);
  }
  EXPECT_GE(covered, 33);  // 95 % of 40 is 38, standard deviation 1.4
  EXPECT_EQ(loadings_covered, loadings);
}

TEST(Bootstrap, HasARowForEachColumnOfTheFile) {
  Rows rows = pairs(100, {0.8, 0.5}, 0, 6);
  rows.left.conservativeResize(Eigen::NoChange, 3);
  rows.left.col(2) = rows.left.col(1);
  rows.left.col(1).setConstant(1);
  const auto result = rows.fit({.components = 2, .bootstrap = 50});
  EXPECT_EQ(result.bootstrap.loadings[0].lower.rows(), 3);
  EXPECT_EQ(result.bootstrap.loadings[0].upper.row(1).norm(), 0);
  EXPECT_EQ(result.bootstrap.resamples, 50);
  EXPECT_TRUE((result.bootstrap.lower.array() <= result.bootstrap.upper.array()).all());
}

}  // namespace landfall::test::resampling_test
