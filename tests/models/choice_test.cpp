// How many pairs, how much ridge, and what one view says about the other.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/cca/grid.hpp>
#include <landfall/models/lda/shrinkage.hpp>
#include <landfall/run/loadings.hpp>

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

/// Scores correlate where there is a ridge, so that the regression on fewer of them is not a part of that on all.
TEST(Choice, TheRegressionOnTheFirstPairsIsThatOnTheirScores) {
  const Table table = related(300, 5, 4, 2, 13);
  auto fitted = fit_cca<double>(table.x(), table.y(), {.components = 3, .ridge = 0.5});
  keep_pairs(fitted, 2);
  const Matrix<double> left = table.left.rowwise() - fitted.views[0].mean.transpose(),
                       right = table.right.rowwise() - fitted.views[1].mean.transpose(),
                       s = left * fitted.views[0].weights;
  for (const auto& [columns, regression] :
       {std::pair(left, fitted.regression[0]), std::pair(right, fitted.prediction[1])})
    EXPECT_LT((s.transpose() * (columns - s * regression.transpose())).norm(), 1e-8 * columns.norm());
}

/// Whatever the method, the scaling and the weights: what loadings_of() finds in a reading of its own.
TEST(Choice, TheRegressionOnOwnScoresIsThatOfAnotherReading) {
  const Table table = related(400, 5, 4, 2, 14);
  std::vector<double> weights(400);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 3);
  for (const FitMethod method : {FitMethod::exact, FitMethod::landing})
    for (const Scaling scaling : {Scaling::none, Scaling::deviation}) {
      CcaOptions options{.components = 2, .method = method, .ridge = 0.1, .held_out = 0.2, .seed = 3};
      options.transform.scaling = scaling;
      options.weights = std::make_shared<const RowWeights>("weights", weights);
      const auto fitted = fit_cca<double>(table.x(), table.y(), options);
      const auto again = table.x();
      const Matrix<double> expected = loadings_of<double>(*again, fitted.views[0], options);
      EXPECT_LT((fitted.regression[0] - expected).norm(), 1e-7 * expected.norm());
    }
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
  EXPECT_GE(choice.accuracy(0, 2), choice.accuracy(0, 0));
  EXPECT_GT(choice.ridges[choice.chosen], 0);
  EXPECT_GT(choice.accuracy.maxCoeff(), 0.8);
}

/// Three classes in a plane, or in a line, of ten columns, the means of classes far from 0.
RowMatrix<double> three_classes(Index rows, bool line, std::vector<std::uint32_t>& classes) {
  RowMatrix<double> table = gaussian<double>(rows, 10, {17, 0}) * gaussian<double>(10, 10, {18, 0});
  for (Index i = 0; i < rows; ++i) {
    classes.push_back(static_cast<std::uint32_t>(i % 3));
    table(i, 0) += 4 * static_cast<double>(i % 3);
    if (!line && i % 3 == 1) table(i, 1) += 9;
    table.row(i).array() += 1000;
  }
  return table;
}

/// From covariances of folds or by a fit for each ridge and fold: the same accuracy.
TEST(Shrinkage, TheGridIsWhatFitsWithEachRidgeGive) {
  std::vector<std::uint32_t> classes;
  RowMatrix<double> rows(400, 12);
  rows << three_classes(400, false, classes), Vector<double>::Constant(400, 3.),
      RowMatrix<double>(gaussian<double>(400, 1, {19, 0}));
  rows.col(11) += rows.col(0) - rows.col(2);
  const Labels labels = labels_from(classes);
  const std::vector<double> ridges{0, 0.1, 3};
  const auto grid =
      cross_validate_shrinkage<double>(rows_of<double>(rows), labels, {.folds = 4, .seed = 5}, ridges);
  ASSERT_EQ(grid.components, (std::vector<Index>{1, 2}));
  for (const Index p : grid.components)
    for (std::size_t r = 0; r < ridges.size(); ++r) {
      Vector<double> shares(4);
      for (int fold = 0; fold < 4; ++fold)
        shares(fold) = *fit_lda<double>(rows_of<double>(rows), labels,
                                        {.components = p,
                                         .method = FitMethod::exact,
                                         .relative_ridge = ridges[r],
                                         .folds = 4,
                                         .fold = fold,
                                         .seed = 5})
                            .held_out_accuracy;
      EXPECT_NEAR(grid.accuracy(p - 1, static_cast<Index>(r)), shares.mean(), 1e-12) << p << " " << ridges[r];
    }
  const auto fits = cross_validate_shrinkage<double>(
      rows_of<double>(rows), labels, {.components = 2, .method = FitMethod::landing, .folds = 4, .seed = 5},
      {0.1, 3});
  EXPECT_EQ(fits.components, std::vector<Index>{2});
  EXPECT_NEAR(fits.accuracy(0, 0), grid.accuracy(1, 1), 0.01);
  const auto sparse = cross_validate_shrinkage<float>(rows_of<float>(rows.cast<float>(), true), labels,
                                                      {.folds = 4, .seed = 5}, {0.1});
  EXPECT_NEAR(sparse.accuracy(1, 0), grid.accuracy(1, 1), 0.01);
}

TEST(Shrinkage, CountsDirections) {
  for (const bool line : {true, false}) {
    std::vector<std::uint32_t> classes;
    const auto data = rows_of<double>(three_classes(900, line, classes));
    EXPECT_EQ(real_directions<double>(*data, labels_from(classes), {}), line ? 1 : 2);
    EXPECT_EQ(real_directions<double>(*data, labels_from(classes), {.relative_ridge = 0.01}), line ? 1 : 2);
  }
}

TEST(Shrinkage, DependentColumnsAndSingularClasses) {
  std::vector<std::uint32_t> classes;
  RowMatrix<double> rows(300, 11);
  rows << three_classes(300, false, classes), Vector<double>::Zero(300);
  const Labels labels = labels_from(classes);
  rows.col(10) = rows.col(3) + rows.col(4);
  EXPECT_GT(cross_validate_shrinkage<double>(rows_of<double>(rows), labels, {}, {0, 1}).accuracy(1, 0), 0.5);
  for (Index i = 0; i < 300; ++i) rows(i, 10) = static_cast<double>(i % 3);  // does not vary within classes
  const auto found = cross_validate_shrinkage<double>(rows_of<double>(rows), labels, {}, {0, 1});
  EXPECT_EQ(found.accuracy(1, 0), 0);
  EXPECT_EQ(found.chosen, 1U);
  const RowMatrix<double> wide = gaussian<double>(20, 30, {20, 0});
  const Labels few = labels_from(std::vector<std::uint32_t>(classes.begin(), classes.begin() + 20));
  EXPECT_EQ(cross_validate_shrinkage<double>(rows_of<double>(wide), few, {}, {0, 1}).accuracy(0, 0), 0);
  EXPECT_THROW(cross_validate_shrinkage<double>(rows_of<double>(rows), labels, {.components = 3}, {1}),
               NumericalError);
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
