// Rows divided among ranks give the sums of all rows: the same to rounding as one rank, the same bits on all.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/rows/row_count.hpp>
#include <landfall/errors.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/subspace/pilot.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/parallel/threads.hpp>

#include <array>
#include <limits>

#include <data/memory_source.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

using Ranks = std::shared_ptr<Communicator>;

template <class S>
class RanksTest : public Typed<S> {
 protected:
  static constexpr Index kRows = 600, kLeft = 12, kRight = 9;
  static constexpr Index kCut = 230;  // rank 0 has the rows before it, rank 1 the others

  // Columns with means far from 0, so that a sum about the wrong origin would lose its digits.
  RowMatrix<S> left_ = gaussian<S>(kRows, kLeft, {1}).array() + S(100);
  RowMatrix<S> right_ = gaussian<S>(kRows, kRight, {2}).array() - S(3);
  std::vector<Index> components_{3, 3};
  std::vector<S> ridge_{S(1e-2), S(2e-2)};
  Point<S> x_{gaussian<S>(kLeft, 3, {3}), gaussian<S>(kRight, 3, {4})};

  RanksTest() { right_.leftCols(4) += left_.leftCols(4); }

  void centre() {
    left_.array() -= S(100);
    right_.leftCols(4).array() -= S(100);
  }
  std::vector<RowMatrix<S>> all() const { return {left_, right_}; }
  std::vector<RowMatrix<S>> part(int rank) const {
    if (rank == 0) return {left_.topRows(kCut), right_.topRows(kCut)};
    return {left_.bottomRows(kRows - kCut), right_.bottomRows(kRows - kCut)};
  }
  static DataStream<S> stream(const std::vector<RowMatrix<S>>& views, const Ranks& ranks, Index batch) {
    std::vector<SourcePtr<S>> sources;
    for (const auto& view : views) sources.push_back(std::make_unique<landfall::MemorySource<S>>(view));
    return DataStream<S>(
        std::move(sources),
        {.batch = batch, .read_ahead = false, .communicator = ranks, .rank_rows = RankRows::own});
  }

  void expect_near(const Matrix<S>& a, const Matrix<S>& b, double factor) const {
    EXPECT_LE(static_cast<double>((a - b).norm()), factor * this->epsilon() * static_cast<double>(b.norm()));
  }
  static double epsilon() { return static_cast<double>(std::numeric_limits<S>::epsilon()); }
};
TYPED_TEST_SUITE(RanksTest, Scalars);

TYPED_TEST(RanksTest, StatisticsAreThoseOfAllRows) {
  using S = TypeParam;
  this->left_.col(2).setConstant(7);                                 // constant on all ranks
  this->left_.col(5).head(this->kCut).setConstant(1);                // constant on rank 0 only
  this->left_.col(6).head(this->kCut).setConstant(2);                // constant on each rank, with
  this->left_.col(6).tail(this->kRows - this->kCut).setConstant(3);  // different values
  this->left_.col(7).head(this->kCut).setConstant(std::nan(""));     // no number on rank 0
  const auto options = [](const Ranks& ranks) {
    return StreamOptions{
        .transform = {.missing = Missing::mean}, .communicator = ranks, .rank_rows = RankRows::own};
  };
  for (const bool sparse : {false, true}) {
    if (sparse) this->left_ = (this->left_.array() < S(100)).select(S(0), this->left_);
    const auto open = [&](const std::vector<RowMatrix<S>>& views) {
      std::vector<SourcePtr<S>> sources;
      for (const auto& view : views)
        sources.push_back(std::make_unique<MemorySource<S>>(MemoryFile<S>{.rows = view, .sparse = sparse}));
      return sources;
    };
    DataStream<S> one(open(this->all()), options({}));
    std::array<std::vector<ColumnStatistics>, 2> found;
    run_ranks(2, [&](const Ranks& ranks) {
      DataStream<S> own(open(this->part(ranks->rank())), options(ranks));
      EXPECT_EQ(count_rows(own), this->kRows);
      for (std::size_t v = 0; v < 2; ++v)
        found[static_cast<std::size_t>(ranks->rank())].push_back(*own.statistics(v));
    });
    for (std::size_t v = 0; v < 2; ++v) {
      const ColumnStatistics &expected = *one.statistics(v), &a = found[0][v], &b = found[1][v];
      for (const ColumnStatistics& got : {a, b}) {
        EXPECT_EQ(got.rows, this->kRows);
        EXPECT_EQ(got.nonzeros, expected.nonzeros);
        EXPECT_EQ(got.missing, expected.missing);
        EXPECT_EQ(got.constant, expected.constant);
        EXPECT_EQ(got.min, expected.min);
        EXPECT_EQ(got.max, expected.max);
        EXPECT_LE((got.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-13 * 100);
        EXPECT_LE((got.variance - expected.variance).norm(), 1e-12 * expected.variance.norm());
      }
      EXPECT_EQ(a.mean, b.mean);
      EXPECT_EQ(a.variance, b.variance);
    }
  }
}

TYPED_TEST(RanksTest, EvaluateIsTheMeanOverAllRows) {
  using S = TypeParam;
  const auto evaluate = [&](const std::vector<RowMatrix<S>>& views, const Ranks& ranks, Point<S>& gradient,
                            Point<S>& bx) {
    auto stream = this->stream(views, ranks, 4 * this->kRows);  // one batch: all rows
    StreamSamples<S> samples(stream, this->components_, this->ridge_, correlation_objective<S>(),
                             this->kRows);
    gradient = bx = this->x_;
    samples.begin_pass(0);
    EXPECT_EQ(samples.draw(0), this->kRows);
    const double value = samples.evaluate(0, this->kRows, this->x_, &gradient, &bx);
    EXPECT_EQ(samples.draw(0), 0);
    return value;
  };
  Point<S> gradient, bx;
  const double value = evaluate(this->all(), {}, gradient, bx);
  std::array<Point<S>, 2> gradients, products;
  std::array<double, 2> values{};
  run_ranks(2, [&](const Ranks& ranks) {
    const auto k = static_cast<std::size_t>(ranks->rank());
    values[k] = evaluate(this->part(ranks->rank()), ranks, gradients[k], products[k]);
  });
  EXPECT_NEAR(values[0], value, 100 * this->epsilon() * std::abs(value));
  EXPECT_EQ(values[0], values[1]);
  for (std::size_t i = 0; i < 2; ++i) {
    this->expect_near(gradients[0][i], gradient[i], 100);
    this->expect_near(products[0][i], bx[i], 100);
    EXPECT_EQ(gradients[0][i], gradients[1][i]);
    EXPECT_EQ(products[0][i], products[1][i]);
  }
}

/// Rank 0 runs out of rows first: it goes on with empty batches, and every row counts once.
TYPED_TEST(RanksTest, APassEndsTogether) {
  using S = TypeParam;
  Point<S> expected;
  const auto total = [&](const std::vector<RowMatrix<S>>& views, const Ranks& ranks, Index batch) {
    auto stream = this->stream(views, ranks, batch);
    StreamSamples<S> samples(stream, this->components_, this->ridge_, correlation_objective<S>(),
                             this->kRows);
    Point<S> sum{Matrix<S>::Zero(this->kLeft, 3), Matrix<S>::Zero(this->kRight, 3)}, bx = sum;
    samples.begin_pass(3);
    Index seen = 0;
    while (const Index rows = samples.draw(0)) {
      samples.evaluate(0, rows, this->x_, nullptr, &bx);
      for (std::size_t i = 0; i < 2; ++i) sum[i] += static_cast<S>(rows) / this->kRows * bx[i];
      seen += rows;
    }
    EXPECT_EQ(seen, this->kRows);
    return sum;
  };
  expected = total(this->all(), {}, 64);
  run_ranks(2, [&](const Ranks& ranks) {
    const Point<S> sum = total(this->part(ranks->rank()), ranks, 64);
    for (std::size_t i = 0; i < 2; ++i) this->expect_near(sum[i], expected[i], 1000);
  });
}

/// Every kept batch is cut in two: K, the noise q and the start are those of one rank that has both parts.
TYPED_TEST(RanksTest, PilotEstimateIsThatOfAllRows) {
  using S = TypeParam;
  constexpr Index batch = 60, cut = 25;
  const auto batches = [&](Index first, Index count) {
    InMemoryBatches<S> kept;
    for (Index start = 0; start < this->kRows; start += batch) {
      auto& views = kept.emplace_back(2);
      for (std::size_t v = 0; v < 2; ++v) {
        const RowMatrix<S>& rows = v == 0 ? this->left_ : this->right_;
        views[v].batch.start_dense(rows.cols());
        for (Index i = start + first; i < start + first + count; ++i) {
          const auto to = views[v].batch.add_row(i);
          for (Index j = 0; j < rows.cols(); ++j) to[static_cast<std::size_t>(j)] = rows(i, j);
        }
      }
    }
    return kept;
  };
  this->centre();
  const auto pilot = [&](InMemoryBatches<S> kept, Communicator& ranks) {
    InMemorySamples<S> samples(std::move(kept), this->components_, this->ridge_, correlation_objective<S>(),
                               0, ranks);
    EXPECT_EQ(samples.count(), this->kRows);
    EXPECT_EQ(samples.batch_rows(), batch);
    return estimate_pilot(samples, 6, 5);
  };
  const auto one = pilot(batches(0, batch), serial_communicator());
  std::array<PilotEstimate<S>, 2> found;
  run_ranks(2, [&](const Ranks& ranks) {
    found[static_cast<std::size_t>(ranks->rank())] =
        ranks->rank() == 0 ? pilot(batches(0, cut), *ranks) : pilot(batches(cut, batch - cut), *ranks);
  });
  EXPECT_NEAR(found[0].noise, one.noise, 1e4 * this->epsilon() * one.noise);
  EXPECT_EQ(found[0].noise, found[1].noise);
  EXPECT_EQ(found[0].rank, one.rank);
  for (std::size_t i = 0; i < 2; ++i) {
    this->expect_near(found[0].start[i], one.start[i], 1e4);
    EXPECT_EQ(found[0].start[i], found[1].start[i]);
  }
}

/// Ranks divide the rows of a wide K, which also knows of a giant row.
TYPED_TEST(RanksTest, ProductsWithAWideInverse) {
  using S = TypeParam;
  const SerialBlas serial;  // LAPACK is called by several ranks at once, which are threads here
  constexpr Index n = 301, batch = 350, count = 3 * batch;
  const RowMatrix<S> rows = gaussian<S>(count, n, {21});
  const Point<S> x{gaussian<S>(n, 4, {22})};
  const auto products = [&](Communicator& ranks) {
    InMemoryBatches<S> kept;
    for (Index start = 0; start < count; start += batch) {
      auto& view = kept.emplace_back(1).front().batch;
      view.start_dense(n);
      const RankSlice own = slice(ranks.rank(), ranks.size(), batch);
      for (Index i = start + own.first; i < start + own.last; ++i)
        std::ranges::copy(rows.row(i), view.add_row(i).begin());
    }
    const InMemorySamples<S> samples(std::move(kept), {4}, {S(0.1)}, correlation_objective<S>(), 0, ranks);
    const auto inverse =
        subspace_inverses<S>(samples, {.rank = {n}, .ridge = {0.1}, .rows = double(count)}, {});
    EXPECT_TRUE(inverse[0]->complete());
    inverse[0]->add_row(gaussian<S>(n, 1, {23}), 10);
    Point<S> divided(1);
    apply_inverses(inverse, x, divided, ranks);
    Matrix<S> whole(n, 4);
    inverse[0]->apply(x[0], whole);
    this->expect_near(divided[0], whole, 1e3);
    return divided[0];
  };
  const Matrix<S> one = products(serial_communicator());
  for (const int size : {2, 5}) {
    std::vector<Matrix<S>> found(static_cast<std::size_t>(size));
    run_ranks(size,
              [&](const Ranks& ranks) { found[static_cast<std::size_t>(ranks->rank())] = products(*ranks); });
    this->expect_near(found[0], one, 1e5);
    for (const auto& other : found) EXPECT_EQ(other, found[0]);
  }
}

TYPED_TEST(RanksTest, AdaptiveRunHasTheSameBitsOnAllRanks) {
  using S = TypeParam;
  std::array<AdaptiveRun<S>, 2> runs;
  run_ranks(2, [&](const Ranks& ranks) {
    auto stream = this->stream(this->part(ranks->rank()), ranks, 40);
    auto first = std::make_shared<InMemorySamples<S>>(read_into_memory(stream, 500, 40), this->components_,
                                                      this->ridge_, correlation_objective<S>(), 0, *ranks);
    EXPECT_EQ(first->count(), 500);  // of both ranks
    auto all = std::make_shared<StreamSamples<S>>(stream, this->components_, this->ridge_,
                                                  correlation_objective<S>(), this->kRows);
    runs[static_cast<std::size_t>(ranks->rank())] =
        solve_adaptively<S>(first, all, {.passes = 20, .batch = 40, .rank = 6}).run;
  });
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(runs[0].x[i], runs[1].x[i]);
    EXPECT_EQ(runs[0].bx[i], runs[1].bx[i]);
  }
  // The correlations are those of all rows.
  auto stream = this->stream(this->all(), {}, 40);
  auto first = std::make_shared<InMemorySamples<S>>(read_into_memory(stream, 500, 40), this->components_,
                                                    this->ridge_, correlation_objective<S>());
  auto all = std::make_shared<StreamSamples<S>>(stream, this->components_, this->ridge_,
                                                correlation_objective<S>(), this->kRows);
  const auto one = solve_adaptively<S>(first, all, {.passes = 20, .batch = 40, .rank = 6}).run;
  EXPECT_NEAR(runs[0].progress.objective, one.progress.objective, 1e-2 * std::abs(one.progress.objective));
}

/// Samples in memory: the averaged estimator keeps each rank's moments and sums their products.
TYPED_TEST(RanksTest, EstimatorsOfSamplesInMemory) {
  using S = TypeParam;
  const std::vector<FieldOptions<S>> fields(2, FieldOptions<S>{.normal = Normal::gradient});
  this->centre();
  const auto field = [&](const std::vector<RowMatrix<S>>& views, Communicator& ranks, Estimator estimator) {
    auto samples = std::make_shared<LinearSamples<S>>(views, this->components_, this->ridge_,
                                                      correlation_objective<S>(), 0, ranks);
    EXPECT_EQ(samples->count(), this->kRows);
    SampledOracle<S> oracle(samples, {.estimator = estimator, .batch = this->kRows}, fields);
    FieldValue<S> value;
    oracle.field(this->x_, {.omega = 1}, value);
    return value;
  };
  for (const Estimator estimator :
       {Estimator::shared, Estimator::svrg, Estimator::averaged, Estimator::recursive}) {
    const auto one = field(this->all(), serial_communicator(), estimator);
    std::array<FieldValue<S>, 2> found;
    run_ranks(2, [&](const Ranks& ranks) {
      found[static_cast<std::size_t>(ranks->rank())] = field(this->part(ranks->rank()), *ranks, estimator);
    });
    for (std::size_t i = 0; i < 2; ++i) {
      this->expect_near(found[0].lambda[i], one.lambda[i], 1e4);
      EXPECT_EQ(found[0].lambda[i], found[1].lambda[i]);
    }
    EXPECT_NEAR(found[0].objective, one.objective, 1e3 * this->epsilon() * std::abs(one.objective));
  }
  EXPECT_THROW(run_ranks(2, [&](const Ranks& r) { field(this->part(r->rank()), *r, Estimator::ustat); }),
               UsageError);
}

TYPED_TEST(RanksTest, SmallBatchesReachEverySample) {
  using S = TypeParam;
  run_ranks(2, [&](const Ranks& ranks) {
    LinearSamples<S> samples(this->part(ranks->rank()), this->components_, this->ridge_,
                             correlation_objective<S>(), 0, *ranks);
    samples.begin_pass(0);
    Index seen = 0;
    while (const Index rows = samples.draw(1)) seen += rows;
    EXPECT_EQ(seen, this->kRows);
  });
}

TEST(Ranks, RunningCentringNeedsOneRank) {
  EXPECT_THROW(run_ranks(2,
                         [](const Ranks& ranks) {
                           std::vector<SourcePtr<double>> views;
                           views.push_back(std::make_unique<landfall::MemorySource<double>>(
                               RowMatrix<double>(numbered_rows<double>(10, 2))));
                           DataStream<double> stream(std::move(views),
                                                     {.transform = {.centring = Centring::running},
                                                      .communicator = ranks,
                                                      .rank_rows = RankRows::own});
                         }),
               UsageError);
}

}  // namespace
}  // namespace landfall::test
