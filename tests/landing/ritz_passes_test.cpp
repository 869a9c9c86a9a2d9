// Passes that measure: what they reach, what they say is missing, and going on from a checkpoint; K from many rows.
#include <landfall/landing/subspace/relative_gap.hpp>
#include <landfall/landing/subspace/solve_subspace.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <cmath>

#include <data/centred_batch.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

/// Views with a flat spectrum and only twelve rows per column: estimates are mostly sampling error.
template <class S>
class RitzPassesTest : public Typed<S> {
 protected:
  static constexpr Index kRows = 1200, kColumns = 100, kWanted = 3, kGuarded = 8;

  RitzPassesTest() {
    const Matrix<S> shared = gaussian<S>(kRows, kWanted, {1});
    for (const unsigned seed : {10u, 20u}) {
      Matrix<S> view = gaussian<S>(kRows, kColumns, {seed});
      view.leftCols(kWanted) += shared * Vector<S>::LinSpaced(kWanted, 3, S(1.5)).asDiagonal();
      view = (view * random_orthonormal(kColumns, kColumns, {seed, 1}).template cast<S>()).eval();
      views_.push_back(view.rowwise() - view.colwise().mean());
    }
  }

  double exact() const {
    std::vector<Matrix<double>> roots, views;
    for (const auto& view : views_) views.push_back(view.template cast<double>());
    SymmetricEigen<double> eigen;
    for (const auto& view : views) {
      eigen.compute(view.transpose() * view / double(kRows));
      roots.push_back(eigen.inverse_root());
    }
    const Matrix<double> cross = views[0].transpose() * views[1] / double(kRows);
    return svd<double>(Matrix<double>(roots[0] * cross * roots[1])).values.head(kWanted).sum();
  }

  std::shared_ptr<InMemorySamples<S>> samples(Index rows) const {
    const std::vector<Matrix<S>> part{views_[0].topRows(rows), views_[1].topRows(rows)};
    return std::make_shared<InMemorySamples<S>>(batches_of<S>(part, 40),
                                                std::vector<Index>{kGuarded, kGuarded}, std::vector<S>{0, 0},
                                                correlation_objective<S>());
  }

  static SubspaceOptions options() {
    return {.wanted = kWanted, .ridge = {0, 0}, .rows = double(kRows), .rank = {kColumns, kColumns}};
  }

  SubspaceResult<S> solve(double passes, const Checkpoints& checkpoints = {}) const {
    return solve_subspace<S>(samples(400), samples(kRows), options(), {.passes = passes}, {}, {},
                             checkpoints);
  }

  std::vector<Matrix<S>> views_;
};
TYPED_TEST_SUITE(RitzPassesTest, Scalars);

TYPED_TEST(RitzPassesTest, EveryPassGainsAndSaysWhatIsMissing) {
  const double exact = this->exact();
  double before = 1;
  for (const double passes : {2.0, 3.0, 4.0, 5.0, 6.0, 7.0}) {
    const auto [run, choice] = this->solve(passes);
    const double missing = 1 + run.progress.objective / exact;
    EXPECT_GE(missing, -1e-5);
    EXPECT_LT(missing, before);  // without noise, no pass loses
    before = missing + 1e-5;     // of rounding
    EXPECT_LE(run.progress.infeasibility, 1e-4);
    if (passes == 2 || missing < 3e-5) continue;  // the first direction came from estimates
    EXPECT_GE(run.estimated_gap, missing / 4) << passes;
    EXPECT_LE(run.estimated_gap, missing * 4) << passes;
  }
  EXPECT_LE(before, 1e-3);
}

/// With as many directions as there are columns, the best of their span is the optimum.
TYPED_TEST(RitzPassesTest, AllMeasuredDirectionsAreUsed) {
  using S = TypeParam;
  const auto objective = correlation_objective<S>();
  RitzPasses<S> passes(objective, double(this->kRows), serial_communicator());
  Point<S> x, w;
  for (const unsigned seed : {40u, 50u}) {
    const Matrix<double> basis = random_orthonormal(this->kColumns, this->kColumns, {seed});
    x.push_back(basis.leftCols(this->kGuarded).template cast<S>());
    w.push_back(basis.rightCols(this->kColumns - this->kGuarded).template cast<S>());
  }
  passes.begin(x, w);
  const auto batches = batches_of<S>(this->views_, 40);
  for (const auto& batch : batches) passes.add({&batch[0], &batch[1]});
  passes.end_pass({0, 0});
  EXPECT_EQ(passes.values().size(), this->kGuarded);
  EXPECT_LT(passes.values().head(this->kWanted).sum(), 0.5 * this->exact());  // of X alone
  passes.advance({0, 0});
  EXPECT_NEAR(passes.values().head(this->kWanted).sum(), this->exact(), sizeof(S) == 8 ? 1e-10 : 1e-3);
}

TYPED_TEST(RitzPassesTest, ARunGoesOnFromTheMiddleOfAPassWithTheSameBits) {
  const auto whole = this->solve(5);
  for (const int steps : {15, 45, 75, 131}) {  // of 30 a pass: in the first, the second, the third, the fifth
    std::string saved;
    int count = 0;
    Checkpoints save;
    save.due = [&] { return ++count == steps; };
    save.save = [&](const std::string& state) { saved = state; };
    this->solve(5, save);
    ASSERT_FALSE(saved.empty());
    Checkpoints resume;
    resume.resume = saved;
    const auto again = this->solve(5, resume);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(again.run.x[k], whole.run.x[k]) << steps;
    EXPECT_EQ(again.run.estimated_gap, whole.run.estimated_gap);
  }
}

/// Two columns are equal in the first rows, and their difference later is the most correlated variable of all.
TYPED_TEST(RitzPassesTest, WhatTheFirstRowsDoNotShowIsFound) {
  using S = TypeParam;
  const Index first = 400, others = this->kRows - first;
  auto& right = this->views_[1];
  right.col(99) = right.col(98);
  right.col(99).tail(others) +=
      S(0.3) * this->views_[0].bottomRows(others) * gaussian<S>(this->kColumns, 1, {30}).col(0);
  right.rowwise() -= right.colwise().mean().eval();
  right.topRows(first).col(99) = right.topRows(first).col(98);  // also after centring
  const double exact = this->exact();
  EXPECT_GT(exact, 2.5);
  const auto [run, choice] = this->solve(12);
  EXPECT_NEAR(-run.progress.objective, exact, 1e-2 * exact);
}

/// Half a pass after the first could not measure anything: its rows make steps.
TYPED_TEST(RitzPassesTest, PartsOfAPassAreNotWasted) {
  const auto one = this->solve(1), more = this->solve(1.5);
  EXPECT_NE(one.run.x[0], more.run.x[0]);
}

TYPED_TEST(RitzPassesTest, AnInverseFromManyRowsIsValidatedByLeavingEachRowOut) {
  using S = TypeParam;
  const Index n = 6, rows = 64;
  const Matrix<S> a = gaussian<S>(rows, n, {5}) * Vector<S>::LinSpaced(n, S(0.5), 3).asDiagonal();
  const auto batches = batches_of<S>({a}, 16);
  const std::span<const std::vector<CentredBatch<S>>> all(batches);
  const ValidatedInverse<S> k(all.first(3), all.subspan(3), 0, {.rank = n}, 0, {}, serial_communicator());
  EXPECT_EQ(k.rank(), n);
  // What the rows of the last batch have of h where the covariance of all rows lacks them.
  const Matrix<double> rows_of = a.template cast<double>();
  const Matrix<double> s = rows_of.transpose() * rows_of / double(rows);
  double sum = 0;
  for (Index i = 48; i < rows; ++i) {
    const Matrix<double> row = rows_of.row(i).transpose(), without = s - row * row.transpose() / double(rows);
    sum += (row.transpose() * solve_square<double>(without, row))(0, 0);
  }
  // K is scaled so that the mean of h is n.
  EXPECT_NEAR(k.size_of_rows(), double(n), 1e-3 * double(n));
  Matrix<S> ks(n, n);
  k.apply(Matrix<S>(s.template cast<S>()), ks);
  const double scale = double(n) / (sum / 16);
  EXPECT_LE((ks.template cast<double>() - scale * Matrix<double>::Identity(n, n)).norm(), 1e-3);
  // The probes have the covariance K on average.
  Matrix<S> kk(n, n);
  k.apply(Matrix<S>(Matrix<S>::Identity(n, n)), kk);
  EXPECT_NEAR(static_cast<double>(k.probes().squaredNorm()), static_cast<double>(kk.trace()),
              0.6 * static_cast<double>(kk.trace()));
}

TYPED_TEST(RitzPassesTest, ARowAloneInAColumnDoesNotShrinkTheInverse) {
  using S = TypeParam;
  const Index n = 6, rows = 64;
  Matrix<S> a = gaussian<S>(rows, n, {5});
  a.col(0).setZero();
  a(60, 0) = 3;  // all that the rows know of this column
  const auto batches = batches_of<S>({a}, 16);
  const std::span<const std::vector<CentredBatch<S>>> all(batches);
  const ValidatedInverse<S> k(all.first(3), all.subspan(3), 0, {.rank = n}, 0, {}, serial_communicator());
  Matrix<S> kk(n, n);
  k.apply(Matrix<S>(Matrix<S>::Identity(n, n)), kk);
  for (Index j = 1; j < n; ++j) {  // about the inverse of their variances, 1
    EXPECT_GT(kk(j, j), S(0.3)) << j;
    EXPECT_LT(kk(j, j), S(3)) << j;
  }
}

TEST(RelativeGap, FollowsTheResidualsOfWantedPairsAndOfThoseThatMayRise) {
  Vector<double> values(3), squares = Vector<double>::Zero(3);
  values << 0.8, 0.5, 0.3;  // the last is the guard
  EXPECT_EQ(relative_gap(values, squares, 2), 0);
  squares(0) = 1e-3;  // over the distance 0.5 to the guard
  const double e = 2e-3 / 1.3;
  EXPECT_NEAR(relative_gap(values, squares, 2), e / (1 + e), 1e-12);
  EXPECT_NEAR(relative_gap(values, squares, 2, 8), 8 * e / (1 + 8 * e), 1e-12);
  squares << 0, 0, 0.16;  // the guard may rise to 0.7, above the second
  EXPECT_NEAR(relative_gap(values, squares, 2), 0.2 / 1.5, 1e-12);
}

/// At the end of a pass one more step is free: the result is closer to the optimum than the point of the estimates.
TYPED_TEST(RitzPassesTest, TheResultIsAStepBeyondThePoint) {
  using S = TypeParam;
  const double exact = this->exact();
  const auto value = [&](const Point<S>& x) {  // of the wanted columns, over all rows
    RitzPasses<S> passes(correlation_objective<S>(), double(this->kRows), serial_communicator());
    const Point<S> wanted{x[0].leftCols(this->kWanted), x[1].leftCols(this->kWanted)};
    passes.begin(wanted, wanted);
    const auto batches = batches_of<S>(this->views_, 40);
    for (const auto& batch : batches) passes.add({&batch[0], &batch[1]});
    passes.end_pass({0, 0});
    return passes.values().sum();
  };
  for (const double passes : {1.0, 2.0, 3.0, 4.0}) {
    SubspaceLanding<S> landing(this->samples(400), this->options());
    const auto batches = batches_of<S>(this->views_, 40);
    for (int pass = 0; pass < passes; ++pass) {
      for (const auto& batch : batches) landing.step({&batch[0], &batch[1]});
      landing.end_pass();
    }
    ASSERT_TRUE(landing.at_rest());
    // Once all rows have measured R, little is left of errors along small eigenvalues.
    const double least = passes > 1 ? 0.4 : 0.05;
    EXPECT_GT(value(landing.result()) - value(landing.x()), least * (exact - value(landing.x()))) << passes;
    EXPECT_LE(value(landing.result()), exact + 1e-3);
  }
}

TYPED_TEST(RitzPassesTest, RowsOfOrdinarySizeAreNoGiantsWhereColumnsAreMany) {
  using S = TypeParam;
  // h has the mean n = N/5: with sixteen probes some rows seem to have N/4 of it.
  const Index n = 100, rows = 500;
  Matrix<S> a = gaussian<S>(rows, n, {7});
  const auto count = [&] {
    HeavyRows<S> heavy({gaussian<S>(n, 16, {8}) / S(4)}, {double(n)}, double(rows));
    for (const auto& batch : batches_of<S>({a}, 50)) heavy.split({&batch[0]});
    return heavy.giant_count();
  };
  EXPECT_EQ(count(), 0);
  a.row(77) *= S(10);
  EXPECT_EQ(count(), 1);
}

}  // namespace
}  // namespace landfall::test
