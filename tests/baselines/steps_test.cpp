// Single steps of the methods of the paper's figures against their formulas, written out with n x n matrices.
#include <landfall/baselines/registry.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/errors.hpp>

#include <cmath>

#include "support.hpp"

namespace landfall::test {
namespace {

constexpr Index kRows = 60, kBatch = 20, p = 2;
constexpr double kStepRidge = 0.1, kEta = 0.03, kOmega = 1.5;

/// Two views of rows, or one, whose batches come in the order of the rows.
struct Rows {
  explicit Rows(std::size_t views) {
    for (std::size_t k = 0; k < views; ++k) {
      data.emplace_back(gaussian<double>(kRows, 5 - static_cast<Index>(k), {1, k}));
      if (k > 0) data[k].leftCols(2) += data[0].leftCols(2);
      start.emplace_back(0.5 * gaussian<double>(data[k].cols(), p, {2, k}));
    }
  }

  /// After `steps` steps of a method.
  Point<double> run(std::string_view name, std::uint64_t steps, BaselineOptions<double> options) const {
    options.components = p;
    options.ridge = {kStepRidge, kStepRidge};
    options.step = kEta;
    options.milestones = options.milestones.value_or(std::vector<double>{});
    options.start = start;
    options.observer = [&](const Progress& now, const Point<double>&) { return now.iteration < steps; };
    std::vector<SourcePtr<double>> views;
    for (const auto& view : data) views.push_back(std::make_unique<MemorySource<double>>(view));
    DataStream<double> stream(
        std::move(views),
        {.batch = kBatch, .shuffle = {.window = 1}, .transform = {.centring = Centring::none}});
    const Baseline& baseline = find_baseline(name);
    return (data.size() == 2 ? baseline.stream : baseline.mixtures).get<double>()(stream, options).x;
  }

  /// Of the first `rows` rows.
  Matrix<double> b(std::size_t k, Index rows) const {
    const auto part = data[k].topRows(rows);
    return part.transpose() * part / static_cast<double>(rows) +
           kStepRidge * Matrix<double>::Identity(part.cols(), part.cols());
  }
  /// CCA: of the first `rows` rows. ICA: of the last batch of them.
  Matrix<double> gradient(std::size_t k, Index rows, const Point<double>& x) const {
    if (data.size() == 2)
      return -data[k].topRows(rows).transpose() * data[1 - k].topRows(rows) * x[1 - k] /
             static_cast<double>(rows);
    const auto batch = data[0].middleRows(rows - kBatch, kBatch);
    return batch.transpose() * (batch * x[0]).array().tanh().matrix() / static_cast<double>(kBatch);
  }

  std::vector<RowMatrix<double>> data;
  Point<double> start;
};

Matrix<double> sym(const Matrix<double>& m) {
  return (m + m.transpose()) / 2;
}

/// Psi_B + omega 2 B X H with Psi_B = 2 skew(G X'B) B X.
Matrix<double> landing_field(const Matrix<double>& b, const Matrix<double>& g, const Matrix<double>& x,
                             double omega) {
  const Matrix<double> product = g * x.transpose() * b, y = b * x;
  const Matrix<double> h = x.transpose() * y - Matrix<double>::Identity(x.cols(), x.cols());
  return (product - product.transpose()) * y + 2 * omega * y * h;
}

/// X R^-1 with X'BX = R'R, for two columns.
Matrix<double> cholesky_qr(const Matrix<double>& b, const Matrix<double>& x) {
  const Matrix<double> metric = x.transpose() * b * x;
  Matrix<double> r = Matrix<double>::Zero(2, 2);
  r(0, 0) = std::sqrt(metric(0, 0));
  r(0, 1) = metric(0, 1) / r(0, 0);
  r(1, 1) = std::sqrt(metric(1, 1) - r(0, 1) * r(0, 1));
  return x * inverse(r);
}

Matrix<double> riemannian_step(const Matrix<double>& b, const Matrix<double>& g, const Matrix<double>& x) {
  return cholesky_qr(b, x - kEta * (inverse(b) * g - x * sym(x.transpose() * g)));
}

void expect_near(const Point<double>& found, const Point<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_LT((found[k] - expected[k]).norm(), 1e-12 * expected[k].norm()) << "block " << k + 1;
}

class StepFormulas : public ::testing::TestWithParam<std::size_t> {};  // how many views: ICA, CCA

TEST_P(StepFormulas, LandingReleasedTakesHalfTheFieldOfOneBatch) {
  const Rows rows(GetParam());
  Point<double> x = rows.start;
  for (std::size_t k = 0; k < x.size(); ++k)
    x[k] -= kEta / 2 *
            landing_field(rows.b(k, kBatch), rows.gradient(k, kBatch, rows.start), rows.start[k], kOmega);
  expect_near(rows.run("landing-released", 1, {.omega = kOmega}), x);
}

TEST_P(StepFormulas, LandingAveragedUsesTheCovariancesOfAllRowsSoFar) {
  const Rows rows(GetParam());
  Point<double> x = rows.start;
  for (const Index seen : {kBatch, 2 * kBatch, kRows}) {
    const Point<double> at = x;
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] -= kEta * landing_field(rows.b(k, seen), rows.gradient(k, seen, at), at[k], kOmega);
  }
  expect_near(rows.run("landing-averaged", 3, {.omega = kOmega}), x);
}

TEST_P(StepFormulas, RgdRollingStepsInTheMetricOfAllRowsSoFar) {
  const Rows rows(GetParam());
  Point<double> x = rows.start;
  for (const Index seen : {kBatch, 2 * kBatch}) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = cholesky_qr(rows.b(k, seen), x[k]);
    const Point<double> at = x;
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = riemannian_step(rows.b(k, seen), rows.gradient(k, seen, at), at[k]);
  }
  expect_near(rows.run("rgd-rolling", 2, {}), x);
}

INSTANTIATE_TEST_SUITE_P(Paper, StepFormulas, ::testing::Values(std::size_t{1}, std::size_t{2}),
                         [](const auto& views) { return std::string(views.param == 1 ? "ica" : "cca"); });

TEST(Steps, MilestonesDivideTheStepByTen) {
  const Rows rows(2);
  for (const std::string name : {"landing-released", "landing-averaged", "rgd-rolling", "sgha"}) {
    std::vector<SourcePtr<double>> views;
    for (const auto& view : rows.data) views.push_back(std::make_unique<MemorySource<double>>(view));
    DataStream<double> stream(std::move(views), {.batch = kBatch});
    std::vector<double> steps;
    find_baseline(name).stream.get<double>()(stream,
                                             {.components = p,
                                              .step = kEta,
                                              .milestones = std::vector<double>{1, 3},
                                              .passes = 4,
                                              .observer = [&](const Progress& now, const Point<double>&) {
                                                steps.push_back(now.step);
                                                return true;
                                              }});
    const double first = name == "landing-released" ? kEta / 2 : kEta;  // half of the field
    ASSERT_GE(steps.size(), 11U) << name;  // three batches in each of four passes
    for (std::size_t i = 0; i < steps.size(); ++i)
      EXPECT_NEAR(steps[i], first * (i < 3 ? 1 : i < 9 ? 0.1 : 0.01), 1e-15) << name << ", step " << i;
  }
}

struct DensePencil {
  Matrix<double> a = random_symmetric<double>(8, 1), b = random_spd<double>(8, 10, 2);
  Matrix<double> start = cholesky_qr(b, gaussian<double>(8, p, {3}));

  Matrix<double> run(std::string_view name) const {
    return solve_baseline<double>(
               find_baseline(name),
               {std::make_shared<DenseOperator<double>>(a), std::make_shared<DenseOperator<double>>(b)},
               {.components = p,
                .step = kEta,
                .omega = kOmega,
                .start = {start},
                .observer = [](const Progress& now, const Point<double>&) { return now.iteration < 2; }})
        .x.at(0);
  }
};

TEST(Steps, Plam) {
  const DensePencil pencil;
  Matrix<double> x = pencil.start;
  for (int step = 0; step < 2; ++step) {
    const Matrix<double> g = -pencil.a * x, y = pencil.b * x;
    const Matrix<double> h = x.transpose() * y - Matrix<double>::Identity(p, p);
    x -= kEta * (g - y * sym(x.transpose() * g) + kOmega * y * h);
  }
  expect_near({pencil.run("plam")}, {x});
}

TEST(Steps, RiemannianGradientDescent) {
  const DensePencil pencil;
  Matrix<double> x = pencil.start;
  for (int step = 0; step < 2; ++step) x = riemannian_step(pencil.b, -pencil.a * x, x);
  expect_near({pencil.run("rgd-fixed")}, {x});
}

TEST(Steps, AStartOfTheWrongShapeIsNamed) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  DensePencil pencil;
  pencil.start = Matrix<double>::Zero(7, p);
  EXPECT_EQ(message([&] { pencil.run("plam"); }),
            "the start has 1 blocks, the first 7x2; expected one of 8x2");
  Rows rows(2);
  rows.start[1] = Matrix<double>::Zero(3, p);
  EXPECT_EQ(message([&] { rows.run("rgd-rolling", 1, {}); }),
            "rgd-rolling: block 2 of the start is 3x2, expected 4x2");
}

}  // namespace
}  // namespace landfall::test
