#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/random.hpp>

#include <vector>

#include "support.hpp"

namespace landfall::test {

TEST(Random, WordsAreAFunctionOfSeedPurposeAndPosition) {
  EXPECT_EQ(random_words({1, 2}, 3), random_words({1, 2}, 3));
  EXPECT_NE(random_words({1, 2}, 3), random_words({1, 2}, 4));
  EXPECT_NE(random_words({1, 2}, 3), random_words({1, 3}, 3));
  EXPECT_NE(random_words({1, 2}, 3), random_words({2, 2}, 3));
}

TEST(Random, GaussianHasTheMomentsOfANormal) {
  const Index count = 200000;
  const Matrix<double> x = gaussian<double>(count, 1, {5, 0});
  const double n = static_cast<double>(count);
  // Standard errors of the mean, the variance and the fourth moment: 1, sqrt 2, sqrt 96 over sqrt n.
  EXPECT_NEAR(x.mean(), 0, 4 / std::sqrt(n));
  EXPECT_NEAR(x.squaredNorm() / n, 1, 4 * std::sqrt(2 / n));
  EXPECT_NEAR(x.array().pow(4).mean(), 3, 4 * std::sqrt(96 / n));
}

TEST(Random, BothPrecisionsDrawTheSame) {
  const Matrix<float> narrow = gaussian<float>(7, 3, {5, 0});
  EXPECT_EQ(narrow, (gaussian<double>(7, 3, {5, 0}).cast<float>()));
}

TEST(Random, DrawsOfARowAreAFunctionOfTheStreamAndTheRow) {
  const auto some = [](Stream stream, Index row) {
    Draws draws(stream, row);
    return std::vector<double>{draws.uniform(), draws.normal(), draws.uniform(), draws.normal(),
                               draws.normal()};
  };
  EXPECT_EQ(some({1, 2}, 3), some({1, 2}, 3));
  EXPECT_NE(some({1, 2}, 3), some({1, 2}, 4));
  EXPECT_NE(some({1, 2}, 3), some({1, 3}, 3));
  EXPECT_NE(some({1, 2}, 3), some({2, 2}, 3));
  for (const double u : {some({1, 2}, 0)[0], some({1, 2}, 0)[2]}) {
    EXPECT_GT(u, 0);
    EXPECT_LT(u, 1);
  }
}

TEST(Random, DrawsAreIndependentWithinAndBetweenRows) {
  const Index rows = 20000, cols = 3;
  Matrix<double> x(rows, 2 * cols);
  for (Index i = 0; i < rows; ++i) {
    Draws draws({6, 0}, i);
    for (Index j = 0; j < cols; ++j) x(i, j) = draws.normal();
    for (Index j = 0; j < cols; ++j) x(i, cols + j) = std::sqrt(12.0) * (draws.uniform() - 0.5);
  }
  // Standard errors: of a product of two 1, of a square at most sqrt 2, of a mean 1, over sqrt n.
  const double n = static_cast<double>(rows), bound = 5 * std::sqrt(2 / n);
  EXPECT_LE((x.transpose() * x / n - Matrix<double>::Identity(2 * cols, 2 * cols)).cwiseAbs().maxCoeff(),
            bound);
  const Matrix<double> shifted = x.topRows(rows - 1).transpose() * x.bottomRows(rows - 1) / n;
  EXPECT_LE(shifted.cwiseAbs().maxCoeff(), bound);
  EXPECT_LE(x.colwise().mean().cwiseAbs().maxCoeff(), bound);
}

TEST(Random, OrthonormalColumnsAreThatAndFollowTheStream) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {7, 7}, {40, 3}}) {
    const Matrix<double> q = random_orthonormal(rows, cols, {4, 1});
    EXPECT_LE((q.transpose() * q - Matrix<double>::Identity(cols, cols)).norm(), rounding<double>(1, 100));
    EXPECT_EQ(random_orthonormal(rows, cols, {4, 1}), q);
  }
  EXPECT_NE(random_orthonormal(7, 7, {4, 1}), random_orthonormal(7, 7, {5, 1}));
  EXPECT_THROW(random_orthonormal(3, 4, {4, 1}), UsageError);
}

TEST(Random, PermutationVisitsEachOnce) {
  for (const Index n : {1, 2, 3, 5, 16, 17, 1000, 4097}) {
    std::vector<int> seen(static_cast<std::size_t>(n));
    const Permutation order(n, {9, 1});
    for (Index i = 0; i < n; ++i) ++seen.at(static_cast<std::size_t>(order(i)));
    for (const int count : seen) EXPECT_EQ(count, 1) << "n = " << n;
  }
}

TEST(Random, PermutationIsTheSameInEveryVersion) {
  // Draws that a checkpoint may rely on; more than 2^32 numbers are not looked up in a table.
  const auto begin = [](Index n) {
    const Permutation order(n, {9, 1});
    return std::vector<Index>{order(0), order(1), order(2), order(3), order(4)};
  };
  EXPECT_EQ(begin(1000), (std::vector<Index>{747, 23, 565, 6, 723}));
  EXPECT_EQ(begin(60000), (std::vector<Index>{14570, 11048, 26579, 33927, 32562}));
  EXPECT_EQ(begin(5000000000),
            (std::vector<Index>{4378570592, 659342039, 3783206057, 2684186872, 4586401841}));
}

TEST(Random, PermutationPositionsAreUniform) {
  // Chi-square over 64 cells of (first position of row 0) for many purposes; mean 63, standard deviation
  // sqrt(126).
  const Index n = 64;
  const int draws = 6400;
  std::vector<double> count(64);
  for (int purpose = 0; purpose < draws; ++purpose)
    count[static_cast<std::size_t>(Permutation(n, {10, static_cast<std::uint64_t>(purpose)})(0))] += 1;
  double chi_square = 0;
  for (const double c : count) chi_square += (c - 100) * (c - 100) / 100;
  EXPECT_NEAR(chi_square, 63, 4 * std::sqrt(126.0));
}

}  // namespace landfall::test
