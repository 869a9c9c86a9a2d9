#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/synthetic/laplace_ica.hpp>

#include <cmath>

#include <data/read_all.hpp>
#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <support.hpp>

namespace landfall::test {
namespace {

/// Samples as rows.
Matrix<double> read_mixture(const LaplaceIcaOptions& options, Index step = 512) {
  LaplaceIca<double> mixture(options);
  Matrix<double> rows(options.samples, options.features);
  Batch<double> batch;
  for (Index first = 0; first < options.samples; first += step) {
    const Index count = std::min(step, options.samples - first);
    mixture.read(first, count, batch);
    EXPECT_EQ(batch.numbers()[0], first);
    rows.middleRows(first, count) = batch.dense().transpose();
  }
  return rows;
}

double mean(const Eigen::ArrayXd& values) {
  return values.mean();
}
double standard_error(const Eigen::ArrayXd& values) {
  return std::sqrt((values - values.mean()).square().mean() / static_cast<double>(values.size()));
}

TEST(LaplaceIca, UnmixedSourcesAreIndependentAndOfTheirKinds) {
  const LaplaceIcaOptions options{
      .samples = 40'000, .features = 6, .condition = 50, .uniform_sources = 2, .seed = 1};
  const LaplaceIca<double> mixture(options);
  const Matrix<double> sources = read_mixture(options) * inverse(mixture.mixing()).transpose();
  for (Index k = 0; k < 6; ++k) {
    const Eigen::ArrayXd s = sources.col(k);
    EXPECT_NEAR(mean(s), 0, 5 * standard_error(s)) << k;
    EXPECT_NEAR(mean(s.square()), 2, 5 * standard_error(s.square())) << k;
    // E s^4 / (E s^2)^2 is 6 for Laplace and 9/5 for uniform sources.
    const double fourth = k < 4 ? 24 : 7.2;
    EXPECT_NEAR(mean(s.pow(4)), fourth, 5 * standard_error(s.pow(4))) << k;
    EXPECT_NEAR(mean(s.abs()), k < 4 ? 1 : std::sqrt(6.0) / 2, 5 * standard_error(s.abs())) << k;
    for (Index l = 0; l < k; ++l) {
      const Eigen::ArrayXd other = sources.col(l);
      EXPECT_NEAR(mean(s * other), 0, 5 * standard_error(s * other)) << k << ", " << l;
      const Eigen::ArrayXd squares = (s.square() - 2) * (other.square() - 2);
      EXPECT_NEAR(mean(squares), 0, 5 * standard_error(squares)) << k << ", " << l;
    }
  }
}

TEST(LaplaceIca, MixingHasTheConditionAskedFor) {
  for (const double condition : {1.0, 10.0, 1e4}) {
    const LaplaceIca<float> mixture({.features = 7, .condition = condition, .seed = 2});
    const Vector<double> values = singular_values(mixture.mixing());
    EXPECT_NEAR(values[0], 1, rounding<double>(10));
    EXPECT_NEAR(values[0] / values[6], condition, rounding<double>(condition * condition));
    // Neither a scaling nor a permutation: every entry counts.
    EXPECT_LT(mixture.mixing().cwiseAbs().maxCoeff(), 0.99);
  }
  EXPECT_NEAR(std::abs(LaplaceIca<double>({.features = 1, .condition = 5}).mixing()(0, 0)), 1, 1e-15);
}

TEST(LaplaceIca, RowsDependOnTheSeedAndTheirNumberOnly) {
  LaplaceIcaOptions options{.samples = 50, .features = 4, .uniform_sources = 1, .seed = 3};
  const Matrix<double> rows = read_mixture(options);
  for (const Index step : {Index{1}, Index{7}, Index{50}}) EXPECT_EQ(read_mixture(options, step), rows);
  options.samples = 20;
  EXPECT_EQ(read_mixture(options), rows.topRows(20));
  options.seed = 4;
  EXPECT_GT((read_mixture(options) - rows.topRows(20)).norm(), 1);
}

TEST(LaplaceIca, IsWrittenWithItsTruth) {
  const TemporaryFolder folder;
  const LaplaceIcaOptions options{
      .samples = 5000, .features = 3, .condition = 2.5, .uniform_sources = 1, .seed = 5};
  write_laplace_ica(folder / "out", options, ".csv");
  const auto source = open_source<float>(folder / "out" / "data.csv");
  EXPECT_EQ(read_all(*source, 700).rows, read_mixture(options).cast<float>());
  EXPECT_EQ(read_npy<double>(folder / "out" / "mixing.npy"), LaplaceIca<float>(options).mixing());
  EXPECT_EQ(content(folder / "out" / "truth.json"),
            "{\n  \"samples\": 5000,\n  \"features\": 3,\n  \"condition\": 2.5,\n  \"seed\": 5,\n"
            "  \"sources\": [\"laplace\", \"laplace\", \"uniform\"]\n}\n");
}

TEST(LaplaceIca, RefusesWhatMakesNoSense) {
  const auto error = [](const LaplaceIcaOptions& options) {
    return usage_error([&] { LaplaceIca<double>{options}; });
  };
  EXPECT_EQ(error({.samples = 0}), "LaplaceIcaOptions: samples = 0, expected at least 1");
  EXPECT_EQ(error({.features = 0}), "LaplaceIcaOptions: features = 0, expected 1 to 46340");
  EXPECT_EQ(error({.condition = std::nan("")}),
            "LaplaceIcaOptions: condition = nan, expected a finite number of at least 1");
  EXPECT_EQ(error({.uniform_sources = 11}),
            "LaplaceIcaOptions: uniform_sources = 11, expected 0 to 10, the features");
  EXPECT_EQ(error({.uniform_sources = -1}),
            "LaplaceIcaOptions: uniform_sources = -1, expected 0 to 10, the features");
}

}  // namespace
}  // namespace landfall::test
