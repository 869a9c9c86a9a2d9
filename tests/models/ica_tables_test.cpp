// ICA of ordinary tables: few rows, principal components, dependent columns, heavy tails, any units.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/synthetic/laplace_ica.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/models/ica/fixed_point.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/ica/whitening.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include "../data/memory_source.hpp"
#include "../support.hpp"
#include "iris.hpp"

namespace landfall::test::ica_tables_test {

template <class S>
constexpr double eps = static_cast<double>(std::numeric_limits<S>::epsilon());

template <class S>
IcaResult<S> fit(const RowMatrix<S>& rows, const IcaOptions& options = {}) {
  return fit_ica<S>(std::make_unique<landfall::MemorySource<S>>(rows, "table.csv"), options);
}

template <class S>
RowMatrix<S> mixture(const LaplaceIcaOptions& options) {
  LaplaceIca<S> source(options);
  Batch<S> batch;
  source.read(0, options.samples, batch);
  return batch.dense().transpose();
}

/// Sources as the weights that were written make them, in double precision.
template <class S>
Matrix<double> sources(const IcaResult<S>& result, const RowMatrix<S>& rows) {
  return (rows.template cast<double>().rowwise() - result.views[0].mean.transpose()) *
         result.views[0].weights.template cast<double>();
}

template <class S>
double infeasibility(const IcaResult<S>& result, const RowMatrix<S>& rows) {
  const Matrix<double> y = sources(result, rows);
  return (y.transpose() * y / static_cast<double>(rows.rows()) - Matrix<double>::Identity(y.cols(), y.cols()))
      .norm();
}

/// The leading right singular vectors of the centred rows.
Matrix<double> principal(const RowMatrix<double>& rows, Index p) {
  const Matrix<double> centred = rows.rowwise() - rows.colwise().mean();
  return svd<double>(centred).v.leftCols(p);
}

/// The part of the weights outside the span of an orthonormal basis, relative to them.
double outside(const Matrix<double>& weights, const Matrix<double>& basis) {
  return (weights - basis * (basis.transpose() * weights)).norm() / weights.norm();
}

/// Columns equal up to their signs; the largest difference relative to the largest entry.
double difference(const Matrix<double>& a, const Matrix<double>& b) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j)
    worst = std::max(worst, std::min((a.col(j) - b.col(j)).cwiseAbs().maxCoeff(),
                                     (a.col(j) + b.col(j)).cwiseAbs().maxCoeff()) /
                                a.col(j).cwiseAbs().maxCoeff());
  return worst;
}

/// Two uniform columns of large variance, `heavy` Laplace ones of small variance, turned.
RowMatrix<double> loud_and_quiet(Index rows, Index heavy, double quiet = 0.01) {
  RowMatrix<double> table(rows, 2 + heavy);
  table.leftCols(2) = mixture<double>({.samples = rows, .features = 2, .uniform_sources = 2, .seed = 1});
  table.col(1) *= 0.5;
  table.rightCols(heavy) = quiet * mixture<double>({.samples = rows, .features = heavy, .seed = 2});
  return table * test::random_orthogonal<double>(2 + heavy, 5);
}

template <class S>
class IcaTable : public test::Typed<S> {};
TYPED_TEST_SUITE(IcaTable, test::Scalars);

// scikit-learn 1.2.1: FastICA(n_components=p, whiten="unit-variance", tol=1e-12, max_iter=100000), the best of
// random_state 0 to 9 (which agree to 1e-9); negentropy = (mean(log cosh y) - 0.3745672075)^2, sorted, and the
// rows of components_ in this order, the largest entry of each positive.
TYPED_TEST(IcaTable, IrisIsThatOfScikitLearn) {
  using S = TypeParam;
  Matrix<double> all(4, 4), leading(2, 4);
  all << -0.23103871815453447, -0.03439126507791903, 0.5850849169831898, 0.16975677729072128,
      -0.6666058459360334, 2.962542624791039, 1.008606270566956, -0.9460982341329759, 0.41085005973656846,
      -0.3783116881185215, -2.3501336913334887, 5.096167790646476, 3.117272028705022, -1.48716963215071,
      -1.793395088582347, 0.9922968110771825;
  leading << 0.029776304630040433, -0.20281709698494338, 0.45395100585340203, 0.19051631615812886,
      1.3485728191970474, 1.4738594632982116, -0.3055414934601957, -0.13380250563194235;
  const Vector<double> entropies{
      {0.0012107099475156845, 0.00031427352537796775, 0.00019881815754796897, 3.86039852876211e-05}};
  const RowMatrix<S> rows = test::iris<S>();
  const auto whole = fit(rows), two = fit(rows, {.components = 2});
  // FastICA's own end is within 1e-4 of the solution; single precision is no worse.
  EXPECT_LT(difference(whole.views[0].weights.template cast<double>(), all.transpose()), 1e-3);
  EXPECT_LT(difference(two.views[0].weights.template cast<double>(), leading.transpose()), 1e-3);
  EXPECT_LT((whole.negentropy - entropies).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_NEAR(two.negentropy(0), 0.0011687536153088974, 1e-8);
  EXPECT_NEAR(two.explained_variance, 0.97768521, 1e-6);  // PCA(2).explained_variance_ratio_.sum()
  EXPECT_EQ(whole.reduction, Reduction::none);
  EXPECT_EQ(two.reduction, Reduction::pca);
  for (const auto* result : {&whole, &two}) {
    EXPECT_EQ(result->method_name, "fixed-point");
    EXPECT_EQ(result->reason, "150 rows are few enough to iterate over all of them");
    EXPECT_TRUE(result->converged);
    EXPECT_TRUE(result->warnings.empty());
    EXPECT_EQ(result->termination, Termination::converged);
    EXPECT_LT(result->stationarity, 1e-6);
    EXPECT_LT(result->views[0].infeasibility, 1e3 * eps<S>);
  }
}

TYPED_TEST(IcaTable, FewerComponentsAreAmongTheLeadingPrincipalOnes) {
  using S = TypeParam;
  for (const Index rows : {2'000, 6'000}) {  // iterated and landed
    const RowMatrix<double> table = loud_and_quiet(rows, 3);
    const RowMatrix<S> given = table.template cast<S>();
    const auto pca = fit(given, {.components = 2}),
               none = fit(given, {.components = 2, .reduction = Reduction::none});
    EXPECT_EQ(pca.method_name, rows == 2'000 ? "fixed-point" : "landing");
    EXPECT_LT(outside(pca.views[0].weights.template cast<double>(), principal(table, 2)), 1e-4);
    EXPECT_EQ((pca.signs.array() < 0).count(), 2) << "uniform sources have the variance";
    if (rows == 2'000) {  // landing may end at another minimum
      EXPECT_EQ((none.signs.array() > 0).count(), 2) << "Laplace sources are less Gaussian";
      EXPECT_GT(none.negentropy.minCoeff(), pca.negentropy.maxCoeff());
    }
    EXPECT_EQ(none.reduction, Reduction::none);
    for (const auto* result : {&pca, &none}) {
      EXPECT_TRUE(result->converged);
      EXPECT_LT(infeasibility(*result, given), 2e4 * eps<S>);
    }
  }
}

TYPED_TEST(IcaTable, PrincipalComponentsOfAStreamAreTheSame) {
  using S = TypeParam;
  const RowMatrix<double> table = loud_and_quiet(5'000, 98);
  const RowMatrix<S> given = table.template cast<S>();
  // Neither the rows fit, nor 100 x 100 numbers six times.
  const auto streamed = fit(given, {.components = 2, .memory = 400'000});
  EXPECT_LT(outside(streamed.views[0].weights.template cast<double>(), principal(table, 2)), 2e-2);
  const auto kept = fit(given, {.components = 2});
  EXPECT_LT(difference(sources(kept, given), sources(streamed, given)), 2e-2);
  EXPECT_NEAR(streamed.explained_variance, kept.explained_variance, 1e-3);
  EXPECT_LT(infeasibility(streamed, given), 2e3 * eps<S>);
  EXPECT_TRUE(streamed.converged);
}

TYPED_TEST(IcaTable, ACommonScaleChangesNothing) {
  using S = TypeParam;
  for (const IcaOptions& options : {IcaOptions{}, IcaOptions{.components = 3}})
    for (const auto& rows : {test::iris<S>(), mixture<S>({.samples = 5'000, .features = 4})}) {
      const auto plain = fit(rows, options);
      for (const double scale : {1e-6, 1e6, 1e-15, 1e15}) {
        const RowMatrix<S> scaled = rows * static_cast<S>(scale);
        const auto other = fit(scaled, options);
        EXPECT_LT(difference(plain.views[0].weights.template cast<double>(),
                             scale * other.views[0].weights.template cast<double>()),
                  5e-3)
            << scale << " " << rows.rows();
        EXPECT_LT((plain.negentropy - other.negentropy).cwiseAbs().maxCoeff(), 1e-5);
        EXPECT_TRUE(other.converged);
      }
    }
}

TEST(IcaTables, UnitsOfSingleColumnsChangeNothingWhereAllDirectionsAreTaken) {
  const RowMatrix<double> rows = test::iris<double>();
  const Vector<double> units{{1e6, 1e-6, 1, 1e3}};
  const auto plain = fit<double>(rows), other = fit<double>(rows * units.asDiagonal());
  EXPECT_LT(difference(plain.views[0].weights, units.asDiagonal() * other.views[0].weights), 1e-4);
  EXPECT_TRUE(other.warnings.empty());
}

TEST(IcaTables, RotationsAndTheOrderOfColumnsTurnTheWeights) {
  const RowMatrix<double> rows = test::iris<double>();
  const Matrix<double> turn = test::random_orthogonal<double>(4, 3);
  Matrix<double> swap = Matrix<double>::Zero(4, 4);
  swap(0, 2) = swap(1, 0) = swap(2, 3) = swap(3, 1) = 1;
  for (const Index p : {2, 4}) {
    const auto plain = fit(rows, {.components = p});
    for (const Matrix<double>& map : {turn, swap}) {
      const auto mapped = fit<double>(rows * map, {.components = p});
      EXPECT_LT(difference(plain.views[0].weights, map * mapped.views[0].weights), 1e-4) << p;
      EXPECT_LT((plain.negentropy - mapped.negentropy).cwiseAbs().maxCoeff(), 1e-8);
    }
  }
}

TEST(IcaTables, ScaledColumnsHaveThePrincipalComponentsOfTheFile) {
  const RowMatrix<double> rows = test::iris<double>();
  const auto plain = fit(rows, {.components = 2}),
             scaled = fit(rows, {.components = 2, .transform = {.scaling = Scaling::deviation}});
  EXPECT_LT(difference(plain.views[0].weights, scaled.views[0].weights), 1e-6);
  EXPECT_NEAR(plain.explained_variance, scaled.explained_variance, 1e-12);
}

TYPED_TEST(IcaTable, DependentColumnsLowerTheNumberOfComponents) {
  using S = TypeParam;
  const auto inner = mixture<S>({.samples = 300, .features = 3});
  RowMatrix<S> rows(300, 6);
  rows << inner, inner.col(0), inner.col(1) + inner.col(2), RowMatrix<S>::Constant(300, 1, 2);
  const auto result = fit(rows);
  EXPECT_EQ(result.warnings, (std::vector<std::string>{"table.csv: 5 columns have rank 3, so p = 3",
                                                       "table.csv: left out 1 constant column: 6"}));
  EXPECT_EQ(result.unmixing().rows(), 3);
  EXPECT_TRUE(result.converged);
  EXPECT_LT(infeasibility(result, rows), 1e3 * eps<S>);
  const auto alone = fit(inner);
  EXPECT_LT(difference(sources(alone, inner), sources(result, rows)), 1e-3) << "the same sources";
  EXPECT_EQ(test::sentence([&] { fit(rows, {.components = 4}); }),
            "table.csv: rank 3, expected at least p = 4");
  EXPECT_EQ(test::sentence([&] { fit(rows, {.components = 4, .reduction = Reduction::none}); }),
            "table.csv: rank 3, expected at least p = 4");
  const RowMatrix<S> wide = inner * test::random_orthogonal<S>(150, 1).topRows(3);
  EXPECT_EQ(test::sentence([&] { fit(wide, {.components = 4, .memory = 900'000}); }),
            "table.csv: rank 3, expected at least p = 4");
  EXPECT_THROW(fit(rows, {.components = 5}), NumericalError);
  EXPECT_EQ(test::sentence([&] { fit(rows, {.components = 5, .baseline = "fastica"}); }),
            "table.csv: rank 3, expected at least p = 5");
}

TEST(IcaTables, AColumnThatVariesOnlyAfterTheFirstRowsCounts) {
  RowMatrix<double> rows(9'000, 3);
  rows << mixture<double>({.samples = 9'000, .features = 2}), RowMatrix<double>::Zero(9'000, 1);
  for (const Index i : {8'000, 8'500, 8'900})
    rows(i, 2) = 1;  // the order of the rows is shuffled by the seed
  for (const std::uint64_t seed : {0, 1, 2, 3}) EXPECT_EQ(fit(rows, {.seed = seed}).unmixing().rows(), 3);
}

// Cauchy and Student sources with 1.5 degrees of freedom: the mean of log cosh is that of a few rows.
TYPED_TEST(IcaTable, HeavyTailsEndWhereFastIcaDoesOrBetter) {
  using S = TypeParam;
  for (const double power : {1.0, 1 / 1.5})
    for (const Index rows : {500, 2'000, 20'000}) {
      const Matrix<double> g = gaussian<double>(rows, 4, {7, 1});
      // The quantile function of Cauchy's distribution, and a power of it with a lighter tail.
      const RowMatrix<double> heavy = g.unaryExpr([&](double x) {
        const double t = std::tan(std::numbers::pi * 0.5 * std::erf(x / std::numbers::sqrt2));
        return std::copysign(std::pow(std::abs(t), power), t);
      });
      const Matrix<double> mixing = gaussian<double>(4, 4, {7, 2});
      const RowMatrix<S> table = (heavy * mixing).template cast<S>();
      const auto result = fit(table);
      EXPECT_TRUE(result.converged);
      EXPECT_TRUE(result.views[0].weights.allFinite());
      EXPECT_LT(infeasibility(result, table), 1e4 * eps<S>);
      const auto peer = fit(table, {.baseline = "fastica"});
      EXPECT_GT(result.negentropy.sum(), 0.999 * peer.negentropy.sum()) << power << " " << rows;
    }
}

TYPED_TEST(IcaTable, InfeasibilityAndNegentropyAreThoseOfTheWeightsWritten) {
  using S = TypeParam;
  // Columns that nearly repeat each other: rounding of the weights shows in single precision.
  RowMatrix<double> rows = mixture<double>({.samples = 1'000, .features = 4, .condition = 3e3});
  for (const Index count : {1'000, 6'000}) {
    if (count > 1'000) rows = mixture<double>({.samples = count, .features = 4, .condition = 3e3});
    const RowMatrix<S> given = rows.template cast<S>();
    const auto result = fit(given);
    const double found = infeasibility(result, given);
    EXPECT_LT(result.views[0].infeasibility, 3 * found + 1e3 * eps<S>);
    if (sizeof(S) == sizeof(float)) {  // in double precision the sums above round as much
      EXPECT_GT(found, 10 * eps<S>) << "there is something to measure";
      EXPECT_GT(result.views[0].infeasibility, 0.2 * found);
    }
    const Matrix<double> y = sources(result, given);
    for (Index j = 0; j < 4; ++j) {
      const double value = y.col(j).unaryExpr([](double u) { return std::log(std::cosh(u)); }).mean();
      EXPECT_NEAR(result.negentropy(j), std::pow(value - 0.3745672075, 2), 2e-2 * result.negentropy(j));
    }
  }
}

TEST(IcaTables, LandingThatIsNotThereYetSaysSo) {
  const auto rows = mixture<double>({.samples = 6'000, .features = 20, .uniform_sources = 10, .seed = 3});
  // From a random start half a pass is not enough.
  const auto result = fit(rows, {.passes = 0.5, .landing = {.warm_up = 0}});
  EXPECT_FALSE(result.converged);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].find("landing did not converge in "), 0U) << result.warnings[0];
  EXPECT_NE(result.warnings[0].find(" passes: the last Newton step turned a source by "), std::string::npos);
  EXPECT_NE(result.warnings[0].find(" radians, expected at most 0.036; more passes may help"),
            std::string::npos)
      << result.warnings[0];
  EXPECT_LT(infeasibility(result, rows), 1e-10) << "but its sources are white";
  // Where all rows are in memory and the passes are not given, it goes on until it is there.
  const auto polished = fit(rows, {.landing = {.warm_up = 0}});
  EXPECT_TRUE(polished.converged);
  EXPECT_TRUE(polished.warnings.empty());
}

TEST(IcaTables, AnIterationThatEndsEarlySaysSo) {
  const RowMatrix<double> rows = test::iris<double>();
  int seen = 0;
  const auto result = fit(rows, {.observer = [&](const Progress&) { return ++seen < 3; }});
  EXPECT_EQ(seen, 3);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.termination, Termination::stopped);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].find("ICA did not converge in 2 iterations: another would turn a source by "),
            0U);
  EXPECT_LT(infeasibility(result, rows), 1e-10);
}

TYPED_TEST(IcaTable, FilesThatAreReadInOrderAreTheSame) {
  using S = TypeParam;
  const RowMatrix<S> rows = test::iris<S>();
  for (const Index p : {2, 4}) {
    const auto plain = fit(rows, {.components = p});
    for (const bool sparse : {false, true}) {  // as text and svmlight files are
      const auto result = fit_ica<S>(
          std::make_unique<test::MemorySource<S>>(test::MemoryFile<S>{.rows = rows, .sparse = sparse}),
          {.components = p});
      EXPECT_EQ(result.method_name, "fixed-point");
      EXPECT_TRUE(result.converged);
      EXPECT_LT(difference(plain.views[0].weights.template cast<double>(),
                           result.views[0].weights.template cast<double>()),
                2e-3);
      EXPECT_LT(infeasibility(result, rows), 1e4 * eps<S>);
    }
  }
}

TEST(IcaTables, LandingIsUsedWhereItIsAskedFor) {
  const RowMatrix<double> rows = mixture<double>({.samples = 1'000, .features = 3});
  EXPECT_EQ(fit(rows).method_name, "fixed-point");
  EXPECT_EQ(fit(rows, {.method = FitMethod::landing}).method_name, "landing");
  EXPECT_EQ(fit(rows, {.passes = 2}).method_name, "landing");
  EXPECT_EQ(fit(rows, {.batch = 100}).method_name, "landing");
}

TEST(IcaTables, BaselinesReduceByTheSamePrincipalComponents) {
  const RowMatrix<double> table = loud_and_quiet(1'000, 3);
  const auto result = fit(table, {.components = 2, .baseline = "fastica"});
  EXPECT_LT(outside(result.views[0].weights, principal(table, 2)), 1e-10);
  EXPECT_EQ(result.reduction, Reduction::pca);
  const auto correlated = fit(mixture<double>({.samples = 300, .features = 6, .condition = 30}),
                              {.components = 3, .baseline = "mm-ica"});
  EXPECT_GT(correlated.views[0].infeasibility, 0.01);
  ASSERT_FALSE(correlated.warnings.empty());
  EXPECT_EQ(correlated.warnings.back().find("the sources of mm-ica are correlated by "), 0U);
}

TEST(IcaTables, PrincipalComponentsThatRoundingHidesAreSaid) {
  RowMatrix<double> rows = mixture<double>({.samples = 500, .features = 4});
  rows.rightCols(3) *= 1e-10;
  const auto result = fit(rows, {.components = 3});
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].find("table.csv: principal component 3 has "), 0U) << result.warnings[0];
  EXPECT_NE(result.warnings[0].find(" of the variance of the first, so rounding hides it: scale the columns"),
            std::string::npos);
  EXPECT_LT(infeasibility(result, rows), 1e-6);
  EXPECT_TRUE(fit(rows).warnings.empty()) << "all directions do not depend on units";
  EXPECT_EQ(test::sentence(
                [&] { principal_components(Matrix<double>::Ones(3, 3), Vector<double>::Ones(3), 2, 0); }),
            "the scales of its columns are too far apart for 2 principal components");
}

TEST(FixedPoints, EveryContrastDescendsToAStationaryPoint) {
  const Matrix<double> rows =
      mixture<double>({.samples = 1'000, .features = 5, .uniform_sources = 2, .seed = 4});
  const Matrix<double> centred = rows.rowwise() - rows.colwise().mean();
  const Matrix<double> white =
      centred * whiten(centred.transpose() * centred / 1'000, 0, rank_tolerance<double>(5)).factor;
  for (const auto contrast : {Contrast::logcosh, Contrast::exp, Contrast::cube}) {
    const auto found = iterate_to_convergence(white, {.contrast = contrast});
    EXPECT_TRUE(found.converged) << to_string(contrast);
    EXPECT_LE(found.turn, 1e-6);
    EXPECT_LT(found.history.size(), 16U)
        << to_string(contrast);  // with gradient steps more than twice as many
    EXPECT_LT((found.rotation.transpose() * found.rotation - Matrix<double>::Identity(5, 5)).norm(), 1e-12);
    const auto end = iterate_to_convergence(white, {.contrast = contrast, .most_iterations = 0});
    EXPECT_EQ(end.history.size(), 1U);
    EXPECT_FALSE(end.converged);
    EXPECT_LE(found.history.back().objective, end.history.back().objective);
    for (std::size_t i = 1; i < found.history.size(); ++i) EXPECT_LT(found.history[i].stationarity, 1) << i;
  }
}

}  // namespace landfall::test::ica_tables_test
