// CCA of rows arrive in a stream, against fit_cca on the same rows.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/cca/online_cca.hpp>
#include <landfall/parallel/threads.hpp>

#include "online.hpp"
#include "support.hpp"

namespace landfall::test::online_cca_test {

template <class S>
struct Views {
  RowMatrix<S> left, right;

  CcaResult<S> fit(const CcaOptions& options) const {
    return fit_cca<S>(std::make_unique<landfall::MemorySource<S>>(left, "left"),
                      std::make_unique<landfall::MemorySource<S>>(right, "right"), options);
  }
  /// Rows [first, last) in pushes of so many rows, the sizes in turn.
  void push(OnlineCca<S>& model, Index first, Index last, const std::vector<Index>& sizes,
            bool sparse = false) const {
    for (std::size_t k = 0; first < last; ++k) {
      const Index count = std::min(sizes[k % sizes.size()], last - first);
      model.partial_fit(some_rows(left, first, count, sparse), some_rows(right, first, count, sparse));
      first += count;
    }
  }
};

template <class S>
Views<S> planted_views(Index samples, Index left, Index right, Index pairs, double condition = 100) {
  PlantedCca<S> maker({.samples = samples,
                       .left = left,
                       .right = right,
                       .correlations = equidistant_correlations(pairs),
                       .condition = condition});
  Batch<S> x, y;
  maker.read(0, samples, x, y);
  return {x.dense().transpose(), y.dense().transpose()};
}

/// The sum of the correlations of the scores on all rows, in the metric with the ridge.
template <class S>
double total(const Views<S>& views, const CcaResult<S>& result) {
  const auto scores = [&](std::size_t i, const RowMatrix<S>& rows) {
    const Matrix<double> a = rows.template cast<double>();
    return Matrix<double>((a.rowwise() - a.colwise().mean()) *
                          result.views[i].weights.template cast<double>());
  };
  const Matrix<double> x = scores(0, views.left), y = scores(1, views.right);
  const auto root = [&](const Matrix<double>& s, const FittedView<S>& view) {
    const Matrix<double> w = view.weights.template cast<double>();
    return inverse_square_root(s.transpose() * s / static_cast<double>(s.rows()) +
                               view.ridge * w.transpose() * w);
  };
  return singular_values(root(x, result.views[0]) * (x.transpose() * y / static_cast<double>(x.rows())) *
                         root(y, result.views[1]))
      .sum();
}

template <class S>
class OnlineCcaTest : public Typed<S> {};
TYPED_TEST_SUITE(OnlineCcaTest, Scalars);

TYPED_TEST(OnlineCcaTest, MeetsTheExactMethodAfterAFewPasses) {
  using S = TypeParam;
  const auto views = planted_views<S>(8000, 60, 50, 8, 1000);
  const auto exact = views.fit({.components = 5, .method = FitMethod::exact});
  OnlineCca<S> model({.components = 5, .ridge = exact.views[0].ridge, .batch = 128, .first_rows = 1024});
  double last = 1;
  for (int pass = 0; pass < 4; ++pass) {
    views.push(model, 0, 8000, {500});
    const auto result = model.result();
    const double error = 1 - total(views, result) / exact.regularized.sum();
    EXPECT_LT(error, 1e-2 / (pass + 1));
    EXPECT_LT(error, last);
    last = error;
  }
  EXPECT_LT(last, 1e-3);
  const auto result = model.result();
  // An estimate from 32 000 rows: (1 - rho^2) / sqrt(N), 0.003 or less, for each of the five.
  EXPECT_NEAR(result.regularized.sum(), exact.regularized.sum(), 0.02);
  EXPECT_EQ(result.samples, 4 * 8000 / 128 * 128);
  for (Index j = 1; j < 5; ++j) EXPECT_GE(result.correlations(j - 1), result.correlations(j));
  EXPECT_LT((result.views[0].mean - exact.views[0].mean).norm(), 1e-2);
  EXPECT_EQ(transform(result.views[0], some_rows(views.left, 0, 10)).cols(), 5);
}

TYPED_TEST(OnlineCcaTest, FewRowsGiveTheirOwnOptimum) {
  using S = TypeParam;
  auto views = planted_views<S>(100, 12, 9, 4);
  OnlineCca<S> model({.components = 3, .ridge = 1e-2});
  views.push(model, 0, 100, {7});
  const auto result = model.result();
  const auto exact = views.fit({.components = 3, .method = FitMethod::exact, .ridge = 1e-2});
  EXPECT_EQ(result.samples, 100);
  EXPECT_LT((result.regularized - exact.regularized).norm(), 2e-3);
  EXPECT_LT(1 - total(views, result) / exact.regularized.sum(), 1e-3);
  EXPECT_LT((result.views[1].mean - exact.views[1].mean).norm(), 1e-5);
  for (Index j = 1; j < 3; ++j) EXPECT_GE(result.regularized(j - 1), result.regularized(j));
}

TEST(OnlineCca, HowRowsAreCutAndHowManyThreadsThereAreMakesNoDifferenceToTheBit) {
  const auto views = planted_views<float>(3000, 40, 30, 5);
  const int before = threads();
  const auto at = [&](Index last, const std::vector<Index>& sizes, int count) {
    set_threads(count);
    OnlineCca<float> model({.components = 3, .batch = 64, .first_rows = 512});
    views.push(model, 0, last, sizes);
    return model.result();
  };
  for (const Index last : {90, 575, 2900}) {  // among the first rows, just beyond them, far beyond
    const auto one = at(last, {1}, 1), all = at(last, {last}, 2), mixed = at(last, {130, 1, 64, 300}, 2);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(one.views[i].weights, all.views[i].weights) << last;
      EXPECT_EQ(one.views[i].weights, mixed.views[i].weights) << last;
      EXPECT_EQ(one.views[i].mean, mixed.views[i].mean);
    }
    EXPECT_EQ(one.correlations, all.correlations);
  }
  set_threads(before);
}

TEST(OnlineCca, ALargeMeanThatIsLearntOnTheWayLeavesNoTrace) {
  auto views = planted_views<double>(4000, 20, 20, 3);
  OnlineCca<double> plain({.components = 3, .ridge = 1e-3, .batch = 64, .first_rows = 64});
  views.push(plain, 0, 4000, {500});
  views.left.rowwise() += 1000 * Matrix<double>::Ones(1, 20).row(0);
  OnlineCca<double> shifted({.components = 3, .ridge = 1e-3, .batch = 64, .first_rows = 64});
  views.push(shifted, 0, 4000, {500});
  EXPECT_LT((shifted.result().correlations - plain.result().correlations).norm(), 1e-6);
}

TEST(OnlineCca, UnitsMakeNoDifference) {
  auto views = planted_views<double>(4000, 20, 15, 3);
  const auto fitted = [&] {
    OnlineCca<double> model({.components = 3, .batch = 128, .first_rows = 512});
    views.push(model, 0, 4000, {700});
    return model.result();
  };
  const auto plain = fitted();
  const Vector<double> units =
      Vector<double>::LinSpaced(20, -6, 6).unaryExpr([](double e) { return std::pow(10, e); });
  views.left = (views.left * units.asDiagonal()).eval();
  const auto scaled = fitted();
  EXPECT_LT((scaled.correlations - plain.correlations).norm(), 1e-6);
  const Matrix<double> back = units.asDiagonal() * scaled.views[0].weights;
  EXPECT_LT((back - plain.views[0].weights).norm(), 1e-5 * plain.views[0].weights.norm());
}

TEST(OnlineCca, SparseRowsGiveWhatDenseOnesGive) {
  auto views = planted_views<double>(3000, 30, 25, 4);
  for (auto* rows : {&views.left, &views.right})
    *rows = (rows->array().abs() > 0.7 * rows->array().abs().mean()).select(rows->array(), 0.0).matrix();
  OnlineCca<double> dense({.components = 3, .batch = 128, .first_rows = 512}),
      sparse({.components = 3, .batch = 128, .first_rows = 512});
  views.push(dense, 0, 3000, {1000});
  views.push(sparse, 0, 3000, {1000}, true);
  const auto a = dense.result(), b = sparse.result();
  // Heavy rows are used in several batches: dense ones as they were centred first, sparse ones by the mean so far.
  EXPECT_LT((a.correlations - b.correlations).norm(), 1e-4);
  EXPECT_LT((a.views[0].weights - b.views[0].weights).norm(), 1e-3 * a.views[0].weights.norm());
}

TEST(OnlineCca, ColumnsMayStandStillForeverOrAtFirst) {
  auto views = planted_views<double>(6000, 20, 20, 3);
  views.left.col(4).setConstant(7);
  views.right.col(0).head(1024).setConstant(-1);  // all first rows
  OnlineCca<double> model({.components = 3, .ridge = 1e-3, .first_rows = 1024});
  views.push(model, 0, 1024, {1024});
  EXPECT_EQ(model.result().views[1].dropped, std::vector<Index>{0});
  EXPECT_EQ(model.result().views[1].weights.row(0).norm(), 0);
  for (int pass = 0; pass < 4; ++pass) views.push(model, 0, 6000, {700});
  const auto result = model.result();
  EXPECT_EQ(result.views[0].dropped, std::vector<Index>{4});
  EXPECT_EQ(result.views[0].weights.row(4).norm(), 0);
  EXPECT_TRUE(result.views[1].dropped.empty());
  EXPECT_GT(result.views[1].weights.row(0).norm(), 0);
  const auto exact = views.fit({.components = 3, .method = FitMethod::exact, .ridge = 1e-3});
  EXPECT_LT(1 - total(views, result) / exact.regularized.sum(), 5e-3);
}

TEST(OnlineCca, WhatCannotBeIsSaidInOneSentence) {
  const auto views = planted_views<double>(300, 10, 8, 3);
  OnlineCca<double> model({.components = 3, .batch = 32, .first_rows = 64});
  EXPECT_EQ(sentence<UsageError>([&] { model.result(); }),
            "no rows so far; a result needs at least one batch");
  model.partial_fit(some_rows(views.left, 0, 0), some_rows(views.right, 0, 0));
  EXPECT_EQ(sentence<UsageError>([&] { model.result(); }),
            "no rows so far; a result needs at least one batch");
  views.push(model, 0, 3, {3});
  EXPECT_EQ(sentence<NumericalError>([&] { model.result(); }),
            "3 rows so far, expected at least 4 for p = 3");
  views.push(model, 3, 100, {97});
  const auto before = model.result();

  const auto push = [&](const RowMatrix<double>& left, const RowMatrix<double>& right) {
    return sentence<DataError>(
        [&] { model.partial_fit(some_rows(left, 0, left.rows()), some_rows(right, 0, right.rows())); });
  };
  EXPECT_EQ(push(views.right, views.right), "left: a batch of 8 columns, expected 10 as before");
  EXPECT_EQ(push(views.left.topRows(3), views.right.topRows(2)),
            "left has 3 rows, right has 2; expected the same number");
  RowMatrix<double> bad = views.right;
  bad(41, 5) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(push(views.left, bad), "right: row 42, column 6 is NaN; every entry must be finite");
  EXPECT_EQ(sentence<UsageError>([&] { views.push(model, 0, 5, {5}, true); }),
            "left: a sparse batch, expected a dense one as before");
  views.push(model, 0, 0, {1});
  EXPECT_EQ(before.views[0].weights, model.result().views[0].weights);  // nothing was taken

  OnlineCca<double> narrow({.components = 9});
  views.push(narrow, 0, 300, {300});
  EXPECT_EQ(sentence<NumericalError>([&] { narrow.result(); }),
            "right: 8 non-constant columns in 300 rows, expected at least p = 9");
  Views<double> flat = views;
  flat.left.rightCols(8) = flat.left.leftCols(2).replicate(1, 4);
  OnlineCca<double> poor({.components = 3});
  flat.push(poor, 0, 300, {300});
  EXPECT_EQ(sentence<NumericalError>([&] { poor.result(); }),
            "left: rank 2 in 300 rows so far, expected at least p = 3");
  EXPECT_THROW(OnlineCca<double>({.components = -1}), UsageError);
  EXPECT_THROW(OnlineCca<double>({.ridge = -1}), UsageError);
}

}  // namespace landfall::test::online_cca_test
