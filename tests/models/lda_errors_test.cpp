// Odd data: a right answer or one clear sentence.
#include <landfall/errors.hpp>
#include <landfall/models/lda/lda.hpp>

#include <models/classes.hpp>

namespace landfall::test::lda_errors_test {

constexpr std::array kBoth{FitMethod::exact, FitMethod::landing};

LdaResult<double> fit(const Classes<double>& data, const LdaOptions& options) {
  return fit_lda<double>(rows_of(data.rows), data.labels(), options);
}

TEST(LdaErrors, OneClass) {
  auto data = made_up_classes<double>(50, 4, 2, 3, 1);
  std::fill(data.of.begin(), data.of.end(), 0U);
  EXPECT_THROW(fit(data, {}), DataError);
  EXPECT_EQ(sentence([&] { fit(data, {}); }),
            "data.csv: 1 class among the labels of 50 rows, expected at least 2");
}

TEST(LdaErrors, MoreComponentsThanClassesAllow) {
  const auto data = made_up_classes<double>(50, 4, 3, 3, 2);
  EXPECT_THROW(fit(data, {.components = 3}), NumericalError);
  EXPECT_EQ(sentence([&] { fit(data, {.components = 3}); }),
            "p = 3, expected at most 2: 3 classes span at most one dimension less");
}

TEST(LdaErrors, AnotherNumberOfLabels) {
  auto data = made_up_classes<double>(50, 4, 3, 3, 3);
  for (const std::size_t count : {49U, 51U}) {
    data.of.resize(count, 0);
    EXPECT_THROW(fit(data, {}), DataError);
    const auto text = sentence([&] { fit(data, {}); });
    EXPECT_NE(text.find(std::to_string(count)), std::string::npos) << text;
    EXPECT_NE(text.find("50"), std::string::npos) << text;
  }
}

TEST(LdaErrors, ClassOfOneRow) {
  auto data = made_up_classes<double>(300, 5, 2, 3, 4);
  data.of[17] = 2;
  for (const auto method : kBoth) {
    const auto result = fit(data, {.method = method});
    const BruteForce known(data, result.views[0].ridge, 2);
    EXPECT_NEAR(result.eigenvalues.sum(), known.values.sum(), 1e-3 * known.values.sum());
    EXPECT_NEAR(result.priors(2), 1.0 / 300, 1e-12);
  }
}

TEST(LdaErrors, ConstantColumnsAreDropped) {
  const auto data = made_up_classes<double>(300, 5, 3, 3, 5);
  Classes<double> more = data;
  more.rows.resize(300, 7);
  more.rows << data.rows.leftCols(2), RowMatrix<double>::Constant(300, 1, 7), data.rows.rightCols(3),
      RowMatrix<double>::Zero(300, 1);
  for (const auto method : kBoth) {
    const auto result = fit(more, {.method = method}), known = fit(data, {.method = method});
    EXPECT_EQ(result.views[0].dropped, (std::vector<Index>{2, 6}));
    EXPECT_EQ(result.views[0].weights.rows(), 7);
    EXPECT_TRUE((result.views[0].weights.row(2).array() == 0).all());
    EXPECT_TRUE((result.views[0].weights.row(6).array() == 0).all());
    EXPECT_EQ(result.views[0].mean(2), 7);
    EXPECT_LT((result.eigenvalues - known.eigenvalues).norm(), 1e-8);
    EXPECT_LT(
        (result.views[0].weights.bottomRows(4).topRows(3) - known.views[0].weights.bottomRows(3)).norm(),
        1e-8);
  }
  more.rows.setConstant(1);
  EXPECT_THROW(fit(more, {}), DataError);
}

TEST(LdaErrors, DuplicateColumnsShareTheirWeight) {
  const auto data = made_up_classes<double>(300, 4, 3, 3, 6);
  Classes<double> twice = data;
  twice.rows.resize(300, 5);
  twice.rows << data.rows, data.rows.col(1);
  EXPECT_EQ(fit(twice, {.method = FitMethod::exact}).warnings,
            std::vector<std::string>{
                "data.csv: 1 of 5 columns depend on the others; solved within the 4 dimensions they span"});
  for (const auto method : kBoth) {
    const auto result = fit(twice, {.method = method}), known = fit(data, {.method = method});
    EXPECT_LT((result.views[0].weights.row(1) - result.views[0].weights.row(4)).norm(),
              1e-3 * result.views[0].weights.norm());
    EXPECT_LT((result.eigenvalues - known.eigenvalues).norm(), 1e-2 * known.eigenvalues(0));
    EXPECT_EQ(result.training_accuracy, known.training_accuracy);
  }
}

TEST(LdaErrors, FewerRowsThanColumns) {
  const auto data = made_up_classes<double>(30, 80, 3, 3, 7);
  for (const auto method : kBoth) {
    EXPECT_THROW(fit(data, {.method = method, .ridge = 0}), NumericalError);
    const auto result = fit(data, {.method = method, .ridge = 0.1, .passes = 1000});
    const BruteForce known(data, 0.1, 2);
    EXPECT_NEAR(result.eigenvalues.sum(), known.values.sum(), 1e-2 * known.values.sum());
    EXPECT_EQ(result.training_accuracy, 1);
    EXPECT_EQ(fit(data, {.method = method}).training_accuracy, 1);  // the ridge is small but there
  }
}

// S_t is regular, yet a column is the class: S_w is not.
TEST(LdaErrors, ColumnThatIsTheClass) {
  auto data = made_up_classes<double>(200, 4, 2, 1, 8);
  for (Index i = 0; i < 200; ++i) data.rows(i, 3) = data.of[static_cast<std::size_t>(i)];
  EXPECT_THROW(fit(data, {.method = FitMethod::exact, .ridge = 0}), NumericalError);
  EXPECT_EQ(fit(data, {.relative_ridge = 1e-6}).training_accuracy, 1);
}

TEST(LdaErrors, MeansOfClassesThatAreEqual) {
  Classes<double> data{RowMatrix<double>(40, 3), {}};
  data.rows.topRows(20) = gaussian<double>(20, 3, {9, 0});
  data.rows.bottomRows(20) = data.rows.topRows(20);
  for (std::uint32_t i = 0; i < 40; ++i) data.of.push_back(i / 20);
  for (const auto method : kBoth) {
    const auto result = fit(data, {.method = method});
    EXPECT_LT(result.eigenvalues(0), 1e-12);
    EXPECT_TRUE(result.views[0].weights.allFinite());
    EXPECT_TRUE(result.explained_ratio.allFinite());
  }
}

TEST(LdaErrors, FewerColumnsThanClasses) {
  const auto data = made_up_classes<double>(400, 2, 6, 4, 10);
  for (const auto method : kBoth) {
    const auto result = fit(data, {.method = method});
    EXPECT_EQ(result.views[0].weights.cols(), 2);
    EXPECT_NEAR(result.eigenvalues.sum(), BruteForce(data, result.views[0].ridge, 2).values.sum(), 1e-3);
  }
  EXPECT_THROW(fit(data, {.components = 3}), NumericalError);
}

TEST(LdaErrors, ClassWithoutTrainingRowsIsNeverPredicted) {
  const auto data = made_up_classes<double>(200, 4, 2, 3, 11);
  const Labels three("labels.csv", {"class 0", "class 1", "class 2"}, data.of);
  const auto result = fit_lda<double>(rows_of(data.rows), three, {});
  EXPECT_EQ(result.priors(2), 0);
  EXPECT_EQ(result.views[0].weights.cols(), 1);
  EXPECT_EQ(result.training_accuracy, fit(data, {}).training_accuracy);
}

TEST(LdaErrors, WhatOptionsMayNotBe) {
  const auto data = made_up_classes<double>(50, 4, 3, 3, 12);
  EXPECT_THROW(fit(data, {.components = -1}), UsageError);
  EXPECT_THROW(fit(data, {.ridge = -1}), UsageError);
  EXPECT_THROW(fit(data, {.relative_ridge = -1}), UsageError);
  EXPECT_THROW(fit(data, {.passes = 0}), UsageError);
  EXPECT_THROW(fit(data, {.first_rows = -1}), UsageError);
  EXPECT_THROW(fit(data, {.transform = {.centring = Centring::none}}), UsageError);
  EXPECT_THROW(parse_fit_method("svd"), UsageError);
  auto once =
      std::make_unique<test::MemorySource<double>>(MemoryFile<double>{.rows = data.rows, .once = true});
  EXPECT_THROW(fit_lda<double>(std::move(once), data.labels(), {}), UsageError);
}

}  // namespace landfall::test::lda_errors_test
