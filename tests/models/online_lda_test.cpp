// LDA of rows arrive in a stream, against fit_lda on the same rows.
#include <landfall/errors.hpp>
#include <landfall/models/lda/online_lda.hpp>
#include <landfall/parallel/threads.hpp>

#include "classes.hpp"
#include "online.hpp"

namespace landfall::test::online_lda_test {

/// Rows [first, last) in pushes of so many rows, the sizes in turn.
template <class S>
void push(OnlineLda<S>& model, const Classes<S>& data, Index first, Index last,
          const std::vector<Index>& sizes, bool sparse = false) {
  const Labels labels = data.labels();
  for (std::size_t k = 0; first < last; ++k) {
    const Index count = std::min(sizes[k % sizes.size()], last - first);
    model.partial_fit(some_rows(data.rows, first, count, sparse), labels);
    first += count;
  }
}

template <class S>
class OnlineLdaTest : public Typed<S> {};
TYPED_TEST_SUITE(OnlineLdaTest, Scalars);

TYPED_TEST(OnlineLdaTest, MeetsTheExactMethodAfterAFewPasses) {
  using S = TypeParam;
  const auto data = made_up_classes<S>(6000, 30, 6, 4, 3);
  const auto exact = fit_lda<S>(rows_of(data.rows), data.labels(), {.components = 3});
  OnlineLda<S> model({.components = 3, .first_rows = 1024});
  for (int pass = 0; pass < 4; ++pass) push(model, data, 0, 6000, {500});
  const auto result = model.result();
  EXPECT_LT((result.eigenvalues - exact.eigenvalues).norm(), 1e-2 * exact.eigenvalues.norm());
  EXPECT_LT(largest_sine(result.views[0].weights.template cast<double>(),
                         exact.views[0].weights.template cast<double>()),
            0.1);
  const auto rows = some_rows(data.rows, 0, 6000);
  EXPECT_NEAR(score(result, rows, data.labels()), exact.training_accuracy, 5e-3);
  EXPECT_TRUE(std::isnan(result.training_accuracy));
  for (Index j = 1; j < 3; ++j) EXPECT_GE(result.eigenvalues(j - 1), result.eigenvalues(j));
}

TYPED_TEST(OnlineLdaTest, FewRowsGiveTheirOwnOptimum) {
  using S = TypeParam;
  const auto data = made_up_classes<S>(100, 8, 3, 6, 5);
  OnlineLda<S> model;
  push(model, data, 0, 100, {7});
  const auto result = model.result();
  const auto exact = fit_lda<S>(rows_of(data.rows), data.labels());
  ASSERT_EQ(result.eigenvalues.size(), 2);
  EXPECT_LT((result.eigenvalues - exact.eigenvalues).norm(), 1e-2 * exact.eigenvalues.norm());
  EXPECT_NEAR(score(result, some_rows(data.rows, 0, 100), data.labels()), exact.training_accuracy, 0.011);
}

TEST(OnlineLda, AClassMayAppearAfterTheFirstRows) {
  const auto data = made_up_classes<double>(6000, 20, 4, 6, 2);
  Classes<double> others{RowMatrix<double>(1024, 20), {}};
  for (std::size_t i = 0; others.of.size() < 1024; ++i)
    if (data.of[i] != 3) {
      others.rows.row(static_cast<Index>(others.of.size())) = data.rows.row(static_cast<Index>(i));
      others.of.push_back(data.of[i]);
    }
  OnlineLda<double> model({.components = 2, .first_rows = 1024});
  push(model, others, 0, 1024, {100});
  EXPECT_EQ(model.result().classes.size(), 3u);
  for (int pass = 0; pass < 4; ++pass) push(model, data, 0, 6000, {100});
  const auto result = model.result();
  const auto exact = fit_lda<double>(rows_of(data.rows), data.labels(), {.components = 2});
  EXPECT_EQ(result.classes.size(), 4u);
  EXPECT_LT((result.eigenvalues - exact.eigenvalues).norm(), 0.04 * exact.eigenvalues.norm());
  EXPECT_NEAR(score(result, some_rows(data.rows, 0, 6000), data.labels()), exact.training_accuracy, 0.02);
}

TEST(OnlineLda, FirstRowsOfOneClassAreNotEnough) {
  auto data = made_up_classes<double>(2000, 10, 3, 6, 2);
  for (std::size_t i = 0; i < 600; ++i) data.of[i] = 0;
  OnlineLda<double> model({.batch = 64, .first_rows = 256});
  push(model, data, 0, 600, {50});
  EXPECT_EQ(sentence<DataError>([&] { model.result(); }),
            "1 class among the labels of 600 rows so far, expected at least 2");
  push(model, data, 600, 2000, {50});
  EXPECT_EQ(model.result().eigenvalues.size(), 2);
}

TEST(OnlineLda, HowRowsAreCutMakesNoDifferenceToTheBit) {
  const auto data = made_up_classes<float>(2000, 20, 5, 4, 7);
  const int before = threads();
  const auto at = [&](Index last, const std::vector<Index>& sizes, int count) {
    set_threads(count);
    OnlineLda<float> model({.components = 2, .batch = 64, .first_rows = 512});
    push(model, data, 0, last, sizes);
    return model.result();
  };
  for (const Index last : {90, 2000}) {
    const auto one = at(last, {1}, 1), all = at(last, {last}, 2), mixed = at(last, {130, 1, 64, 300}, 2);
    EXPECT_EQ(one.views[0].weights, all.views[0].weights) << last;
    EXPECT_EQ(one.views[0].weights, mixed.views[0].weights) << last;
    EXPECT_EQ(one.centres, mixed.centres) << last;
  }
  set_threads(before);
}

TEST(OnlineLda, SparseRowsGiveWhatDenseOnesGive) {
  const auto data = made_up_classes<double>(3000, 20, 4, 6, 11, true);
  OnlineLda<double> dense({.batch = 128, .first_rows = 512}), sparse({.batch = 128, .first_rows = 512});
  push(dense, data, 0, 3000, {1000});
  push(sparse, data, 0, 3000, {1000}, true);
  const auto a = dense.result(), b = sparse.result();
  // Heavy rows are used in several batches: dense ones as they were centred first, sparse ones by the mean so far.
  EXPECT_LT((a.eigenvalues - b.eigenvalues).norm(), 2e-3);
  EXPECT_LT((a.views[0].weights - b.views[0].weights).norm(), 2e-3 * a.views[0].weights.norm());
}

TEST(OnlineLda, WhatCannotBeIsSaidInOneSentence) {
  auto data = made_up_classes<double>(300, 6, 3, 4, 1);
  OnlineLda<double> model({.components = 2, .batch = 32, .first_rows = 64});
  EXPECT_EQ(sentence<UsageError>([&] { model.result(); }),
            "no rows so far; a result needs at least one batch");
  const auto rows = some_rows(data.rows, 0, 3);
  EXPECT_EQ(sentence<DataError>([&] {
              model.partial_fit(rows, std::vector<std::string>{"a", "b"});
            }),
            "2 labels for 3 rows, expected the same number");
  EXPECT_EQ(sentence<UsageError>([&] {
              model.partial_fit(rows, std::vector<std::string>{"a", "b", "b"});
              model.result();
            }),
            "p = 2, expected at most 1 so far: 2 classes span at most one dimension less");
  push(model, data, 0, 200, {200});
  const auto before = model.result();
  data.rows(41, 5) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sentence<DataError>([&] { push(model, data, 0, 300, {300}); }),
            "data: row 42, column 6 is Inf; every entry must be finite");
  EXPECT_EQ(model.result().views[0].weights, before.views[0].weights);
  OnlineLda<double> wide({.components = 2});
  data.rows.rightCols(5).setZero();
  push(wide, data, 42, 300, {300});
  EXPECT_EQ(sentence<NumericalError>([&] { wide.result(); }),
            "1 non-constant columns in 258 rows so far, expected at least p = 2");
  EXPECT_THROW(OnlineLda<double>({.components = -1}), UsageError);
}

}  // namespace landfall::test::online_lda_test
