// How many pairs, how much ridge, and what one view says about the other.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/cca/grid.hpp>
#include <landfall/models/ica/stability.hpp>
#include <landfall/models/lda/shrinkage.hpp>

#include "support.hpp"
#include <models/classes.hpp>

namespace landfall::test::choice_test {

struct Table {
  RowMatrix<double> left, right;
  SourcePtr<double> x() const { return std::make_unique<landfall::MemorySource<double>>(left, "left"); }
  SourcePtr<double> y() const { return std::make_unique<landfall::MemorySource<double>>(right, "right"); }
};

Table related(Index rows, Index left, Index right, Index shared, std::uint64_t seed) {
  Table table{gaussian<double>(rows, left, {seed, 0}), gaussian<double>(rows, right, {seed, 1})};
  table.right.leftCols(shared) += table.left.leftCols(shared);
  table.left.array() += 2;
  table.left.col(0) *= 100;
  return table;
}

TEST(Choice, FindsTheNumberOfRealPairs) {
  int more = 0;
  constexpr int kTables = 20;
  for (std::uint64_t seed = 1; seed <= kTables; ++seed) {
    const Index shared = seed % 2 == 0 ? 1 : 3;
    const Table table = related(800, 8, 7, shared, seed);
    const auto found = cross_validate_grid<double>(table.x(), table.y(), {}, {.ridges = {0, 0.1}});
    EXPECT_GE(found.components, shared);
    EXPECT_EQ(found.totals.rows(), 7);
    EXPECT_EQ(found.rows, 800);
    EXPECT_EQ(found.ridge, 0U) << "a ridge that is not needed";
    EXPECT_EQ(found.components, found.pairs[found.ridge]);
    const auto fitted = fit_cca<double>(table.x(), table.y(), {});
    EXPECT_EQ(real_pairs(fitted.cross_validated), found.components);
    more += found.components > shared;
  }
  // A pair of noise is two standard errors above 0 in one of 44 tables: more than two of 20 happen once in a hundred times.
  EXPECT_LE(more, 2);
}

TEST(Choice, NoiseHasNoRealPairs) {
  const Table noise = related(300, 6, 5, 0, 5);
  const auto found = cross_validate_grid<double>(noise.x(), noise.y(), {}, {});
  EXPECT_FALSE(found.any_real);
  EXPECT_EQ(found.components, 1);
  EXPECT_EQ(real_pairs(fit_cca<double>(noise.x(), noise.y(), {}).cross_validated), 0);
}

TEST(Choice, WideTablesGetARidge) {
  const Table table = related(150, 40, 40, 3, 6);
  const auto found = cross_validate_grid<double>(table.x(), table.y(), {}, {.ridges = {0, 0.3}});
  EXPECT_EQ(found.ridge, 1U);
  EXPECT_GT(found.totals(2, 1), found.totals(2, 0) + found.errors(2, 1));
}

/// The grid is cross-validation with each ridge.
TEST(Choice, TheGridIsWhatFitsWithEachRidgeGive) {
  const Table table = related(300, 5, 4, 2, 7);
  const auto found =
      cross_validate_grid<double>(table.x(), table.y(), {.seed = 3}, {.ridges = {0.01, 1}, .folds = 4});
  for (std::size_t r = 0; r < 2; ++r) {
    const auto one = fit_cca<double>(
        table.x(), table.y(), {.components = 4, .relative_ridge = found.ridges[r], .folds = 4, .seed = 3});
    double total = 0;
    for (Index p = 0; p < 4; ++p) {
      total += one.cross_validated.by_fold.row(p).mean();
      EXPECT_NEAR(found.totals(p, static_cast<Index>(r)), total, 1e-6) << p << " " << r;
    }
  }
}

TEST(Choice, RefusesWhatItCannotDo) {
  const Table table = related(300, 60, 50, 1, 8);
  EXPECT_THROW(cross_validate_grid<double>(table.x(), table.y(), {.memory = 1000}, {}), UsageError);
  const Table few = related(12, 3, 3, 1, 9);
  EXPECT_THROW(cross_validate_grid<double>(few.x(), few.y(), {}, {}), DataError);
  const Table wide = related(60, 60, 50, 1, 8);  // a ridge of 0 is left out
  EXPECT_EQ(cross_validate_grid<double>(wide.x(), wide.y(), {}, {.ridges = {0, 1}}).ridges,
            std::vector<double>{1});
}

TEST(Choice, KeepsTheFirstPairsOfAResult) {
  const Table table = related(200, 4, 3, 1, 10);
  auto all = fit_cca<double>(table.x(), table.y(),
                             {.components = 3, .held_out = 0.2, .permutations = 19, .bootstrap = 10});
  const auto whole = all;
  keep_pairs(all, 1);
  EXPECT_EQ(all.correlations, whole.correlations.head(1));
  EXPECT_EQ(all.views[1].weights, whole.views[1].weights.leftCols(1));
  EXPECT_EQ(all.views[0].cross_loadings.cols(), 1);
  EXPECT_EQ(all.cross_validated.by_fold.rows(), 1);
  EXPECT_EQ(all.bootstrap.loadings[0].upper.cols(), 1);
  EXPECT_EQ(all.wilks.size(), 1U);
}

TEST(Prediction, IsTheRegressionOnTheScoresOfTheOtherView) {
  const Table table = related(500, 4, 5, 2, 11);
  for (const FitMethod method : {FitMethod::exact, FitMethod::landing}) {
    const auto fitted = fit_cca<double>(table.x(), table.y(), {.components = 2, .method = method});
    const Matrix<double> s = (table.left.rowwise() - fitted.views[0].mean.transpose()) *
                             fitted.views[0].weights,
                         y = table.right.rowwise() - fitted.views[1].mean.transpose();
    const Matrix<double> residual = y - s * fitted.prediction[1].transpose();
    EXPECT_LT((s.transpose() * residual).norm(), 1e-8 * y.norm());
  }
}

TEST(Prediction, R2IsThatOfTheHeldOutRows) {
  const Table table = related(900, 4, 5, 2, 12);
  const CcaOptions options{.components = 2, .held_out = 0.3, .seed = 4};
  const auto fitted = fit_cca<double>(table.x(), table.y(), options);
  std::vector<Index> out;
  for (Index i = 0; i < 900; ++i)
    if (part_of(i, {.seed = 4, .held_out = 0.3}) == Part::held_out) out.push_back(i);
  const Matrix<double> left = table.left(out, Eigen::all), right = table.right(out, Eigen::all);
  const Matrix<double> s = (left.rowwise() - fitted.views[0].mean.transpose()) * fitted.views[0].weights;
  const Matrix<double> guess =
      (s * fitted.prediction[1].transpose()).rowwise() + fitted.views[1].mean.transpose();
  for (Index j = 0; j < 5; ++j) {
    const double all = (right.col(j).array() - right.col(j).mean()).square().sum();
    EXPECT_NEAR(fitted.prediction_r2[1](j), 1 - (right - guess).col(j).squaredNorm() / all, 1e-9) << j;
  }
  EXPECT_GT(fitted.prediction_r2[1](0), 0.3);
  EXPECT_LT(fitted.prediction_r2[1](4), 0.1);
}

TEST(Shrinkage, HelpsWhereRowsAreFew) {
  constexpr Index kRows = 60, kColumns = 40;
  RowMatrix<double> rows = gaussian<double>(kRows, kColumns, {13, 0});
  std::vector<std::uint32_t> classes;
  for (Index i = 0; i < kRows; ++i) {
    classes.push_back(static_cast<std::uint32_t>(i % 2));
    rows.row(i).head(10).array() += i % 2 ? 0.8 : -0.8;
  }
  const Labels labels = labels_from(classes);
  const auto choice = cross_validate_shrinkage<double>(rows_of<double>(rows), labels, {}, {0, 1, 10});
  EXPECT_EQ(choice.folds, 5);
  EXPECT_GE(choice.accuracy(2), choice.accuracy(0));
  EXPECT_GT(choice.ridges[choice.chosen], 0);
  EXPECT_GT(choice.accuracy.maxCoeff(), 0.8);
}

/// Real sources come back from every start; directions of Gaussian noise do not.
TEST(IcaStability, TellsSourcesFromAccidents) {
  constexpr Index kRows = 2000;
  Matrix<double> sources = gaussian<double>(kRows, 6, {15, 0});
  sources.leftCols(3) = sources.leftCols(3).array().cube();
  const RowMatrix<double> data = sources * gaussian<double>(6, 6, {16, 0}).transpose();
  const auto result = fit_ica<double>(rows_of<double>(data), {});
  const auto source = rows_of<double>(data);
  const auto stability = ica_stability<double>(*source, result, {}, 5);
  EXPECT_EQ(stability.restarts, 5);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(stability.returned[j], 5) << j;
  EXPECT_GT(stability.similarity.head(3).minCoeff(), 0.98);
  EXPECT_LT(stability.similarity.tail(3).minCoeff(), stability.similarity.head(3).minCoeff());
}

TEST(Confusion, CountsWhatAccuracySums) {
  const RowMatrix<double> rows = gaussian<double>(300, 3, {14, 0});
  std::vector<std::uint32_t> classes;
  RowMatrix<double> shifted = rows;
  for (Index i = 0; i < 300; ++i) {
    classes.push_back(static_cast<std::uint32_t>(i % 3));
    shifted.row(i).array() += 1.5 * static_cast<double>(i % 3);
  }
  const auto result = fit_lda<double>(rows_of<double>(shifted), labels_from(classes), {.held_out = 0.3});
  EXPECT_NEAR(result.confusion.trace() / result.confusion.sum(), result.training_accuracy, 1e-12);
  EXPECT_NEAR(result.held_out_confusion.trace() / result.held_out_confusion.sum(), *result.held_out_accuracy,
              1e-12);
  EXPECT_EQ(result.confusion.sum() + result.held_out_confusion.sum(), 300);
  const ClassRates rates = class_rates(result.confusion);
  EXPECT_NEAR(rates.recall(1), result.confusion(1, 1) / result.confusion.row(1).sum(), 1e-12);
  EXPECT_NEAR(rates.precision(1), result.confusion(1, 1) / result.confusion.col(1).sum(), 1e-12);
}

}  // namespace landfall::test::choice_test
