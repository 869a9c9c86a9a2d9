#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>

#include <cmath>

#include <data/read_all.hpp>
#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <support.hpp>

namespace landfall::test {
namespace {

struct Views {
  Matrix<double> left, right;  // samples as rows
};

Views read_views(const PlantedCcaOptions& options, Index step = 512) {
  PlantedCca<double> planted(options);
  Views views{Matrix<double>(options.samples, options.left), Matrix<double>(options.samples, options.right)};
  Batch<double> x, y;
  for (Index first = 0; first < options.samples; first += step) {
    const Index count = std::min(step, options.samples - first);
    planted.read(first, count, x, y);
    EXPECT_EQ(x.sparse(), options.nonzeros.has_value());
    EXPECT_EQ(x.numbers()[0], first);
    x.times(Matrix<double>::Identity(options.left, options.left), views.left.middleRows(first, count));
    y.times(Matrix<double>::Identity(options.right, options.right), views.right.middleRows(first, count));
  }
  return views;
}

/// The mean of products of the columns of a and b, each within five of its own standard errors of the truth.
void expect_moments(const Matrix<double>& a, const Matrix<double>& b, const Matrix<double>& truth) {
  const double samples = static_cast<double>(a.rows());
  for (Index i = 0; i < a.cols(); ++i)
    for (Index j = 0; j < b.cols(); ++j) {
      const Eigen::ArrayXd products = a.col(i).array() * b.col(j).array();
      const double mean = products.mean();
      const double error = std::sqrt((products - mean).square().mean() / samples);
      ASSERT_NEAR(mean, truth(i, j), 5 * error) << i << ", " << j;
    }
}

/// All canonical correlations of a sample, by whitening and singular values.
Vector<double> exact_cca(const Matrix<double>& x, const Matrix<double>& y) {
  const double samples = static_cast<double>(x.rows());
  const Matrix<double> xc = x.rowwise() - x.colwise().mean(), yc = y.rowwise() - y.colwise().mean();
  return singular_values(inverse_square_root(xc.transpose() * xc / samples) *
                         (xc.transpose() * yc / samples) *
                         inverse_square_root(yc.transpose() * yc / samples));
}

struct PlantedCase {
  const char* name;
  PlantedCcaOptions options;
};

const std::vector<PlantedCase>& planted_cases() {
  static const std::vector<PlantedCase> all = {
      {"dense",
       {.samples = 20'000,
        .left = 50,
        .right = 37,
        .correlations = {0.6, 0.9, 0.3},
        .condition = 1e3,
        .seed = 1}},
      {"as many pairs as columns",
       {.samples = 20'000, .left = 4, .right = 6, .correlations = equidistant_correlations(4), .seed = 2}},
      {"one column", {.samples = 20'000, .left = 1, .right = 1, .correlations = {0.7}, .seed = 3}},
      {"sparse",
       {.samples = 20'000,
        .left = 60,
        .right = 50,
        .correlations = {0.85, 0.7, 0.5},
        .nonzeros = 12,
        .seed = 4}},
      {"sparse, half full",
       {.samples = 20'000, .left = 30, .right = 40, .correlations = {0.9}, .nonzeros = 15, .seed = 5}},
  };
  return all;
}

TEST(PlantedCca, MomentsOfTheScoresAreThoseOfThePopulation) {
  for (const auto& [name, options] : planted_cases()) {
    SCOPED_TRACE(name);
    const PlantedCca<double> planted(options);
    const Views views = read_views(options);
    const Index p = planted.correlations().size();
    const Matrix<double> a = views.left * planted.left_weights(), b = views.right * planted.right_weights();
    expect_moments(a, a, Matrix<double>::Identity(p, p));
    expect_moments(b, b, Matrix<double>::Identity(p, p));
    expect_moments(a, b, planted.correlations().asDiagonal());
    const Matrix<double> ones = Matrix<double>::Ones(options.samples, 1);
    expect_moments(views.left, ones, Matrix<double>::Zero(options.left, 1));
    expect_moments(views.right, ones, Matrix<double>::Zero(options.right, 1));
  }
}

TEST(PlantedCca, ExactCcaFindsThePlantedCorrelationsAndNoOthers) {
  for (const auto& [name, options] : planted_cases()) {
    SCOPED_TRACE(name);
    const PlantedCca<double> planted(options);
    const Views views = read_views(options);
    const Vector<double> found = exact_cca(views.left, views.right);
    const Vector<double>& truth = planted.correlations();
    const double samples = static_cast<double>(options.samples);
    for (Index k = 0; k < truth.size(); ++k) {
      // The standard error of a correlation of normals, doubled for the heavier tails of sparse data; and the
      // excess of a maximum over so many columns, (1 - rho^2) (n1 + n2) / (2 rho N) to first order.
      const double slack = 1 - truth[k] * truth[k];
      const double columns = static_cast<double>(options.left + options.right);
      EXPECT_NEAR(found[k], truth[k], slack * (10 / std::sqrt(samples) + columns / truth[k] / samples)) << k;
    }
    // Noise has canonical correlations up to about sqrt(n1/N) + sqrt(n2/N).
    if (found.size() > truth.size()) {
      EXPECT_LT(found[truth.size()], 1.5 * (std::sqrt(static_cast<double>(options.left) / samples) +
                                            std::sqrt(static_cast<double>(options.right) / samples)));
    }
    // The planted weights, as an oracle, reach nearly all there is in the sample.
    const Vector<double> reached =
        exact_cca(views.left * planted.left_weights(), views.right * planted.right_weights());
    EXPECT_GE(reached.sum(), 0.97 * found.head(truth.size()).sum());
  }
}

TEST(PlantedCca, DenseCovariancesHaveTheConditionAskedForInABasisThatScalingDoesNotUndo) {
  const PlantedCcaOptions options{
      .samples = 40'000, .left = 16, .right = 11, .correlations = {0.8}, .condition = 100, .seed = 6};
  const Views views = read_views(options);
  for (const Matrix<double>* view : {&views.left, &views.right}) {
    const Index n = view->cols();
    const Matrix<double> covariance = view->transpose() * *view / static_cast<double>(options.samples);
    const Vector<double> values = eigenvalues(covariance);
    // Relative errors of eigenvalues of Wishart matrices are of order sqrt(n/N).
    const double tolerance = 4 * std::sqrt(static_cast<double>(n) / static_cast<double>(options.samples));
    for (Index i = 0; i < n; ++i) {
      const double truth = std::pow(100.0, static_cast<double>(i) / static_cast<double>(n - 1) - 1);
      EXPECT_NEAR(values[i] / truth, 1, tolerance) << i;
    }
    const Vector<double> scale = covariance.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix<double> scaled = scale.asDiagonal() * covariance * scale.asDiagonal();
    const Vector<double> left = eigenvalues(scaled);
    EXPECT_GT(left[n - 1] / left[0], 30);
  }
}

TEST(PlantedCca, SparseRowsHaveTheEntriesAskedForAndFrequentColumns) {
  const PlantedCcaOptions options{
      .samples = 20'000, .left = 400, .right = 300, .correlations = {0.8, 0.6}, .nonzeros = 20, .seed = 7};
  const Views views = read_views(options);
  for (const Matrix<double>* view : {&views.left, &views.right}) {
    const Eigen::ArrayXd counts = (view->array() != 0).cast<double>().rowwise().sum();
    const double error =
        std::sqrt((counts - counts.mean()).square().mean() / static_cast<double>(counts.size()));
    EXPECT_NEAR(counts.mean(), 20, 5 * error);
    // Independent entries: the variance of a count is below its mean.
    EXPECT_LT((counts - counts.mean()).square().mean(), 20);
    Vector<double> frequency = (view->array() != 0).cast<double>().colwise().mean();
    EXPECT_GT(frequency.minCoeff(), 0);
    std::sort(frequency.begin(), frequency.end(), std::greater<>());
    EXPECT_NEAR(frequency[0], 0.5, 0.02);
    // Where Zipf's law holds, rank times frequency is constant.
    const double middle = frequency.segment(50, 20).mean() * 60,
                 rare = frequency.segment(200, 40).mean() * 220;
    EXPECT_NEAR(rare / middle, 1, 0.05);
  }
  EXPECT_GT((views.left.leftCols(300) - views.right).norm(), 0);
}

TEST(PlantedCca, RowsDependOnTheSeedAndTheirNumberOnly) {
  for (const std::optional<double> nonzeros : {std::optional<double>(), std::optional<double>(6)}) {
    PlantedCcaOptions options{
        .samples = 50, .left = 30, .right = 20, .correlations = {0.7, 0.5}, .nonzeros = nonzeros, .seed = 8};
    const Views views = read_views(options);
    for (const Index step : {Index{1}, Index{7}, Index{50}}) {
      const Views again = read_views(options, step);
      EXPECT_EQ(again.left, views.left);
      EXPECT_EQ(again.right, views.right);
    }
    options.samples = 20;
    EXPECT_EQ(read_views(options).left, views.left.topRows(20));
    options.seed = 9;
    const Views other = read_views(options);
    EXPECT_GT((other.left - views.left.topRows(20)).norm(), 1);
    EXPECT_GT((other.right - views.right.topRows(20)).norm(), 1);
  }
}

TEST(PlantedCca, IsWrittenWithItsTruth) {
  const TemporaryFolder folder;
  const auto target = folder / "new" / "deeper";
  const PlantedCcaOptions options{
      .samples = 5000, .left = 40, .right = 30, .correlations = {0.5, 0.8}, .nonzeros = 9, .seed = 10};
  for (const std::string ending : {".npy", ".svm"}) {
    write_planted_cca(target, options, ending);
    const PlantedCca<float> planted(options);
    const Views views = read_views(options);
    const auto left = open_source<float>(target / ("left" + ending));
    const auto right = open_source<float>(target / ("right" + ending));
    EXPECT_EQ(read_all(*left, 700).rows, views.left.cast<float>());
    EXPECT_EQ(read_all(*right, 700).rows, views.right.cast<float>());
    EXPECT_EQ(read_npy<double>(target / "weights_left.npy"), planted.left_weights());
    EXPECT_EQ(read_npy<double>(target / "weights_right.npy"), planted.right_weights());
    EXPECT_EQ(read_npy<double>(target / "correlations.npy"), Eigen::Vector2d(0.8, 0.5));
  }
}

TEST(PlantedCca, RefusesWhatMakesNoSenseBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const auto error = [&](const PlantedCcaOptions& options) {
    return usage_error([&] { write_planted_cca(folder / "out", options); });
  };
  EXPECT_EQ(error({.samples = 0}), "PlantedCcaOptions: samples = 0, expected at least 1");
  EXPECT_EQ(error({.left = 0}),
            "PlantedCcaOptions: left = 0 and right = 200, expected at least 1 and below 2^31");
  EXPECT_EQ(error({.right = 2}),
            "PlantedCcaOptions: 10 correlations of views of 200 and 2 columns, expected 1 to 2");
  EXPECT_EQ(error({.correlations = {}}),
            "PlantedCcaOptions: 0 correlations of views of 200 and 200 columns, expected 1 to 200");
  for (const double rho : {0.0, 1.0, -0.5})
    EXPECT_EQ(error({.correlations = {0.5, rho}}),
              fmt::format("PlantedCcaOptions: a correlation of {}, expected between 0 and 1", rho));
  EXPECT_EQ(error({.condition = 0.5}),
            "PlantedCcaOptions: condition = 0.5, expected a finite number of at least 1");
  EXPECT_EQ(
      error({.nonzeros = 101}),
      "PlantedCcaOptions: nonzeros = 101 of 200 columns, expected more than 0 and at most half of them");
  EXPECT_EQ(error({.nonzeros = 5}).substr(0, 70),
            "PlantedCcaOptions: correlations of 200 columns with 5 nonzeros in a ro");
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace landfall::test
