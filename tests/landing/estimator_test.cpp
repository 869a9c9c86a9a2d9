// Estimates of the field from samples against the field itself. The samples are independent draws from a
// Gaussian whose covariance is known, each used once, so an unbiased estimate's mean must meet the truth
// within its standard error.
#include <landfall/errors.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/solver.hpp>

#include <numeric>

#include "support.hpp"

namespace landfall::test {
namespace {

constexpr Index kLeft = 5, kRight = 4, kComponents = 2;
constexpr double kRidge = 0.05;

/// Two views with a given joint covariance.
struct TwoViews {
  Matrix<double> covariance;
  RowMatrix<double> left, right;
  Point<double> x;

  explicit TwoViews(Index samples, std::uint64_t seed)
      : covariance(random_spd<double>(kLeft + kRight, 6, seed)) {
    const Matrix<double> root = square_root(covariance);
    const RowMatrix<double> joint = gaussian<double>(samples, kLeft + kRight, {seed, 1}) * root;
    left = joint.leftCols(kLeft);
    right = joint.rightCols(kRight);
    x = {random_near_manifold(b(0), kComponents, 0.4, seed),
         random_near_manifold(b(1), kComponents, 0.4, seed + 1)};
  }

  Matrix<double> b(int view) const {
    const Matrix<double> block = view == 0 ? Matrix<double>(covariance.topLeftCorner(kLeft, kLeft))
                                           : Matrix<double>(covariance.bottomRightCorner(kRight, kRight));
    return block + kRidge * Matrix<double>::Identity(block.rows(), block.rows());
  }

  /// Lambda of the population: f = -tr X'S_xy Y.
  Point<double> field(const std::vector<FieldOptions<double>>& options, double omega) const {
    const Matrix<double> cross = covariance.topRightCorner(kLeft, kRight);
    const Point<double> g = {-cross * x[1], -cross.transpose() * x[0]};
    Point<double> lambda = x;
    for (int i = 0; i < 2; ++i) {
      const auto block = static_cast<std::size_t>(i);
      const Matrix<double> y = b(i) * x[block];
      StiefelField<double> kernel(options[block]);
      kernel(x[block], g[block], y, y, omega, lambda[block]);
    }
    return lambda;
  }

  std::shared_ptr<LinearSamples<double>> samples(std::uint64_t seed = 0) const {
    return std::make_shared<LinearSamples<double>>(
        std::vector{left, right}, std::vector{kComponents, kComponents}, std::vector{kRidge, kRidge},
        correlation_objective<double>(), seed);
  }
};

/// The largest deviation of the mean estimate from the truth, in standard errors, over all entries of both
/// blocks.
double worst_deviation(const TwoViews& views, SamplingOptions sampling,
                       std::vector<FieldOptions<double>> fields, double omega) {
  SampledOracle<double> oracle(views.samples(), sampling, fields);
  FieldValue<double> value;
  value.lambda = views.x;
  Point<double> sum = views.x, squares = views.x;
  for (std::size_t i = 0; i < 2; ++i) sum[i].setZero(), squares[i].setZero();
  double count = 0;
  while (oracle.passes() < 1 - 1e-9) {
    oracle.field(views.x, {.omega = omega}, value);
    for (std::size_t i = 0; i < 2; ++i) {
      sum[i] += value.lambda[i];
      squares[i] += value.lambda[i].cwiseAbs2();
    }
    ++count;
  }
  const Point<double> truth = views.field(fields, omega);
  double worst = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Matrix<double> mean = sum[i] / count;
    const Matrix<double> error = ((squares[i] / count - mean.cwiseAbs2()) / (count - 1)).cwiseSqrt();
    worst = std::max(worst, (mean - truth[i]).cwiseQuotient(error).cwiseAbs().maxCoeff());
  }
  return worst;
}

std::vector<FieldOptions<double>> plain(Normal normal) {
  return {{.direction = Direction::metric, .normal = normal},
          {.direction = Direction::metric, .normal = normal}};
}

std::vector<FieldOptions<double>> preconditioned(Normal normal) {
  const auto k = [](Index n) {
    return std::make_shared<DiagonalPreconditioner<double>>(Vector<double>::LinSpaced(n, 0.5, 2));
  };
  return {{Direction::preconditioned, normal, k(kLeft)}, {Direction::preconditioned, normal, k(kRight)}};
}

}  // namespace

class Unbiased : public ::testing::TestWithParam<std::tuple<Estimator, Normal, bool>> {};

TEST_P(Unbiased, MeanMeetsTheFieldWithinFourStandardErrors) {
  const auto [estimator, normal, with_k] = GetParam();
  const TwoViews views(60000, 3);
  EXPECT_LE(worst_deviation(views, {.estimator = estimator, .batch = 12},
                            with_k ? preconditioned(normal) : plain(normal), 0.7),
            4);
}

INSTANTIATE_TEST_SUITE_P(Estimators, Unbiased,
                         ::testing::Combine(::testing::Values(Estimator::split, Estimator::ustat),
                                            ::testing::Values(Normal::gradient, Normal::newton),
                                            ::testing::Bool()));

TEST(Estimators, SharedFailsTheSameTest) {
  const TwoViews views(60000, 3);
  EXPECT_GT(
      worst_deviation(views, {.estimator = Estimator::shared, .batch = 12}, plain(Normal::gradient), 0.7),
      10);
}

TEST(Estimators, SplitOfAGeneralProblemUsesThreeParts) {
  // The same two views behind an opaque callback: the gradient may then not share rows with B.
  const TwoViews views(60000, 4);
  const auto linear = views.samples();
  const auto evaluate = [&](std::span<const Index> rows, const Point<double>& x, Point<double>* g,
                            Point<double>* y) {
    const double scale = 1.0 / static_cast<double>(rows.size());
    for (auto* point : {g, y})
      if (point)
        for (std::size_t i = 0; i < 2; ++i) (*point)[i].setZero();
    if (y)
      for (std::size_t i = 0; i < 2; ++i) (*y)[i] = kRidge * x[i];
    for (const Index row : rows) {
      const Vector<double> a = views.left.row(row).transpose(), c = views.right.row(row).transpose();
      if (g) {
        (*g)[0] -= scale * a * (c.transpose() * x[1]);
        (*g)[1] -= scale * c * (a.transpose() * x[0]);
      }
      if (y) {
        (*y)[0] += scale * a * (a.transpose() * x[0]);
        (*y)[1] += scale * c * (c.transpose() * x[1]);
      }
    }
    return 0.0;
  };
  auto samples = std::make_shared<CallbackSamples<double>>(
      60000, std::vector<Shape>{{kLeft, kComponents}, {kRight, kComponents}}, evaluate, 1);
  SampledOracle<double> oracle(samples, {.estimator = Estimator::split, .batch = 12},
                               plain(Normal::gradient));
  FieldValue<double> value;
  value.lambda = views.x;
  Point<double> sum = views.x, squares = views.x;
  for (std::size_t i = 0; i < 2; ++i) sum[i].setZero(), squares[i].setZero();
  for (int k = 0; k < 5000; ++k) {
    oracle.field(views.x, {.omega = 0.7}, value);
    for (std::size_t i = 0; i < 2; ++i) sum[i] += value.lambda[i], squares[i] += value.lambda[i].cwiseAbs2();
  }
  const Point<double> truth = views.field(plain(Normal::gradient), 0.7);
  for (std::size_t i = 0; i < 2; ++i) {
    const Matrix<double> mean = sum[i] / 5000;
    const Matrix<double> error = ((squares[i] / 5000 - mean.cwiseAbs2()) / 4999).cwiseSqrt();
    EXPECT_LE((mean - truth[i]).cwiseQuotient(error).cwiseAbs().maxCoeff(), 4);
  }
}

TEST(Estimators, UStatisticEqualsTheSumOverAllDistinctTriples) {
  const Index r = 7;
  const TwoViews views(r, 5);
  for (const Normal normal : {Normal::gradient, Normal::newton})
    for (const bool with_k : {false, true}) {
      const auto fields = with_k ? preconditioned(normal) : plain(normal);
      const double omega = 0.3;
      SampledOracle<double> oracle(views.samples(), {.estimator = Estimator::ustat, .batch = r}, fields);
      FieldValue<double> value;
      value.lambda = views.x;
      oracle.field(views.x, {.omega = omega}, value);

      Point<double> sum = views.x;
      for (auto& block : sum) block.setZero();
      double triples = 0;
      for (Index i = 0; i < r; ++i)
        for (Index j = 0; j < r; ++j)
          for (Index l = 0; l < r; ++l) {
            if (i == j || j == l || i == l) continue;
            ++triples;
            for (std::size_t v = 0; v < 2; ++v) {
              const RowMatrix<double>&a = v == 0 ? views.left : views.right,
                    &c = v == 0 ? views.right : views.left;
              const Matrix<double>&x = views.x[v], &other = views.x[1 - v];
              const Matrix<double> g = -a.row(i).transpose() * (c.row(i) * other);
              const Matrix<double> y1 = a.row(j).transpose() * (a.row(j) * x) + kRidge * x;
              const Matrix<double> y2 = a.row(l).transpose() * (a.row(l) * x) + kRidge * x;
              Matrix<double> k = Matrix<double>::Identity(a.cols(), a.cols());
              if (with_k) k = to_dense(*fields[v].preconditioner);
              sum[v] += k * (g * (y1.transpose() * k * y2) - y1 * (g.transpose() * k * y2));
              const Matrix<double> h =
                  x.transpose() * y1 - Matrix<double>::Identity(kComponents, kComponents);
              sum[v] += 2 * omega * (normal == Normal::gradient ? y2 : x) * h;
            }
          }
      for (std::size_t v = 0; v < 2; ++v)
        EXPECT_LE((value.lambda[v] - sum[v] / triples).norm(), 1e-13 * (1 + sum[v].norm() / triples));
    }
}

TEST(Estimators, SvrgIsExactAtItsSnapshotAndItsErrorShrinksWithTheDistance) {
  const TwoViews views(400, 6);
  const auto error = [&](double distance) {
    SampledOracle<double> oracle(views.samples(), {.estimator = Estimator::svrg, .batch = 10},
                                 plain(Normal::gradient));
    FieldValue<double> value;
    value.lambda = views.x;
    Point<double> x = views.x;
    oracle.field(x, {.omega = 0.7}, value);  // takes the snapshot here
    for (std::size_t i = 0; i < 2; ++i) x[i] += distance * gaussian<double>(x[i].rows(), x[i].cols(), {7, i});
    SampledOracle<double> full(views.samples(), {.estimator = Estimator::shared, .batch = 400},
                               plain(Normal::gradient));
    FieldValue<double> truth;
    truth.lambda = x;
    full.field(x, {.omega = 0.7}, truth);
    oracle.field(x, {.omega = 0.7}, value);
    double sum = 0;
    for (std::size_t i = 0; i < 2; ++i) sum += (value.lambda[i] - truth.lambda[i]).squaredNorm();
    return std::sqrt(sum);
  };
  EXPECT_LE(error(0), 1e-13);
  const double far = error(1e-2), near = error(1e-3);
  EXPECT_GT(far, 1e-5);            // it is an estimate
  EXPECT_NEAR(far / near, 10, 2);  // whose error is of the order of the distance
}

TEST(Estimators, AveragedIsExactAfterTheFirstPass) {
  const TwoViews views(100, 8);
  SampledOracle<double> oracle(views.samples(), {.estimator = Estimator::averaged, .batch = 30},
                               plain(Normal::gradient));
  SampledOracle<double> full(views.samples(), {.estimator = Estimator::shared, .batch = 100},
                             plain(Normal::gradient));
  FieldValue<double> value, truth;
  value.lambda = truth.lambda = views.x;
  full.field(views.x, {.omega = 0.7}, truth);
  for (int k = 0; k < 4; ++k) oracle.field(views.x, {.omega = 0.7}, value);  // 30 + 30 + 30 + 10
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_LE((value.lambda[i] - truth.lambda[i]).norm(), 1e-13 * truth.lambda[i].norm());
}

TEST(Estimators, APassReadsEverySampleOnceWhateverTheBatch) {
  for (const Index batch : {1, 7, 16, 100, 1000}) {
    std::vector<int> seen(100);
    auto samples = std::make_shared<CallbackSamples<double>>(
        100, std::vector<Shape>{{3, 1}},
        [&](std::span<const Index> rows, const Point<double>& x, Point<double>* g, Point<double>* y) {
          if (g && y) {
            for (const Index row : rows) ++seen[static_cast<std::size_t>(row)];
            (*g)[0].setZero();
            (*y)[0] = x[0];
          } else if (y) {
            (*y)[0] = x[0];
          }
          return 0.0;
        });
    SampledOracle<double> oracle(samples, {.estimator = Estimator::shared, .batch = batch},
                                 {{.normal = Normal::newton}});
    FieldValue<double> value;
    value.lambda = {Matrix<double>::Zero(3, 1)};
    const Point<double> x = {Matrix<double>::Ones(3, 1)};
    while (oracle.passes() < 2 - 1e-9) oracle.field(x, {}, value);
    EXPECT_EQ(oracle.passes(), 2) << "batch " << batch;
    for (const int count : seen) EXPECT_EQ(count, 2) << "batch " << batch;
  }
}

TEST(Estimators, AShortLastBatchIsSkippedWhenTooSmall) {
  const TwoViews views(25, 9);  // batches of 8: 8, 8, 8, 1
  SampledOracle<double> oracle(views.samples(), {.estimator = Estimator::ustat, .batch = 8},
                               plain(Normal::newton));
  FieldValue<double> value;
  value.lambda = views.x;
  for (int k = 0; k < 10; ++k) {
    oracle.field(views.x, {}, value);
    EXPECT_TRUE(value.lambda[0].allFinite() && value.lambda[1].allFinite());
  }
}

TEST(Estimators, WhatCannotBeEstimatedIsRefused) {
  const TwoViews views(25, 9);
  const auto construct = [&](Estimator estimator, Index batch, Direction direction = Direction::metric) {
    std::vector<FieldOptions<double>> fields = plain(Normal::newton);
    for (auto& field : fields) field.direction = direction;
    return SampledOracle<double>(views.samples(), {.estimator = estimator, .batch = batch}, fields);
  };
  EXPECT_THROW(construct(Estimator::ustat, 2), UsageError);
  EXPECT_THROW(construct(Estimator::split, 3), UsageError);
  EXPECT_THROW(construct(Estimator::shared, 0), UsageError);
  EXPECT_THROW(construct(Estimator::shared, 8, Direction::euclidean), UsageError);
  EXPECT_THROW(parse_estimator("best"), UsageError);
  EXPECT_EQ(parse_estimator("ustat"), Estimator::ustat);
}

TEST(Estimators, StochasticLandingFindsTheCanonicalCorrelations) {
  const TwoViews views(20000, 10);
  const Matrix<double> cross = views.left.transpose() * views.right / 20000.0;
  const auto root = [&](const RowMatrix<double>& a) {
    const Matrix<double> c =
        a.transpose() * a / 20000.0 + kRidge * Matrix<double>::Identity(a.cols(), a.cols());
    return inverse_square_root(c);
  };
  const Matrix<double> whitened = root(views.left) * cross * root(views.right);
  const double best = singular_values(whitened).head(kComponents).sum();
  for (const Estimator estimator :
       {Estimator::split, Estimator::ustat, Estimator::svrg, Estimator::averaged}) {
    SampledOracle<double> oracle(views.samples(1), {.estimator = estimator, .batch = 50},
                                 plain(Normal::newton));
    const auto result = solve<double>(
        oracle, {gaussian<double>(kLeft, kComponents, {1, 0}), gaussian<double>(kRight, kComponents, {1, 1})},
        {.step = {.rule = StepRule::fixed, .size = 1.0, .schedule = Schedule::cosine, .horizon = 8},
         .stop = stop::passes(8)});
    EXPECT_EQ(result.termination, Termination::pass_limit);
    const Matrix<double>&u = result.x[0], &v = result.x[1];
    const auto normalised = [&](const RowMatrix<double>& a, const Matrix<double>& w) {
      const Matrix<double> c =
          a.transpose() * a / 20000.0 + kRidge * Matrix<double>::Identity(a.cols(), a.cols());
      return Matrix<double>(w * inverse_square_root(w.transpose() * c * w));
    };
    const Matrix<double> inner = normalised(views.left, u).transpose() * cross * normalised(views.right, v);
    const double found = singular_values(inner).sum();
    EXPECT_GE(found, 0.999 * best) << to_string(estimator);
    EXPECT_LE(found, (1 + 1e-9) * best) << to_string(estimator);
  }
}

}  // namespace landfall::test
