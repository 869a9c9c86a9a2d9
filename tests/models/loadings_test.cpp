// Loadings are Pearson's correlations of columns and scores, whichever way they were computed.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/ica/ica.hpp>

#include "support.hpp"
#include <models/classes.hpp>
#include <models/iris.hpp>
#include <models/linnerud.hpp>
#include <models/pearson.hpp>

namespace landfall::test::loadings_test {

template <class S>
CcaResult<S> fit_pair(const RowMatrix<S>& left, const RowMatrix<S>& right, const CcaOptions& options,
                      bool sparse = false) {
  return fit_cca<S>(rows_of<S>(left, sparse), rows_of<S>(right, sparse), options);
}

template <class S>
Matrix<double> scores_of(const RowMatrix<S>& rows, const FittedView<S>& view) {
  const Matrix<double> centred = rows.template cast<double>().rowwise() - view.mean.transpose();
  return centred * view.weights.template cast<double>();
}

/// Both views, own and crossed.
template <class S>
void expect_pearson(const RowMatrix<S>& left, const RowMatrix<S>& right, const CcaResult<S>& result,
                    double tolerance) {
  const std::array rows{Matrix<double>(left.template cast<double>()),
                        Matrix<double>(right.template cast<double>())};
  const std::array scores{scores_of<S>(left, result.views[0]), scores_of<S>(right, result.views[1])};
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_LT((result.views[v].loadings - pearson(rows[v], scores[v])).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_LT((result.views[v].cross_loadings - pearson(rows[v], scores[1 - v])).cwiseAbs().maxCoeff(),
              tolerance);
  }
}

/// SAS/STAT User's Guide, PROC CANCORR, "Canonical Correlation Analysis of Fitness Club Data": canonical structure.
TEST(Loadings, AreTheCanonicalStructureThatSasPrints) {
  const auto result = fit_pair<double>(linnerud(3), linnerud(0), {.components = 3});
  Matrix<double> physical(3, 3), exercises(3, 3);  // weight, waist, pulse; chins, situps, jumps
  physical << 0.6206, -0.7724, -0.1350, 0.9254, -0.3777, -0.0310, -0.3328, 0.0415, 0.9421;
  exercises << -0.7276, 0.2370, -0.6438, -0.8177, 0.5730, 0.0544, -0.1622, 0.9586, -0.2339;
  EXPECT_NEAR(result.correlations(0), 0.795608, 1e-6);
  for (Index k = 0; k < 3; ++k) {
    const double sign = result.views[0].loadings(0, k) * physical(0, k) > 0 ? 1 : -1;
    EXPECT_LT((sign * result.views[0].loadings.col(k) - physical.col(k)).cwiseAbs().maxCoeff(), 1e-4) << k;
    EXPECT_LT((sign * result.views[1].loadings.col(k) - exercises.col(k)).cwiseAbs().maxCoeff(), 1e-4) << k;
  }
  // The same page, canonical redundancy analysis: standardized variance of the measurements explained.
  EXPECT_NEAR(result.views[0].explained(0), 0.4508, 1e-4);
  EXPECT_NEAR(result.views[0].redundancy(0), 0.2854, 1e-4);
  EXPECT_NEAR(result.views[1].explained(0), 0.4081, 1e-4);
  EXPECT_NEAR(result.views[1].redundancy(0), 0.2584, 1e-4);
  EXPECT_NEAR(result.views[0].explained.sum(), 1,
              1e-9);  // three variates of three columns have all the variance
}

template <class S>
class CcaLoadings : public Typed<S> {};
TYPED_TEST_SUITE(CcaLoadings, Scalars);

TYPED_TEST(CcaLoadings, ArePearsonsForEveryMethodAndKindOfRows) {
  using S = TypeParam;
  RowMatrix<S> x = gaussian<S>(3000, 12, {1, 0}), y = gaussian<S>(3000, 9, {2, 0});
  y.leftCols(3) += x.leftCols(3);
  x.col(5).setConstant(4);
  x.col(2) *= 1000;
  x.array() += 2;
  const double tolerance = sizeof(S) == 4 ? 2e-4 : 1e-10;
  for (const FitMethod method : {FitMethod::exact, FitMethod::landing})
    for (const bool sparse : {false, true}) {
      CcaOptions options{.components = 3, .method = method};
      options.passes = 1;
      expect_pearson<S>(x, y, fit_pair<S>(x, y, options, sparse), tolerance);
      options.ridge = 0.1;
      options.transform.centring = Centring::none;  // the statistics of the columns are not known beforehand
      const auto raw = fit_pair<S>(x, y, options, sparse);
      EXPECT_EQ(raw.views[0].mean.norm(), 0);
      expect_pearson<S>(x, y, raw, 10 * tolerance);
    }
}

TEST(CcaLoadings, DoNotDependOnUnitsAndAreZeroForConstantColumns) {
  RowMatrix<double> x = gaussian<double>(200, 4, {3, 0}), y = gaussian<double>(200, 3, {4, 0});
  y.col(0) += x.col(1);
  x.col(3).setConstant(-1);
  const auto plain = fit_pair<double>(x, y, {.components = 2});
  RowMatrix<double> scaled = x;
  scaled.col(1) *= 1e4;
  scaled.array() += 7;
  const auto other = fit_pair<double>(scaled, y, {.components = 2});
  EXPECT_LT((plain.views[0].loadings - other.views[0].loadings).norm(), 1e-8);
  EXPECT_EQ(plain.views[0].loadings.row(3).norm(), 0);
  EXPECT_NEAR(plain.views[0].explained(0), plain.views[0].loadings.col(0).squaredNorm() / 3,
              1e-12);  // of three columns that vary
}

/// Without a ridge the redundancy is the explained variance times the squared correlation (Stewart and Love 1968).
TEST(CcaLoadings, RedundancyIsStewartAndLoves) {
  RowMatrix<double> x = gaussian<double>(300, 5, {5, 0}), y = gaussian<double>(300, 6, {6, 0});
  y.leftCols(2) += x.leftCols(2);
  const auto result = fit_pair<double>(x, y, {.components = 4});
  for (const auto& view : result.views)
    EXPECT_LT((view.redundancy - view.explained.cwiseProduct(result.correlations.cwiseAbs2())).norm(), 1e-10);
}

TEST(LdaLoadings, AreCorrelationsWithScoresOverallAndWithinClasses) {
  std::vector<std::uint32_t> classes;
  for (std::uint32_t i = 0; i < 150; ++i) classes.push_back(i / 50);
  const RowMatrix<double> rows = iris<double>();
  const Labels labels = labels_from(classes);
  for (const FitMethod method : {FitMethod::exact, FitMethod::landing}) {
    const auto result = fit_lda<double>(rows_of<double>(rows), labels, {.components = 2, .method = method});
    const Matrix<double> scores = scores_of<double>(rows, result.views[0]);
    EXPECT_LT((result.views[0].loadings - pearson(rows, scores)).cwiseAbs().maxCoeff(), 1e-9);
    Matrix<double> a = rows, s = scores;
    for (Index c = 0; c < 3; ++c)
      for (auto* m : {&a, &s})
        m->middleRows(50 * c, 50).rowwise() -= m->middleRows(50 * c, 50).colwise().mean().eval();
    EXPECT_LT((result.within_loadings - pearson(a, s)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(IcaLoadings, AreCorrelationsWithSourcesAndSharesOfTheVariance) {
  for (const Index rows : {2000, 9000}) {  // iterated over, and by landing
    Matrix<double> sources = gaussian<double>(rows, 4, {7, 0});
    sources = sources.array().cube();
    Matrix<double> mixing = gaussian<double>(4, 4, {8, 0});
    mixing.col(2) *= 10;
    const RowMatrix<double> data = sources * mixing.transpose();
    const auto result = fit_ica<double>(rows_of<double>(data), {});
    const Matrix<double> found = scores_of<double>(data, result.views[0]);
    EXPECT_LT((result.views[0].loadings - pearson(data, found)).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_NEAR(result.views[0].explained.sum(), 1, 1e-6);
    for (Index j = 0; j < 4; ++j) {
      const Vector<double> y = found.col(j).array() - found.col(j).mean();
      const double variance = y.squaredNorm() / static_cast<double>(rows);
      const double kurtosis = y.array().pow(4).mean() / (variance * variance) - 3;
      EXPECT_NEAR(result.kurtosis(j), kurtosis, 0.02 * std::abs(kurtosis)) << rows << " " << j;
      EXPECT_GT(result.kurtosis(j), 5);  // cubes of Gaussians have heavy tails
    }
  }
}

}  // namespace landfall::test::loadings_test
