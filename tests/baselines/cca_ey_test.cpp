// CCA-EY against the definition of its loss and against the exact method.
#include <landfall/baselines/cca_ey.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/parallel/threads.hpp>

#include <limits>
#include <string>

#include "support.hpp"

namespace landfall::test {
namespace {

constexpr double kRidge = 1e-2;

template <class S>
struct ViewPair {
  RowMatrix<S> left, right;

  std::vector<SourcePtr<S>> sources() const {
    std::vector<SourcePtr<S>> both;
    both.push_back(std::make_unique<MemorySource<S>>(left, "left"));
    both.push_back(std::make_unique<MemorySource<S>>(right, "right"));
    return both;
  }
  /// The exact canonical correlations, by LAPACK.
  Vector<double> exact(Index p) const {
    auto both = sources();
    return fit_cca<S>(std::move(both[0]), std::move(both[1]),
                      {.components = p, .method = FitMethod::exact, .ridge = kRidge})
        .regularized;
  }
};

/// Correlations from 0.9 to 0.5, views of condition 10.
template <class S>
ViewPair<S> planted(Index samples = 2000) {
  PlantedCca<S> maker({.samples = samples,
                       .left = 20,
                       .right = 15,
                       .correlations = equidistant_correlations(6),
                       .condition = 10});
  Batch<S> x, y;
  maker.read(0, samples, x, y);
  return {x.dense().transpose(), y.dense().transpose()};
}

template <class S>
struct Run {
  Result<S> result;
  Vector<double> correlations;  // of the span, on all rows
};

template <class S>
Run<S> run(const ViewPair<S>& views, Index batch, const StochasticCcaOptions& problem,
           const CcaEyOptions& options) {
  DataStream<S> stream(views.sources(), {.batch = batch});
  auto result = cca_ey<S>(stream, problem, options);
  auto moments = canonical_moments<S>(stream, Part::training, result.x[0], result.x[1]);
  const auto square = [](const Matrix<S>& x) {
    return Matrix<double>((x.transpose() * x).template cast<double>());
  };
  moments.left += problem.ridge * square(result.x[0]);
  moments.right += problem.ridge * square(result.x[1]);
  return {std::move(result), canonical_rotation(moments, problem.components).correlations};
}

template <class S>
class CcaEyTest : public Typed<S> {};
TYPED_TEST_SUITE(CcaEyTest, Scalars);

TYPED_TEST(CcaEyTest, ReachesTheExactOptimum) {
  using S = TypeParam;
  const auto views = planted<S>();
  const double exact = views.exact(3).sum();
  for (const bool halves : {true, false})
    for (const CcaEyOptions& options : {CcaEyOptions{.optimizer = Optimizer::adam, .halves = halves},
                                        CcaEyOptions{.momentum = 0.9, .halves = halves},
                                        CcaEyOptions{.momentum = 0.9, .nesterov = true, .halves = halves}}) {
      const StochasticCcaOptions problem{.components = 3,
                                         .learning_rate = options.optimizer == Optimizer::adam ? 0.1 : 0.02,
                                         .schedule = Schedule::cosine,
                                         .passes = 20,
                                         .ridge = kRidge};
      const auto found = run<S>(views, 100, problem, options);
      EXPECT_EQ(found.result.termination, Termination::pass_limit);
      EXPECT_EQ(found.result.history.size(), 20u);
      EXPECT_EQ(found.result.progress.iteration, 400u);
      EXPECT_GT(found.correlations.sum(), 0.999 * exact) << problem.learning_rate << " " << halves;
      EXPECT_LT(found.correlations.sum(), exact * (1 + 1e-5));
    }
}

/// Where every batch is all of the data: L = -(rho_1^2 + ...), W'BW has the eigenvalues rho.
TEST(CcaEy, TheLossEndsAtMinusTheSquaresOfTheCorrelations) {
  const auto views = planted<double>(300);
  const Vector<double> exact = views.exact(3);
  const StochasticCcaOptions problem{.components = 3, .learning_rate = 0.05, .passes = 600, .ridge = kRidge};
  const auto found = run<double>(views, 300, problem, {.momentum = 0.9, .halves = false});
  EXPECT_NEAR(found.result.progress.objective, -exact.squaredNorm(), 1e-8);
  EXPECT_LT((found.correlations - exact).norm(), 1e-6);
}

TEST(CcaEy, TheGradientIsThatOfTheLoss) {
  const auto views = planted<double>(101);  // halves of different sizes
  const Index p = 3;
  DataStream<double> stream(views.sources(), {.batch = 101});
  stream.begin_pass(0);
  ASSERT_TRUE(stream.next());
  const auto &left = stream.view(0), &right = stream.view(1);
  const Point<double> x{gaussian<double>(20, p, {1, 0}), gaussian<double>(15, p, {1, 1})},
      along{gaussian<double>(20, p, {2, 0}), gaussian<double>(15, p, {2, 1})};
  for (const bool halves : {true, false}) {
    CcaEy<double> method({.components = p, .ridge = 0.3}, {.halves = halves});
    Point<double> gradient = x, moved = x;
    const double value = method.loss(left, right, x, &gradient);
    const auto at = [&](double t) {
      for (std::size_t i = 0; i < 2; ++i) moved[i] = x[i] + t * along[i];
      return method.loss(left, right, moved, nullptr);
    };
    EXPECT_EQ(at(0), value);
    // Of a quartic in t the difference of fifth order is the derivative, but for rounding.
    const double h = 1e-2, slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_NEAR(inner(gradient, along), slope, 1e-10 * std::abs(value) / h) << halves;

    // The loss by its definition.
    const auto scores = [&](const CentredBatch<double>& view, const Matrix<double>& w) {
      Matrix<double> out(view.rows(), p);
      view.times(w, out);
      return out;
    };
    const Matrix<double> a = scores(left, x[0]), b = scores(right, x[1]);
    const auto metric = [&](Index begin, Index count) {
      const auto u = a.middleRows(begin, count), v = b.middleRows(begin, count);
      return Matrix<double>((u.transpose() * u + v.transpose() * v) / static_cast<double>(count) +
                            0.3 * (x[0].transpose() * x[0] + x[1].transpose() * x[1]));
    };
    const double product =
        halves ? metric(0, 50).cwiseProduct(metric(50, 51)).sum() : metric(0, 101).squaredNorm();
    EXPECT_NEAR(value, product - 4 * (a.transpose() * b).trace() / 101, 1e-10 * std::abs(value));
  }
}

/// The mean over many draws of the loss with halves is the loss of all rows; with whole batches it is not.
TEST(CcaEy, HalvesAreUnbiased) {
  const auto views = planted<double>(4000);
  const Index p = 3;
  const Point<double> x{gaussian<double>(20, p, {3, 0}), gaussian<double>(15, p, {3, 1})};
  const StochasticCcaOptions problem{.components = p};
  CcaEy<double> unbiased(problem, {}), biased(problem, {.halves = false});
  DataStream<double> whole(views.sources(), {.batch = 4000}), parts(views.sources(), {.batch = 10});
  whole.begin_pass(0);
  ASSERT_TRUE(whole.next());
  const double truth = biased.loss(whole.view(0), whole.view(1), x, nullptr);
  double sum = 0, squares = 0, other = 0, count = 0;
  for (std::uint64_t pass = 0; pass < 10; ++pass) {
    parts.begin_pass(pass);
    while (parts.next()) {
      const double value = unbiased.loss(parts.view(0), parts.view(1), x, nullptr);
      sum += value;
      squares += value * value;
      other += biased.loss(parts.view(0), parts.view(1), x, nullptr);
      ++count;
    }
  }
  const double mean = sum / count, error = std::sqrt((squares / count - mean * mean) / count);
  EXPECT_NEAR(mean, truth, 5 * error);
  EXPECT_GT(other / count - truth, 5 * error);
}

TYPED_TEST(CcaEyTest, SeedsReproduceToTheBitWithAnyNumberOfThreads) {
  using S = TypeParam;
  const auto views = planted<S>();
  const StochasticCcaOptions problem{.components = 2, .learning_rate = 1e-3, .ridge = kRidge, .seed = 5};
  const int before = threads();
  set_threads(1);
  const auto one = run<S>(views, 64, problem, {.optimizer = Optimizer::adam}).result;
  set_threads(2);
  const auto two = run<S>(views, 64, problem, {.optimizer = Optimizer::adam}).result;
  set_threads(before);
  EXPECT_EQ(one.x, two.x);
  auto other = problem;
  other.seed = 6;
  EXPECT_NE(one.x, run<S>(views, 64, other, {.optimizer = Optimizer::adam}).result.x);
}

TYPED_TEST(CcaEyTest, DivergingRunsEndAtFiniteNumbers) {
  using S = TypeParam;
  const auto views = planted<S>();
  DataStream<S> stream(views.sources(), {.batch = 50});
  const auto result = cca_ey<S>(stream, {.components = 2, .learning_rate = 10, .passes = 3}, {});
  EXPECT_EQ(result.termination, Termination::diverged);
  ASSERT_EQ(result.x.size(), 2u);
  EXPECT_TRUE(result.x[0].allFinite() && result.x[1].allFinite());
}

TEST(CcaEy, MisuseIsNamed) {
  const auto wrong = [](const StochasticCcaOptions& problem, const CcaEyOptions& options = {}) {
    return message<UsageError>([&] { CcaEy<float>(problem, options); });
  };
  EXPECT_EQ(wrong({.components = 0}), "components must be at least 1, got 0");
  EXPECT_EQ(wrong({.learning_rate = 0}), "learning_rate must be positive, got 0");
  EXPECT_EQ(wrong({.schedule = Schedule::milestones}), "step.milestones must be given in ascending order");
  EXPECT_EQ(wrong({.passes = 0}), "passes must be at least 1, got 0");
  EXPECT_EQ(wrong({.ridge = -1}), "ridge must not be negative, got -1");
  EXPECT_EQ(wrong({}, {.momentum = 1}), "momentum must be at least 0 and below 1, got 1");

  const auto views = planted<double>();
  DataStream<double> few(views.sources(), {.batch = 3});
  EXPECT_EQ(message<NumericalError>([&] { cca_ey<double>(few, {.components = 4}); }),
            "CCA-EY: the first batch has 3 rows of rank 3, expected at least p = 4");
  std::vector<SourcePtr<double>> single;
  single.push_back(std::make_unique<MemorySource<double>>(views.left));
  DataStream<double> one(std::move(single), {});
  EXPECT_EQ(message<UsageError>([&] { cca_ey<double>(one, {}); }), "1 views, expected two");
}

}  // namespace
}  // namespace landfall::test
