#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/synthetic/laplace_ica.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/components.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <numeric>

#include "../data/centred_batch.hpp"
#include "../data/memory_source.hpp"
#include "../support.hpp"

namespace landfall::test::ica_test {

template <class S>
RowMatrix<S> mixture(const LaplaceIcaOptions& options, Matrix<double>* mixing = nullptr) {
  LaplaceIca<S> source(options);
  Batch<S> batch;
  source.read(0, options.samples, batch);
  if (mixing) *mixing = source.mixing();
  return batch.dense().transpose();
}

template <class S>
IcaResult<S> fit(const RowMatrix<S>& rows, const IcaOptions& options = {}) {
  return fit_ica<S>(std::make_unique<landfall::MemorySource<S>>(rows, "mixtures.npy"), options);
}

template <class S>
double distance(const LaplaceIcaOptions& data, const IcaOptions& options = {}) {
  Matrix<double> mixing;
  const auto rows = mixture<S>(data, &mixing);
  return amari_distance(fit(rows, options).unmixing().template cast<double>(), mixing);
}

/// |W A| is one entry per row, the largest; returns the largest of the others relative to it.
double impurity(const Matrix<double>& product) {
  double worst = 0;
  for (Index i = 0; i < product.rows(); ++i) {
    Vector<double> row = product.row(i).cwiseAbs();
    Index at = 0;
    const double top = row.maxCoeff(&at);
    row(at) = 0;
    worst = std::max(worst, row.maxCoeff() / top);
  }
  return worst;
}

// For log cosh and unit-variance sources the sampling error of the angle between two of them has variance
//   v = (E t^2 - (E t y)^2) / (2 N c^2), t = tanh y,
// 1.01 / N for two Laplace sources (E t^2 = 0.3235, E t y = 0.5287, c = 0.1478), less with uniform ones. The
// Amari distance sums n - 1 squares per source: 9.1 / N for n = 10, which is 9.1e-5 at 100 000 rows. Its own
// deviation is below 0.25 of that (45 angles), so 2 / N * 9.1 is four of them off.
constexpr double kBound = 2 * 9.1;

template <class S>
class Ica : public test::Typed<S> {};
TYPED_TEST_SUITE(Ica, test::Scalars);

TYPED_TEST(Ica, FindsLaplaceSourcesToTheSamplingError) {
  EXPECT_LT(distance<TypeParam>({.samples = 20'000}), kBound / 20'000);
}

TYPED_TEST(Ica, DoesNotMindTheConditionOfTheMixing) {
  EXPECT_LT(distance<TypeParam>({.samples = 20'000, .condition = 200}), kBound / 20'000);
}

TYPED_TEST(Ica, FindsSubGaussianSourcesBesideSuperGaussianOnes) {
  Matrix<double> mixing;
  const auto rows = mixture<TypeParam>({.samples = 20'000, .uniform_sources = 5, .seed = 1}, &mixing);
  const auto result = fit(rows);
  EXPECT_LT(amari_distance(result.unmixing().template cast<double>(), mixing), kBound / 20'000);
  EXPECT_EQ((result.signs.array() > 0).count(), 5);
  EXPECT_EQ((result.signs.array() < 0).count(), 5);
}

/// A mixture of fifty sources is so near to a Gaussian that no component shows its sign at the start.
TEST(IcaLaws, FindsManySourcesOfBothKinds) {
  for (const std::uint64_t seed : {0, 1, 2})  // 49 / 9 as many squares per source as with ten
    EXPECT_LT(distance<float>({.samples = 20'000, .features = 50, .uniform_sources = 25, .seed = seed}),
              kBound * 49 / 9 / 20'000)
        << seed;
}

TYPED_TEST(Ica, FindsUniformSourcesAlone) {
  EXPECT_LT(distance<TypeParam>({.samples = 20'000, .features = 6, .uniform_sources = 6}), kBound / 20'000);
}

TYPED_TEST(Ica, SourcesAreWhiteAndTheMixingRestoresTheData) {
  const auto rows = mixture<TypeParam>({.samples = 5'000, .features = 4, .condition = 5});
  RowMatrix<TypeParam> shifted = rows;
  shifted.rowwise() += Vector<TypeParam>::LinSpaced(4, 1, 4).transpose();
  const auto result = fit(shifted);
  Batch<TypeParam> batch;
  landfall::MemorySource<TypeParam>(shifted).read(5'000, batch);
  const Matrix<TypeParam> sources = transform(result.views[0], batch);
  const Matrix<TypeParam> gram = sources.transpose() * sources / 5'000;
  EXPECT_LT((gram - Matrix<TypeParam>::Identity(4, 4)).norm(),
            200 * std::numeric_limits<TypeParam>::epsilon());
  EXPECT_LT(sources.colwise().mean().norm(), 200 * std::numeric_limits<TypeParam>::epsilon());
  const Matrix<TypeParam> back = sources * result.mixing.transpose();
  const Matrix<TypeParam> centred =
      shifted.rowwise() - result.views[0].mean.template cast<TypeParam>().transpose();
  EXPECT_LT((back - centred).norm(), test::rounding<TypeParam>(centred.norm(), 1000));
  for (Index j = 1; j < 4; ++j) EXPECT_GE(result.negentropy(j - 1), result.negentropy(j));
  EXPECT_LT(result.views[0].infeasibility, 0.1);
  EXPECT_LT(result.stationarity, 0.02);
  EXPECT_EQ(result.samples, 5'000);
}

TEST(IcaContrasts, IterationsFollowWhereThePassesEndBeforeTheNewtonStepIsShort) {
  const auto rows = mixture<double>({.samples = 5'000, .features = 5});
  const auto result = fit(rows, {.method = FitMethod::landing, .contrast = Contrast::cube});
  EXPECT_GT(result.passes, 4) << "as many as landing may make";
  EXPECT_TRUE(result.converged);
  EXPECT_LT(result.stationarity, 1e-5);
  const Matrix<double> sources =
      (rows.rowwise() - result.views[0].mean.transpose()) * result.views[0].weights;
  const Matrix<double> gram = sources.transpose() * sources / 5'000;
  EXPECT_LT((gram - Matrix<double>::Identity(5, 5)).norm(), 1e-12);
}

TEST(IcaContrasts, AllFindTheSources) {
  // The cube weighs the tails, so its v is larger: 3.2 times on this data.
  EXPECT_LT(distance<double>({.samples = 20'000}, {.contrast = Contrast::exp}), kBound / 20'000);
  EXPECT_LT(distance<double>({.samples = 20'000}, {.contrast = Contrast::cube}), 5 * kBound / 20'000);
  EXPECT_LT(distance<double>({.samples = 20'000, .uniform_sources = 10}, {.contrast = Contrast::cube}),
            kBound / 20'000);
}

TEST(IcaLaws, AnInvertibleMapOfTheDataChangesNothingButOrderAndSign) {
  const auto rows = mixture<double>({.samples = 5'000, .features = 5});
  const Matrix<double> map = Matrix<double>::Identity(5, 5) + 0.3 * test::random_orthogonal<double>(5, 3);
  const auto plain = fit<double>(rows), mapped = fit<double>(rows * map.transpose());
  // Unmixing of the one times mixing of the other: a signed permutation. Both end with a Newton step, whose
  // error is of the order of the square of what landing leaves.
  EXPECT_LT(impurity(mapped.unmixing() * map * plain.mixing), 1e-3);
}

TEST(IcaLaws, FewerComponentsThanColumnsAreSources) {
  Matrix<double> mixing;
  const auto rows = mixture<double>({.samples = 20'000, .features = 8}, &mixing);
  const auto result = fit(rows, {.components = 3, .reduction = Reduction::none, .passes = 4});
  EXPECT_EQ(result.unmixing().rows(), 3);
  EXPECT_EQ(result.mixing.cols(), 3);
  // Angles to sources outside have no partner to share the error with: variance 2 v, 5 deviations.
  EXPECT_LT(impurity(result.unmixing() * mixing), 5 * std::sqrt(2 * 2.02 / 20'000));
}

TEST(IcaLaws, IsTheSameToTheBitWhateverTheThreads) {
  const auto rows = mixture<float>({.samples = 4'000, .features = 6});
  const int before = threads();
  set_threads(1);
  const auto one = fit(rows);
  for (const int count : {2, 3, 5}) {
    set_threads(count);
    const auto more = fit(rows);
    EXPECT_EQ(one.unmixing(), more.unmixing()) << count;
    EXPECT_EQ(one.mixing, more.mixing) << count;
  }
  set_threads(before);
}

TEST(IcaLaws, TooLittleMemoryIsRefusedBeforeTheRowsAreRead) {
  const auto rows = mixture<double>({.samples = 20'000});
  EXPECT_EQ(test::sentence([&] { fit(rows, {.memory = 50'000}); }),
            "landing needs 87 KiB of memory, expected at most the 49 KiB that --memory allows");
}

TEST(IcaLaws, WorksFromAStreamWhereTheRowsAreTooMany) {
  EXPECT_LT(distance<float>({.samples = 20'000}, {.memory = 1 << 18}), kBound / 20'000);
  Matrix<double> mixing;  // a file that must be read in order, with sparse rows
  const auto rows = mixture<double>({.samples = 5'000, .features = 3}, &mixing);
  const auto result = fit_ica<double>(
      std::make_unique<test::MemorySource<double>>(test::MemoryFile<double>{.rows = rows, .sparse = true}),
      {});
  EXPECT_LT(amari_distance(result.unmixing(), mixing), 2 * 2.02 / 5'000);
}

TEST(IcaLaws, MakesAsManyPassesAsItNeeds) {
  const auto passes = [](const LaplaceIcaOptions& data, const IcaOptions& options = {}) {
    return fit(mixture<float>(data), options).passes;
  };
  EXPECT_EQ(passes({.samples = 20'480}, {.method = FitMethod::landing}), 1);
  EXPECT_EQ(passes({.samples = 20'480}, {.passes = 3}), 3);
  // From a random start one pass is not enough.
  const IcaOptions cold{.landing = {.warm_up = 0}};
  EXPECT_GT(passes({.samples = 20'480}, cold), 1);
  EXPECT_LT(distance<float>({.samples = 20'480}, cold), kBound / 20'480);
  EXPECT_LT(
      distance<float>({.samples = 20'480, .features = 20, .condition = 10, .uniform_sources = 10, .seed = 1}),
      2 * 19.2 / 20'480);  // n - 1 squares per source
}

/// Rows in memory: Newton steps over all of them end where the first rows, the seed and the order of the file do not matter.
TEST(IcaLaws, NewtonStepsOverAllRowsLeaveNothingOfTheStart) {
  RowMatrix<double> rows = mixture<double>({.samples = 20'480});
  const auto one = fit(rows), other = fit(rows, {.seed = 7});
  EXPECT_LE(one.passes, 3);
  EXPECT_EQ(one.iterations, one.history.size());
  EXPECT_EQ(one.passes, static_cast<double>(one.history.size())) << "no step of landing";
  // A run leaves about a tenth of the sampling error of an angle; the first 4096 rows alone would leave twenty times as much.
  const double most = 3 * 0.1 / std::sqrt(20'480);
  EXPECT_LT(impurity(one.unmixing() * other.mixing), most);
  std::vector<Index> order(20'480);
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index i) { return rows(i, 0); });
  const RowMatrix<double> sorted = rows(order, Eigen::all);
  EXPECT_LT(impurity(fit(sorted).unmixing() * one.mixing), most);
}

TEST(IcaLaws, EndsByItsToleranceOrItsMostPasses) {
  const auto rows = mixture<float>({.samples = 20'480});
  const std::uint64_t streamed = 1 << 18;
  const auto usual = fit(rows, {.memory = streamed});
  EXPECT_TRUE(usual.converged);
  EXPECT_EQ(usual.passes, 1);
  EXPECT_LE(usual.estimated_gap.value(), 1e-3);
  const auto strict = fit(rows, {.tolerance = 1e-16, .most_passes = 3, .memory = streamed});
  EXPECT_FALSE(strict.converged);
  EXPECT_EQ(strict.passes, 3);
  EXPECT_LT(strict.stationarity, usual.stationarity);
  ASSERT_EQ(strict.warnings.size(), 1u);
  EXPECT_NE(strict.warnings[0].find("the estimated gap is "), std::string::npos) << strict.warnings[0];
}

TEST(IcaLaws, ANewtonStepGainsWhatItSays) {
  const Index p = 4;
  Matrix<double> mixing;
  const std::vector<Matrix<double>> views{mixture<double>({.samples = 20'000, .features = p}, &mixing)};
  const auto batches = batches_of<double>(views, 1'000);
  const auto moments = [&](const Matrix<double>& x) {
    return component_moments<double>(batches, Contrast::logcosh, x);
  };
  const auto whitened = [&](const Matrix<double>& x) {
    SymmetricEigen<double> eigen;
    eigen.compute(moments(x).gram);
    return Matrix<double>(x * eigen.inverse_root());
  };
  Matrix<double> x = whitened(landfall::inverse<double>(mixing).transpose());
  const Vector<double> signs = Vector<double>::Ones(p);  // Laplace, log cosh
  for (int step = 0; step < 8; ++step) {                 // to the optimum
    const auto at = moments(x);
    x = x * newton_step(at, at.gram, signs);
  }
  const Matrix<double> turned = whitened(x + 0.03 * x * gaussian<double>(p, p, {5}));
  const auto before = moments(turned), best = moments(x);
  const double lacks = signs.dot(before.value - best.value) / before.value.sum();
  const double gain = relative_gain(before, signs, newton_step(before, before.gram, signs));
  EXPECT_GT(lacks, 1e-5);
  EXPECT_NEAR(gain, lacks, 0.2 * lacks);
}

TEST(IcaLaws, FewRowsDo) {
  EXPECT_LT(distance<double>({.samples = 1'000, .features = 3}), 0.02);
}

TEST(IcaOddData, ConstantColumnsAreLeftOut) {
  Matrix<double> mixing;
  const auto inner = mixture<double>({.samples = 5'000, .features = 3}, &mixing);
  RowMatrix<double> rows(5'000, 4);
  rows << inner.leftCols(1), RowMatrix<double>::Constant(5'000, 1, 7), inner.rightCols(2);
  const auto result = fit(rows);
  EXPECT_EQ(result.views[0].dropped, std::vector<Index>{1});
  EXPECT_EQ(result.unmixing().col(1), Vector<double>::Zero(3));
  Matrix<double> unmixing(3, 3);
  unmixing << result.unmixing().leftCols(1), result.unmixing().rightCols(2);
  EXPECT_LT(amari_distance(unmixing, mixing), 2 * 2.02 / 5'000);
}

TEST(IcaOddData, ARepeatedColumnLowersTheRank) {
  Matrix<double> mixing;
  const auto inner = mixture<double>({.samples = 5'000, .features = 3}, &mixing);
  RowMatrix<double> rows(5'000, 4);
  rows << inner, inner.col(0);
  EXPECT_EQ(test::sentence([&] { fit(rows, {.components = 4}); }),
            "mixtures.npy: rank 3, expected at least p = 4");
  EXPECT_THROW(fit(rows, {.components = 4}), NumericalError);
  const auto result = fit(rows);
  EXPECT_EQ(result.warnings, std::vector<std::string>{"mixtures.npy: 4 columns have rank 3, so p = 3"});
  Matrix<double> wide(4, 3);
  wide << mixing, mixing.row(0);
  EXPECT_LT(amari_distance(result.unmixing(), wide), 2 * 2.02 / 5'000);
}

TEST(IcaOddData, SaysWhatIsMissing) {
  const auto rows = mixture<double>({.samples = 100, .features = 3});
  EXPECT_EQ(test::sentence([&] { fit(rows, {.components = 4}); }),
            "mixtures.npy: 3 non-constant columns, expected at least p = 4");
  const RowMatrix<double> few = mixture<double>({.samples = 5, .features = 8});
  EXPECT_EQ(test::sentence([&] { fit(few, {.components = 8}); }),
            "mixtures.npy: rank 4, expected at least p = 8");
  EXPECT_THROW(fit(rows, {.components = -1}), UsageError);
  EXPECT_THROW(fit(rows, {.passes = 0}), UsageError);
  EXPECT_THROW(fit(rows, {.ridge = -1}), UsageError);
  EXPECT_THROW(parse_contrast("tanh"), UsageError);
}

TEST(IcaOddData, GaussianSourcesGiveSomeWhiteAnswer) {
  const RowMatrix<double> rows = gaussian<double>(5'000, 4, {3, 1});
  const auto result = fit(rows);
  const RowMatrix<double> sources =
      (rows.rowwise() - result.views[0].mean.transpose()) * result.unmixing().transpose();
  EXPECT_LT((sources.transpose() * sources / 5'000 - Matrix<double>::Identity(4, 4)).norm(), 1e-10);
}

TEST(IcaOddData, OneColumnIsItsOwnSource) {
  const auto rows = mixture<double>({.samples = 500, .features = 1});
  const auto result = fit(rows);
  const double deviation = std::sqrt((rows.array() - result.views[0].mean(0)).square().mean());
  EXPECT_NEAR(result.unmixing()(0, 0), 1 / deviation, 1e-12 / deviation);
  EXPECT_NEAR(result.mixing(0, 0), deviation, 1e-12 * deviation);
}

TEST(Amari, IsZeroForScaledPermutationsAndGrowsWithMixing) {
  Matrix<double> swap(2, 2), leak(2, 2);
  swap << 0, -3, 2, 0;
  leak << 1, 0.1, 0, 1;
  EXPECT_DOUBLE_EQ(amari_distance(swap, Matrix<double>::Identity(2, 2)), 0);
  EXPECT_NEAR(amari_distance(leak, Matrix<double>::Identity(2, 2)), (0.01 + 0.01) / 4, 1e-15);
  EXPECT_THROW(amari_distance(leak, Matrix<double>::Identity(3, 3)), UsageError);
  EXPECT_THROW(amari_distance(Matrix<double>::Zero(2, 2), leak), UsageError);
}

}  // namespace landfall::test::ica_test
