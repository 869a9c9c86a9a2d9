// Under the null hypothesis p-values are uniform: Kolmogorov and Smirnov's test over 500 data sets without any relation between
// the views. Seeds are fixed, so that the outcome is too; a wrong statistic, or one with the wrong degrees of freedom, is far beyond the bound.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/models/cca/cca.hpp>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace landfall {
namespace {

constexpr int kSets = 500;
constexpr double kBound = 1.63 / 22.36068;  // of the 1 % level: 1.63 / sqrt(500)

/// The largest distance of the empirical distribution from the uniform one.
double kolmogorov(std::vector<double> p) {
  std::ranges::sort(p);
  double largest = 0;
  const double n = static_cast<double>(p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    largest = std::max({largest, std::abs(p[i] - static_cast<double>(i) / n),
                        std::abs(p[i] - static_cast<double>(i + 1) / n)});
  return largest;
}

CcaResult<double> unrelated(std::uint64_t set, bool heavy, const CcaOptions& options) {
  RowMatrix<double> x = gaussian<double>(60, 4, {set, 51}), y = gaussian<double>(60, 3, {set, 52});
  if (heavy) {
    x = x.array().cube();
    y = y.array().cube();
  }
  return fit_cca<double>(std::make_unique<MemorySource<double>>(x), std::make_unique<MemorySource<double>>(y),
                         options);
}

TEST(Null, WilksHasUniformPValuesForNormalRows) {
  std::vector<double> rao, bartlett;
  for (int set = 0; set < kSets; ++set) {
    const auto result = unrelated(static_cast<std::uint64_t>(set), false, {.components = 1, .folds = 0});
    rao.push_back(result.wilks.at(0).f.p);
    bartlett.push_back(result.wilks[0].chi_squared.p);
  }
  EXPECT_LT(kolmogorov(rao), kBound);
  EXPECT_LT(kolmogorov(bartlett), kBound);
}

TEST(Null, PermutationsHaveUniformPValuesForAnyRows) {
  for (const bool heavy : {false, true}) {
    std::vector<double> p;
    for (int set = 0; set < kSets; ++set) {
      const auto number = static_cast<std::uint64_t>(set);
      const auto result =
          unrelated(number, heavy, {.components = 1, .folds = 0, .permutations = 199, .seed = number});
      p.push_back(result.permutation.p(0) -
                  uniform({number, 53}, 0) / 200);  // k/200 becomes uniform in its step
    }
    EXPECT_LT(kolmogorov(p), kBound) << heavy;
  }
}

/// With one real pair, the test of the second is one under the null.
TEST(Null, TheSecondPairIsTestedWithinWhatTheFirstLeaves) {
  int rejected = 0;
  for (int set = 0; set < kSets; ++set) {
    const auto number = static_cast<std::uint64_t>(set);
    RowMatrix<double> x = gaussian<double>(80, 4, {number, 54}), y = gaussian<double>(80, 3, {number, 55});
    y.col(0) += 2 * x.col(0);
    const auto result =
        fit_cca<double>(std::make_unique<MemorySource<double>>(x), std::make_unique<MemorySource<double>>(y),
                        {.components = 2, .folds = 0, .permutations = 99, .seed = number});
    EXPECT_EQ(result.permutation.p(0), 0.01);
    rejected += result.permutation.p(1) <= 0.05;
  }
  EXPECT_LT(rejected, 0.05 * kSets + 3 * std::sqrt(0.05 * 0.95 * kSets));
  EXPECT_GT(rejected, 0.01 * kSets);  // and it is not needlessly cautious
}

}  // namespace
}  // namespace landfall
