// Landing for leading subspaces: the small problem, K, the moving means and the run, against LAPACK and by their laws.
#include <landfall/landing/subspace/solve_subspace.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <cmath>

#include <data/centred_batch.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class SubspaceTest : public Typed<S> {
 protected:
  static constexpr Index kRows = 4000, kLeft = 20, kRight = 15, kColumns = 5, kWanted = 3;

  /// Two views that share five variables, with columns of different size and correlated noise.
  SubspaceTest() {
    const Matrix<S> shared = gaussian<S>(kRows, 5, {1});
    const Matrix<S> strength = Vector<S>::LinSpaced(5, 2, S(0.4)).asDiagonal();
    for (const auto& [n, seed] : {std::pair{kLeft, 10u}, std::pair{kRight, 20u}}) {
      const Matrix<S> noise = gaussian<S>(kRows, n, {seed}), loads = gaussian<S>(5, n, {seed + 1}),
                      mix = gaussian<S>(n, n, {seed + 2}) * S(0.3) + Matrix<S>::Identity(n, n);
      Matrix<S> view = noise * mix + shared * strength * loads * S(0.5);
      view.rowwise() -= view.colwise().mean().eval();
      views_.push_back(view * Vector<S>::LinSpaced(n, S(0.2), 5).asDiagonal());
    }
  }

  Matrix<double> covariance(std::size_t i, std::size_t j) const {
    return views_[i].template cast<double>().transpose() * views_[j].template cast<double>() / double(kRows);
  }

  /// By LAPACK.
  Vector<double> exact(double left_ridge = 0, double right_ridge = 0) const {
    Matrix<double> left = covariance(0, 0), right = covariance(1, 1);
    left.diagonal().array() += left_ridge;
    right.diagonal().array() += right_ridge;
    SymmetricEigen<double> eigen;
    eigen.compute(left);
    const Matrix<double> root = eigen.inverse_root();
    eigen.compute(right);
    return svd<double>(Matrix<double>(root * covariance(0, 1) * eigen.inverse_root())).values.head(kWanted);
  }

  std::shared_ptr<InMemorySamples<S>> samples(Index rows, Index size, S ridge = 0) const {
    const std::vector<Matrix<S>> part{views_[0].topRows(rows), views_[1].topRows(rows)};
    return std::make_shared<InMemorySamples<S>>(batches_of<S>(part, size),
                                                std::vector<Index>{kColumns, kColumns},
                                                std::vector<S>{ridge, ridge}, correlation_objective<S>());
  }

  static double epsilon() { return static_cast<double>(std::numeric_limits<S>::epsilon()); }

  std::vector<Matrix<S>> views_;
};
TYPED_TEST_SUITE(SubspaceTest, Scalars);

TYPED_TEST(SubspaceTest, RitzSolvesTheSmallProblemWithinDependentColumns) {
  const Matrix<double> z = gaussian<double>(8, 5, {1}), b = gaussian<double>(8, 8, {2});
  Matrix<double> metric = b * b.transpose(), a = gaussian<double>(8, 8, {3});
  a = (a + a.transpose()).eval();
  Matrix<double> wide(8, 7);
  wide << z, z.col(0) + z.col(1), 3 * z.col(2);  // rank 5
  const Ritz ritz = solve_ritz({wide.transpose() * metric * wide}, wide.transpose() * a * wide, 4, 1e-12);
  const auto expected = solve_pencil<double>(z.transpose() * a * z, z.transpose() * metric * z, 4);
  EXPECT_LE((ritz.values - expected.values).norm(), 1e-10 * expected.values.norm());
  const Matrix<double> x = wide * ritz.coefficients[0];
  EXPECT_LE((x.transpose() * metric * x - Matrix<double>::Identity(4, 4)).norm(), 1e-10);
  try {
    solve_ritz({wide.transpose() * metric * wide}, wide.transpose() * a * wide, 6, 1e-12);
    ADD_FAILURE() << "rank 5 was not noticed";
  } catch (const LowRank& low) {
    EXPECT_EQ(low.rank, 5);
  }
}

TYPED_TEST(SubspaceTest, TheInverseOfAllRowsIsTheInverse) {
  using S = TypeParam;
  const auto first = this->samples(this->kRows, 256);
  const S ridge = S(0.01);
  ValidatedInverse<S> k(first->batches(), first->batches(), 0, {.rank = this->kLeft}, ridge, {},
                        serial_communicator());
  Matrix<double> b = this->covariance(0, 0);
  b.diagonal().array() += static_cast<double>(ridge);
  Matrix<S> kb(this->kLeft, this->kLeft);
  k.apply(Matrix<S>(b.template cast<S>()), kb);
  EXPECT_LE((kb.template cast<double>() - Matrix<double>::Identity(this->kLeft, this->kLeft)).norm(),
            2e4 * this->epsilon());
  // a'Ka has the mean tr K S.
  const double mean = solve_square<double>(b, this->covariance(0, 0)).trace();
  EXPECT_NEAR(k.size_of_rows(), mean, 1e4 * this->epsilon() * mean);

  // With a row of weight N more, K is the inverse of B + a a'/N, by Sherman and Morrison.
  const Vector<S> a = 30 * this->views_[0].row(7).transpose();
  k.add_row(a, 4000);
  const Matrix<double> more = b + a.template cast<double>() * a.template cast<double>().transpose() / 4000;
  k.apply(Matrix<S>(more.template cast<S>()), kb);
  EXPECT_LE((kb.template cast<double>() - Matrix<double>::Identity(this->kLeft, this->kLeft)).norm(),
            2e4 * this->epsilon());
}

TYPED_TEST(SubspaceTest, AnInverseOfLowRankIsRightWhereItsBasisIs) {
  using S = TypeParam;
  // Three strong directions above white noise: a basis of three and one number for the rest say everything.
  Matrix<S> rows = gaussian<S>(20000, 30, {5});
  rows.leftCols(3) *= S(8);
  const Matrix<double> turn = random_orthonormal(30, 30, {6, 0});
  rows = (rows * turn.template cast<S>()).eval();
  const auto batches = batches_of<S>({rows}, 500);
  const std::span<const std::vector<CentredBatch<S>>> all(batches);
  const ValidatedInverse<S> k(all.first(30), all.subspan(30), 0, {.rank = 3}, 0, {}, serial_communicator());
  EXPECT_EQ(k.rank(), 3);
  // In the coordinates of K the covariance is near the identity: its trace is that of the unseen rows by construction,
  // and its spread that of 15 000 rows.
  Matrix<double> b = Matrix<double>::Identity(30, 30);
  b.topLeftCorner(3, 3) *= 64;
  b = (turn.transpose() * b * turn).eval();
  Matrix<S> kb(30, 30);
  k.apply(Matrix<S>(b.template cast<S>()), kb);
  EXPECT_NEAR(static_cast<double>(kb.trace()), 30.0, 0.6);
  EXPECT_LE((kb.template cast<double>() - Matrix<double>::Identity(30, 30)).norm(), 3.0);
  EXPECT_NEAR(k.size_of_rows(), 30.0, 1.0);  // mean of 5000 of chi-square with 30 degrees: deviation 0.11
}

TYPED_TEST(SubspaceTest, MeansOfAPassAreExactAtRestAndCarriedExactlyWithinTheSpan) {
  using S = TypeParam;
  const auto first = this->samples(this->kRows, 250);
  MovingMeans<S> means(first->shapes(), first->objective(), serial_communicator());
  Point<S> x{gaussian<S>(this->kLeft, this->kColumns, {1}), gaussian<S>(this->kRight, this->kColumns, {2})};
  Point<S> rest = x, zero = x;
  for (auto& block : zero) block.setZero();
  means.start(x, zero, zero, 1e6);  // worth nothing
  const std::vector<Matrix<S>> t{gaussian<S>(this->kColumns, this->kColumns, {3}),
                                 gaussian<S>(this->kColumns, this->kColumns, {4})};
  for (const auto& batch : first->batches()) {
    const WeightedRows<S> rows{{&batch[0], &batch[1]}};
    means.add({&rows, 1}, x, zero);
    if (&batch == &first->batches()[7]) means.turn(x, t);
  }
  means.end_pass(0);
  const auto near = [&](const Matrix<S>& a, const Matrix<double>& b) {
    EXPECT_LE((a.template cast<double>() - b).norm(), 200 * this->epsilon() * b.norm());
  };
  near(x[0], rest[0].template cast<double>() * t[0].template cast<double>());
  near(means.sx()[0], this->covariance(0, 0) * x[0].template cast<double>());
  near(means.sx()[1], this->covariance(1, 1) * x[1].template cast<double>());
  near(means.ascent()[0], this->covariance(0, 1) * x[1].template cast<double>());
  near(means.ascent()[1], this->covariance(1, 0) * x[0].template cast<double>());
  EXPECT_LE(means.variance(), 1e-12);
}

TYPED_TEST(SubspaceTest, MovingMeansAreUnbiased) {
  using S = TypeParam;
  // Over many random orders of the batches the mean of the estimate is S X: every batch carries and measures without bias.
  const auto first = this->samples(this->kRows, 100);
  const Point<S> start{gaussian<S>(this->kLeft, this->kColumns, {1}),
                       gaussian<S>(this->kRight, this->kColumns, {2})};
  const Point<S> move{S(0.05) * gaussian<S>(this->kLeft, this->kColumns, {3}),
                      S(0.05) * gaussian<S>(this->kRight, this->kColumns, {4})};
  constexpr int kRuns = 200, kSteps = 6;
  Vector<double> errors(kRuns);
  const Matrix<double> probe = gaussian<double>(this->kLeft, this->kColumns, {9});
  for (int run = 0; run < kRuns; ++run) {
    MovingMeans<S> means(first->shapes(), first->objective(), serial_communicator());
    Point<S> x = start, zero = start;
    for (auto& block : zero) block.setZero();
    means.start(x, zero, zero, 1e6);
    first->begin_pass(static_cast<std::uint64_t>(run));
    for (int step = 0; step < kSteps; ++step) {
      first->draw(0);
      const WeightedRows<S> rows{{&first->view(0), &first->view(1)}};
      means.add({&rows, 1}, x, step == 0 ? zero : move);
    }
    const Matrix<double> expected = this->covariance(0, 0) * x[0].template cast<double>();
    errors(run) = (means.sx()[0].template cast<double>() - expected).cwiseProduct(probe).sum();
  }
  const double mean = errors.mean();
  const double deviation = std::sqrt((errors.array() - mean).square().sum() / (kRuns - 1));
  EXPECT_LE(std::abs(mean), 4 * deviation / std::sqrt(double(kRuns)));
}

TYPED_TEST(SubspaceTest, RowsOfWeightCountAsOften) {
  using S = TypeParam;
  // A row of weight 2 is that row twice, and a part with weights adds to a part without.
  const Matrix<S> left = this->views_[0].topRows(40), right = this->views_[1].topRows(40);
  Matrix<S> twice_left(50, this->kLeft), twice_right(50, this->kRight);
  twice_left << left, left.topRows(10);
  twice_right << right, right.topRows(10);
  const auto light_l = batch_of<S>(left.bottomRows(30)), light_r = batch_of<S>(right.bottomRows(30));
  const auto heavy_l = batch_of<S>(left.topRows(10)), heavy_r = batch_of<S>(right.topRows(10));
  const auto all_l = batch_of<S>(twice_left), all_r = batch_of<S>(twice_right);
  const auto first = this->samples(400, 100);
  const auto sums = [&](std::span<const WeightedRows<S>> parts) {
    MovingMeans<S> means(first->shapes(), first->objective(), serial_communicator());
    Point<S> x{gaussian<S>(this->kLeft, this->kColumns, {1}), gaussian<S>(this->kRight, this->kColumns, {2})};
    Point<S> d{gaussian<S>(this->kLeft, this->kColumns, {3}), gaussian<S>(this->kRight, this->kColumns, {4})};
    Point<S> zero = x;
    for (auto& block : zero) block.setZero();
    means.start(x, zero, zero, 0.01);
    means.add(parts, x, d);
    return std::pair{Point<S>{means.sx()[0], means.sx()[1], means.ascent()[0]}, means.rows()};
  };
  const std::vector<WeightedRows<S>> parts{{{&light_l, &light_r}},
                                           {{&heavy_l, &heavy_r}, Vector<S>::Constant(10, 2)}};
  const WeightedRows<S> whole{{&all_l, &all_r}};
  const auto [a, rows] = sums(parts);
  const auto [b, count] = sums({&whole, 1});
  EXPECT_DOUBLE_EQ(rows, 50);
  EXPECT_DOUBLE_EQ(count, 50);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LE(static_cast<double>((a[i] - b[i]).norm()),
              100 * this->epsilon() * static_cast<double>(b[i].norm()));
}

TYPED_TEST(SubspaceTest, TheFirstRowsAreSolvedWhereTheyAreAll) {
  using S = TypeParam;
  const auto first = this->samples(this->kRows, 500);
  const auto pilot = subspace_pilot<S>(
      *first, {.rank = {this->kLeft, this->kRight}, .ridge = {0, 0}, .wanted = this->kWanted, .whole = true});
  EXPECT_LE((pilot.values.head(this->kWanted) - this->exact()).norm(), std::max(500 * this->epsilon(), 1e-8));
}

TYPED_TEST(SubspaceTest, FewBatchesLeaveRowsToValidateTheInverseWith) {
  using S = TypeParam;
  for (const Index size : {300, 150, 100, 75}) {  // one to four batches
    const auto first = this->samples(300, size);
    const auto pilot = subspace_pilot<S>(
        *first,
        {.rank = {this->kLeft, this->kRight}, .ridge = {0, 0}, .wanted = this->kWanted, .rows = 4000});
    EXPECT_GT(pilot.noise, this->kLeft / 2.0) << size;
  }
}

TYPED_TEST(SubspaceTest, TheFirstRowsAreSolvedForTheLeadingPairWhateverTheStart) {
  using S = TypeParam;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    // one wanted pair, and all but one of the directions of the right view
    const std::vector<Matrix<S>> part{this->views_[0].topLeftCorner(200, 5),
                                      this->views_[1].topLeftCorner(200, 6)};
    const auto first = std::make_shared<InMemorySamples<S>>(
        batches_of<S>(part, 200), std::vector<Index>{5, 5}, std::vector<S>{0, 0}, correlation_objective<S>());
    const SubspacePilotOptions options{
        .rank = {5, 6}, .ridge = {0, 0}, .wanted = 1, .rows = 4000, .seed = seed};
    SubspacePilotOptions whole = options;
    whole.whole = true;
    EXPECT_NEAR(subspace_pilot<S>(*first, options).values(0), subspace_pilot<S>(*first, whole).values(0),
                5e-3)
        << seed;
  }
}

TYPED_TEST(SubspaceTest, PassesComeToTheOptimumWithBothNormalTerms) {
  using S = TypeParam;
  for (const bool rotate : {true, false}) {
    const auto first = this->samples(800, 200), all = this->samples(this->kRows, 200);
    const auto [run, choice] = solve_subspace<S>(first, all,
                                                 {.wanted = this->kWanted,
                                                  .ridge = {0.01, 0.01},
                                                  .rows = double(this->kRows),
                                                  .rank = {this->kLeft, this->kRight},
                                                  .rotate = rotate},
                                                 {.passes = 12});
    EXPECT_EQ(run.termination, Termination::pass_limit);
    EXPECT_NEAR(run.progress.passes, 12, 1e-9);
    EXPECT_NEAR(-run.progress.objective, this->exact(0.01, 0.01).sum(), 1e-4) << rotate;
    EXPECT_LE(run.progress.infeasibility, 1e-2) << rotate;
  }
}

// c/m - c/N while m of N rows have been seen; a stream without end never forgets it altogether.
TYPED_TEST(SubspaceTest, ARidgeThatFadesIsGoneAfterAllRows) {
  using S = TypeParam;
  const auto first = this->samples(800, 200), all = this->samples(this->kRows, 200);
  const SubspaceOptions options{.wanted = this->kWanted,
                                .ridge = {0.01, 0.02},
                                .rows = double(this->kRows),
                                .fading_rows = 40,
                                .rank = {this->kLeft, this->kRight}};
  SubspaceLanding<S> landing(first, options);
  EXPECT_DOUBLE_EQ(landing.ridge(0), 0.01 + 40. / 800 - 40. / 4000);
  EXPECT_DOUBLE_EQ(landing.ridge(1), 0.02 + 40. / 800 - 40. / 4000);
  for (const auto& batch : all->batches()) landing.step({&batch[0], &batch[1]});
  EXPECT_NEAR(landing.ridge(0), 0.01, 1e-8);
  const auto [run, choice] = solve_subspace<S>(first, all, options, {.passes = 12});
  EXPECT_NEAR(-run.progress.objective, this->exact(0.01, 0.02).sum(), 1e-4);

  SubspaceOptions endless = options;
  endless.rows = 0;
  EXPECT_DOUBLE_EQ(SubspaceLanding<S>(first, endless).ridge(0), 0.01 + 40. / 800);
}

// One row is most of the covariance, beyond the first rows and among them.
TYPED_TEST(SubspaceTest, ARowThatMakesUpMuchOfTheCovarianceCountsOnce) {
  using S = TypeParam;
  const Matrix<S> plain[] = {this->views_[0], this->views_[1]};
  for (const Index row : {Index{2500}, Index{100}}) {
    for (std::size_t k = 0; k < 2; ++k) {
      this->views_[k] = plain[k];
      this->views_[k].row(row) *= S(300);
    }
    const auto first = this->samples(800, 100), all = this->samples(this->kRows, 100);
    const auto [run, choice] = solve_subspace<S>(first, all,
                                                 {.wanted = this->kWanted,
                                                  .ridge = {0.01, 0.01},
                                                  .rows = double(this->kRows),
                                                  .rank = {this->kLeft, this->kRight}},
                                                 {.passes = 6});
    const double exact = this->exact(0.01, 0.01).sum();
    EXPECT_NEAR(-run.progress.objective, exact, 5e-3 * exact) << row;
    // B X as the run knows it, against all rows.
    const Matrix<double> x = run.x[0].template cast<double>(), bx = this->covariance(0, 0) * x + 0.01 * x;
    EXPECT_LE((run.bx[0].template cast<double>() - bx).norm(), 2e-2 * bx.norm()) << row;
  }
}

TYPED_TEST(SubspaceTest, ARunEndsWhenItsGapIsSmallAndTheGapIsTrue) {
  using S = TypeParam;
  double last = 0;
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    const auto first = this->samples(400, 100), all = this->samples(this->kRows, 100);
    const auto [run, choice] = solve_subspace<S>(first, all,
                                                 {.wanted = this->kWanted,
                                                  .ridge = {0, 0},
                                                  .rows = double(this->kRows),
                                                  .rank = {this->kLeft, this->kRight}},
                                                 {.tolerance = tolerance});
    EXPECT_EQ(run.termination, Termination::converged);
    EXPECT_LE(run.estimated_gap, tolerance);
    EXPECT_GE(run.progress.passes, last);
    last = run.progress.passes;
    const double best = this->exact().sum();
    EXPECT_LE(1 + run.progress.objective / best, 5 * tolerance);
  }
}

}  // namespace
}  // namespace landfall::test
