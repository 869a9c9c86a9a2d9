// The laws of weights, for every model: a weight of 2 is the row twice, a weight of 0 the row left out, equal weights are none, and
// only ratios of weights matter.
#include <landfall/data/rows/shuffle.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/grid.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/parallel/communicator.hpp>

#include <algorithm>
#include <numeric>

#include "support.hpp"
#include <models/classes.hpp>
#include <models/row_weights.hpp>

namespace landfall::test::weights_test {

struct Pair {
  RowMatrix<double> left, right;

  Pair rows(const std::vector<Index>& numbers) const {
    return {left(numbers, Eigen::all), right(numbers, Eigen::all)};
  }
  template <class S = double>
  CcaResult<S> fit(const CcaOptions& options, bool sparse = false) const {
    return fit_cca<S>(rows_of<S>(left.cast<S>(), sparse), rows_of<S>(right.cast<S>(), sparse), options);
  }
};

/// Skewed columns with zeros, two of them related; heavier rows differ from the others.
Pair two_views(Index rows, Index left, Index right) {
  Pair pair{gaussian<double>(rows, left, {1, 0}), gaussian<double>(rows, right, {2, 0})};
  pair.right.leftCols(3) += 1.5 * pair.left.leftCols(3);
  for (auto* view : {&pair.left, &pair.right}) {
    *view = (view->array() > -0.5).select(view->array().square() + 1, 0.0).matrix().eval();
    view->col(1) *= 100;
  }
  pair.left.col(left - 1).setConstant(2);
  return pair;
}

void expect_same(const CcaResult<double>& a, const CcaResult<double>& b, double tolerance) {
  EXPECT_LT(distance(a.correlations, b.correlations), tolerance);
  EXPECT_LT(distance(a.regularized, b.regularized), tolerance);
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_LT(distance(a.views[v].weights, b.views[v].weights), tolerance) << v;
    EXPECT_LT(distance(a.views[v].mean, b.views[v].mean), tolerance) << v;
    EXPECT_LT(distance(a.views[v].loadings, b.views[v].loadings), tolerance) << v;
    EXPECT_LT(distance(a.views[v].cross_loadings, b.views[v].cross_loadings), tolerance) << v;
    EXPECT_LT(distance(a.views[v].explained, b.views[v].explained), tolerance) << v;
    EXPECT_LT(distance(a.prediction[v], b.prediction[v]), tolerance) << v;
    EXPECT_EQ(a.views[v].dropped, b.views[v].dropped);
  }
}

TEST(CcaWeights, AreRowsRepeated) {
  const Pair pair = two_views(400, 7, 6);
  const auto weights = whole_weights(400);
  const Pair longer = pair.rows(repeated(weights));
  std::vector<CcaOptions> all(4, {.components = 4, .ridge = 0});
  all[1].ridge = 0.1;
  all[2].ridge.reset();
  all[2].relative_ridge = 0.05;
  all[2].transform.scaling = Scaling::deviation;
  all[3].transform.centring = Centring::none;
  for (CcaOptions& options : all)
    for (const bool sparse : {false, true}) {
      const auto expected = longer.fit(options, sparse);
      options.weights = weights_of(weights);
      const auto found = pair.fit(options, sparse);
      options.weights.reset();
      expect_same(found, expected, 1e-9);
      EXPECT_EQ(found.samples, count_positive(weights));
      EXPECT_NEAR(found.sum_of_weights, static_cast<double>(expected.samples), 1e-9);
      EXPECT_GT(distance(pair.fit(options, sparse).correlations, expected.correlations), 1e-3);
    }
}

TEST(CcaWeights, OfZeroLeaveRowsOut) {
  Pair pair = two_views(600, 7, 6);
  std::vector<double> weights;
  for (Index i = 0; i < 600; ++i) weights.push_back(i % 3 == 1 ? 0 : 2);
  const Pair shorter = pair.rows(repeated(times(0.5, weights)));
  pair.left(4, 2) = std::numeric_limits<double>::quiet_NaN();  // in a row that is left out
  for (const FitMethod method : {FitMethod::exact, FitMethod::landing}) {
    CcaOptions options{.components = 3, .method = method, .ridge = 0, .folds = 0};
    const auto expected = shorter.fit(options);
    options.weights = weights_of(weights);
    const auto found = pair.fit(options);
    expect_same(found, expected, method == FitMethod::exact ? 1e-10 : 1e-3);
    EXPECT_EQ(found.samples, 400);
    EXPECT_EQ(found.sum_of_weights, 800);
    ASSERT_EQ(found.wilks.size(), expected.wilks.size());  // their rows all count alike
    for (std::size_t k = 0; k < found.wilks.size(); ++k)
      EXPECT_NEAR(found.wilks[k].lambda, expected.wilks[k].lambda, 1e-10);
  }
}

TEST(CcaWeights, ThatAreEqualChangeNothing) {
  const Pair pair = two_views(700, 7, 6);
  for (const FitMethod method : {FitMethod::exact, FitMethod::landing}) {
    CcaOptions options{.components = 3, .method = method, .held_out = 0.2};
    const auto expected = pair.fit(options);
    options.weights = weights_of(std::vector<double>(700, 0.3));
    const auto found = pair.fit(options);
    EXPECT_EQ(found.correlations, expected.correlations);
    EXPECT_EQ(found.held_out, expected.held_out);
    EXPECT_EQ(found.cross_validated.correlations, expected.cross_validated.correlations);
    EXPECT_EQ(found.wilks.size(), expected.wilks.size());
    for (std::size_t v = 0; v < 2; ++v) {
      EXPECT_EQ(found.views[v].weights, expected.views[v].weights);
      EXPECT_EQ(found.views[v].loadings, expected.views[v].loadings);
    }
  }
}

TEST(CcaWeights, MatterByTheirRatios) {
  const Pair pair = two_views(500, 7, 6);
  const auto weights = uneven_weights(500);
  CcaOptions options{.components = 3, .held_out = 0.2};
  options.weights = weights_of(weights);
  const auto expected = pair.fit(options);
  for (const double factor : {1e-200, 3e5, 1e300}) {
    options.weights = weights_of(times(factor, weights));
    const auto found = pair.fit(options);
    expect_same(found, expected, 1e-10);
    EXPECT_LT(distance(found.held_out, expected.held_out), 1e-10);
    EXPECT_LT(distance(found.cross_validated.correlations, expected.cross_validated.correlations), 1e-10);
    EXPECT_NEAR(found.sum_of_weights / factor, expected.sum_of_weights, 1e-9 * expected.sum_of_weights);
  }
  EXPECT_TRUE(expected.wilks.empty());
}

template <class S>
class WeightedLanding : public Typed<S> {};
TYPED_TEST_SUITE(WeightedLanding, Scalars);

TYPED_TEST(WeightedLanding, IsNearTheExactMethod) {
  using S = TypeParam;
  const Index rows = 3000;
  Pair pair = two_views(rows, 20, 15);
  std::vector<double> values = uneven_weights(rows);
  for (Index i = 1; i < rows; i += 2) {  // every second row is of no pair, and counts little
    if (i + 2 < rows) pair.right.row(i).swap(pair.right.row(i + 2));
    values[static_cast<std::size_t>(i)] /= 20;
  }
  CcaOptions options{.components = 3, .method = FitMethod::exact, .ridge = 0.01, .folds = 0};
  const auto unweighted = pair.fit(options);
  options.weights = weights_of(values);
  const auto exact = pair.fit(options);
  EXPECT_GT(exact.regularized.sum(), 1.2 * unweighted.regularized.sum());
  for (const bool sparse : {false, true}) {
    options.method = FitMethod::landing;
    options.landing.estimator = Estimator::recursive;
    const auto landed = pair.fit<S>(options, sparse);
    EXPECT_TRUE(landed.converged);
    EXPECT_NEAR(landed.regularized.sum(), exact.regularized.sum(), 3e-3 * exact.regularized.sum());
    EXPECT_LT(distance(landed.correlations, exact.correlations), 5e-3);
    EXPECT_LT(landed.views[0].infeasibility, 1e-3);
    options.landing.estimator = Estimator::shared;
    EXPECT_NEAR(pair.fit<S>(options, sparse).regularized.sum(), exact.regularized.sum(),
                2e-2 * exact.regularized.sum());
  }
}

TEST(CcaWeights, ReachTheOtherMethods) {
  const Pair pair = two_views(2000, 8, 6);
  CcaOptions options{.components = 2, .method = FitMethod::exact, .ridge = 0.01, .folds = 0};
  options.weights = weights_of(uneven_weights(2000));
  const auto exact = pair.fit(options);
  for (const char* name : {"lobpcg", "als", "lanczos"}) {
    options.baseline = name;
    EXPECT_NEAR(pair.fit(options).regularized.sum(), exact.regularized.sum(), 1e-4) << name;
  }
}

/// Weighted means of scores and columns over some rows, by their definition.
struct Moments {
  Moments(const Matrix<double>& a, const Matrix<double>& b, const Vector<double>& w) {
    const double sum = w.sum();
    const Vector<double> ma = a.transpose() * w / sum, mb = b.transpose() * w / sum;
    x = a.rowwise() - ma.transpose();
    y = b.rowwise() - mb.transpose();
    left = (x.transpose() * w.asDiagonal() * x).diagonal() / sum;
    right = (y.transpose() * w.asDiagonal() * y).diagonal() / sum;
    cross = x.transpose() * w.asDiagonal() * y / sum;
  }
  Vector<double> correlations() const {
    return cross.diagonal().array() / (left.array() * right.array()).sqrt();
  }
  Matrix<double> x, y, cross;
  Vector<double> left, right;
};

Matrix<double> scores_of(const RowMatrix<double>& rows, const FittedView<double>& view) {
  return (rows.rowwise() - view.mean.transpose()) * view.weights;
}

TEST(CcaWeights, CountInTheHeldOutRows) {
  const Pair pair = two_views(500, 7, 6);
  const auto values = uneven_weights(500);
  for (const bool sparse : {false, true}) {
    CcaOptions options{.components = 3, .ridge = 0, .held_out = 0.3};
    options.weights = weights_of(values);
    const auto result = pair.fit(options, sparse);
    std::vector<Index> held;
    for (Index i = 0; i < 500; ++i)
      if (part_of(i, {.seed = options.seed, .held_out = 0.3}) == Part::held_out) held.push_back(i);
    const Vector<double> weights = Eigen::Map<const Vector<double>>(values.data(), 500)(held);
    const Pair part = pair.rows(held);
    const Matrix<double> left = scores_of(part.left, result.views[0]),
                         right = scores_of(part.right, result.views[1]);
    EXPECT_LT(distance(result.held_out, Moments(left, right, weights).correlations()), 1e-9);
    EXPECT_EQ(result.held_out_samples, static_cast<Index>(held.size()));
    EXPECT_NEAR(result.held_out_sum_of_weights, weights.sum(), 1e-9 * weights.sum());
    // R^2 of a column of the right view, predicted from the left scores.
    const Index j = 2;
    const Vector<double> column = part.right.col(j),
                         error = column - Vector<double>::Constant(column.size(), result.views[1].mean(j)) -
                                 left * result.prediction[1].row(j).transpose();
    const double variance = Moments(column, column, weights).left(0),
                 mean = error.cwiseAbs2().dot(weights) / weights.sum();
    EXPECT_NEAR(result.prediction_r2[1](j), 1 - mean / variance, 1e-9);
  }
}

/// Each fold is left out by weights of 0 and tested with its own.
TEST(CcaWeights, CountInCrossValidation) {
  const Pair pair = two_views(300, 6, 5);
  const auto values = uneven_weights(300);
  CcaOptions options{.components = 2, .method = FitMethod::exact, .ridge = 0, .folds = 3};
  options.weights = weights_of(values);
  const auto tested = pair.fit(options).cross_validated;
  Vector<double> left = Vector<double>::Zero(2), right = left, cross = left;
  for (int fold = 0; fold < 3; ++fold) {
    std::vector<double> rest = values;
    std::vector<Index> rows;
    for (Index i = 0; i < 300; ++i)
      if (fold_of(i, 3, options.seed) == fold) {
        rest[static_cast<std::size_t>(i)] = 0;
        rows.push_back(i);
      }
    CcaOptions one = options;
    one.folds = 0;
    one.weights = weights_of(rest);
    const auto fitted = pair.fit(one);
    const Vector<double> weights = Eigen::Map<const Vector<double>>(values.data(), 300)(rows);
    const Pair part = pair.rows(rows);
    const Moments moments(scores_of(part.left, fitted.views[0]), scores_of(part.right, fitted.views[1]),
                          weights);
    EXPECT_LT(distance(tested.by_fold.col(fold), moments.correlations()), 1e-8);
    left += weights.sum() * moments.left;
    right += weights.sum() * moments.right;
    cross += weights.sum() * moments.cross.diagonal();
  }
  EXPECT_LT(distance(tested.correlations, cross.array() / (left.array() * right.array()).sqrt()), 1e-8);
}

/// Weights that have nothing to do with the rows make a mean as uncertain as (sum w)^2 / sum w^2 rows (Kish 1965).
TEST(CcaWeights, WidenTheIntervalsOfTheBootstrap) {
  Pair pair{gaussian<double>(2000, 3, {1, 0}), gaussian<double>(2000, 3, {2, 0})};
  pair.right.col(0) += pair.left.col(0);
  const auto values = uneven_weights(2000);
  double sum = 0, squares = 0;
  for (const double weight : values) sum += weight, squares += weight * weight;
  const double effect = std::sqrt(2000 * squares) / sum;
  EXPECT_GT(effect, 1.5);
  CcaOptions options{.components = 1, .ridge = 0, .folds = 0, .bootstrap = 300};
  const auto plain = pair.fit(options);
  options.weights = weights_of(values);
  const auto weighted = pair.fit(options);
  // The relative deviation of each standard error is 1/sqrt(2 300) = 0.04.
  EXPECT_NEAR(weighted.bootstrap.errors(0) / plain.bootstrap.errors(0), effect, 0.2 * effect);
  for (std::size_t v = 0; v < 2; ++v)
    EXPECT_LT(distance(weighted.bootstrap.loadings[v].loadings, weighted.views[v].loadings), 1e-5);
  EXPECT_LT(weighted.bootstrap.lower(0), weighted.correlations(0));
}

TEST(CcaWeights, OfRowsThatWeighTheSameChangeNoPermutationTest) {
  const Pair pair = two_views(60, 4, 4);
  CcaOptions options{.components = 2, .permutations = 19};
  const auto expected = pair.fit(options).permutation.p;
  options.weights = weights_of(std::vector<double>(60, 2.0));
  EXPECT_EQ(pair.fit(options).permutation.p, expected);
  options.weights = weights_of(std::vector<double>(59, 2.0));
  EXPECT_EQ(message<DataError>([&] { pair.fit(options); }),
            "w.csv has 59 weights and data.csv has 60 rows; expected the same number");
}

void expect_same(const LdaResult<double>& a, const LdaResult<double>& b, double tolerance) {
  EXPECT_LT(distance(a.eigenvalues, b.eigenvalues), tolerance);
  EXPECT_LT(distance(a.views[0].weights, b.views[0].weights), tolerance);
  EXPECT_LT(distance(a.centres, b.centres), tolerance);
  EXPECT_LT(distance(a.priors, b.priors), tolerance);
  EXPECT_LT(distance(a.views[0].loadings, b.views[0].loadings), tolerance);
  EXPECT_LT(distance(a.within_loadings, b.within_loadings), tolerance);
}

TEST(LdaWeights, AreRowsRepeated) {
  for (const bool sparse : {false, true}) {
    const auto data = made_up_classes<double>(500, 8, 4, 3, 5, sparse);
    const auto weights = whole_weights(500);
    const auto numbers = repeated(weights);
    Classes<double> longer{data.rows(numbers, Eigen::all), {}};
    for (const Index i : numbers) longer.of.push_back(data.of[static_cast<std::size_t>(i)]);
    LdaOptions options{.ridge = 0.1};
    const auto expected = fit_lda<double>(rows_of<double>(longer.rows, sparse), longer.labels(), options);
    options.weights = weights_of(weights);
    const auto found = fit_lda<double>(rows_of<double>(data.rows, sparse), data.labels(), options);
    expect_same(found, expected, 1e-9);
    EXPECT_LT(distance(found.confusion, expected.confusion), 1e-9);
    EXPECT_NEAR(found.training_accuracy, expected.training_accuracy, 1e-12);
    EXPECT_EQ(found.samples, count_positive(weights));
    options.method = FitMethod::landing;
    const auto landed = fit_lda<double>(rows_of<double>(data.rows, sparse), data.labels(), options);
    EXPECT_LT(distance(landed.eigenvalues, expected.eigenvalues), 1e-2);
  }
}

TEST(LdaWeights, CountInTheHeldOutRows) {
  const auto data = made_up_classes<double>(600, 6, 3, 2, 5);
  const auto values = uneven_weights(600);
  LdaOptions options{.held_out = 0.4};
  options.weights = weights_of(values);
  const auto result = fit_lda<double>(rows_of<double>(data.rows), data.labels(), options);
  Batch<double> all;
  rows_of<double>(data.rows)->read(600, all);
  const auto predicted = predict(result, all);
  double right = 0, sum = 0;
  for (Index i = 0; i < 600; ++i) {
    if (part_of(i, {.seed = options.seed, .held_out = 0.4}) != Part::held_out) continue;
    const auto at = static_cast<std::size_t>(i);
    sum += values[at];
    if (predicted[at] == data.of[at]) right += values[at];
  }
  EXPECT_NEAR(*result.held_out_accuracy, right / sum, 1e-10);
  EXPECT_NEAR(result.held_out_sum_of_weights, sum, 1e-9 * sum);
}

TEST(LdaWeights, ThatAreEqualChangeNothing) {
  const auto data = made_up_classes<double>(400, 6, 3, 2, 5);
  LdaOptions options;
  const auto expected = fit_lda<double>(rows_of<double>(data.rows), data.labels(), options);
  options.weights = weights_of(std::vector<double>(400, 7.0));
  const auto found = fit_lda<double>(rows_of<double>(data.rows), data.labels(), options);
  EXPECT_EQ(found.views[0].weights, expected.views[0].weights);
  EXPECT_EQ(found.priors, expected.priors);
}

void expect_same(const IcaResult<double>& a, const IcaResult<double>& b, double tolerance) {
  EXPECT_LT(distance(a.views[0].weights, b.views[0].weights), tolerance);
  EXPECT_LT(distance(a.mixing, b.mixing), tolerance);
  EXPECT_LT(distance(a.negentropy, b.negentropy), tolerance);
  EXPECT_LT(distance(a.kurtosis, b.kurtosis), tolerance);
  EXPECT_LT(distance(a.views[0].loadings, b.views[0].loadings), tolerance);
  EXPECT_LT(distance(a.views[0].mean, b.views[0].mean), tolerance);
}

TEST(IcaWeights, AreRowsRepeated) {
  const RowMatrix<double> rows = sources(800, 4, 3) * gaussian<double>(4, 4, {9, 0});
  const auto weights = whole_weights(800);
  const RowMatrix<double> longer = rows(repeated(weights), Eigen::all);
  for (const Contrast contrast : {Contrast::logcosh, Contrast::exp, Contrast::cube})
    for (const Index p : {0, 2}) {
      IcaOptions options{.components = p, .contrast = contrast};
      const auto expected = fit_ica<double>(rows_of<double>(longer), options);
      options.weights = weights_of(weights);
      const auto found = fit_ica<double>(rows_of<double>(rows), options);
      EXPECT_TRUE(found.converged);
      expect_same(found, expected, 1e-5);
      EXPECT_EQ(found.samples, count_positive(weights));
    }
}

TEST(IcaWeights, ReachLanding) {
  const RowMatrix<double> rows = sources(30'000, 4, 3) * gaussian<double>(4, 4, {9, 0});
  const auto weights = whole_weights(30'000);
  const RowMatrix<double> longer = rows(repeated(weights), Eigen::all);
  const auto expected = fit_ica<double>(rows_of<double>(longer), {.method = FitMethod::landing});
  IcaOptions options{.method = FitMethod::landing};
  options.weights = weights_of(weights);
  const auto found = fit_ica<double>(rows_of<double>(rows), options);
  EXPECT_EQ(found.method_name, "landing");
  // A Newton step of at most short_turn() leaves about its square: 0.1/sqrt(N) radians.
  expect_same(found, expected, 5e-3);
  const auto single = fit_ica<float>(rows_of<float>(rows.cast<float>()), options);
  EXPECT_LT(distance(single.mixing.cast<double>(), expected.mixing), 5e-3);
  options.weights.reset();
  EXPECT_GT(distance(fit_ica<double>(rows_of<double>(rows), options).kurtosis, expected.kurtosis), 1e-2);
}

TEST(IcaWeights, ThatAreEqualChangeNothing) {
  const RowMatrix<double> rows = sources(900, 4, 3) * gaussian<double>(4, 4, {9, 0});
  IcaOptions options;
  const auto expected = fit_ica<double>(rows_of<double>(rows), options);
  options.weights = weights_of(std::vector<double>(900, 0.1));
  EXPECT_EQ(fit_ica<double>(rows_of<double>(rows), options).views[0].weights, expected.views[0].weights);
}

/// A step with all rows is nearly the same for weights and for repeated rows.
TEST(IcaWeights, AreRowsRepeatedForMethodsThatStream) {
  const Matrix<double> normal = gaussian<double>(700, 3, {3, 0});
  const RowMatrix<double> rows =
      (normal.array() * normal.array().abs()).matrix() * gaussian<double>(3, 3, {9, 0});
  std::vector<double> weights, larger;
  for (Index i = 0; i < 700; ++i) {
    weights.push_back(rows(i, 0) > 0.5 ? 4 : 1);  // which another answer follows from
    larger.push_back(3 * weights.back());
  }
  const RowMatrix<double> longer = rows(repeated(weights), Eigen::all);
  const auto fit = [](const RowMatrix<double>& data, const std::string& name, Index batch,
                      const std::vector<double>& given = {}) {
    IcaOptions options{.baseline = name, .passes = 3, .batch = batch};
    if (!given.empty()) options.weights = weights_of(given);
    return fit_ica<double>(rows_of<double>(data), options);
  };
  const auto apart = [](const IcaResult<double>& a, const IcaResult<double>& b) {
    return amari_distance(a.unmixing(), b.mixing);
  };
  for (const std::string name : {"landing-released", "landing-averaged", "rgd-rolling"}) {
    SCOPED_TRACE(name);
    const auto expected = fit(longer, name, longer.rows());
    EXPECT_LT(apart(fit(rows, name, 700, weights), expected), 5e-5);
    EXPECT_GT(apart(fit(rows, name, 700), expected), 1e-4);
  }
  // Its batches are cut into parts, which repeated rows cut differently.
  const auto online = fit(rows, "landing-online", 700, weights);
  EXPECT_LT(apart(fit(rows, "landing-online", 700, larger), online), 1e-9);
  EXPECT_GT(apart(fit(rows, "landing-online", 700), online), 1e-6);
}

TEST(WeightsOnRanks, AreThoseOfOneProcess) {
  const Pair pair = two_views(600, 7, 6);
  const auto classes = made_up_classes<double>(600, 6, 3, 2, 5);
  const RowMatrix<double> mixed = sources(600, 3, 3) * gaussian<double>(3, 3, {9, 0});
  auto values = uneven_weights(600);
  for (std::size_t i = 0; i < values.size(); i += 5) values[i] = 0;
  FitOptions options{.held_out = 0.2, .weights = weights_of(values)};
  FitOptions landing = options, all = options;
  landing.method = FitMethod::landing;
  landing.components = 2;
  all.held_out = 0;
  const auto cca = pair.fit(options);
  const auto landed = pair.fit(landing, true);
  const auto lda = fit_lda<double>(rows_of<double>(classes.rows), classes.labels(), options);
  const auto ica = fit_ica<double>(rows_of<double>(mixed), all);
  std::vector<std::string> failures(3);
  run_ranks(3, [&](const std::shared_ptr<Communicator>& ranks) {
    FitOptions shared = options, landing_shared = landing, all_shared = all;
    shared.communicator = landing_shared.communicator = all_shared.communicator = ranks;
    const auto far = [&](const Vector<double>& a, const Vector<double>& b, const char* name) {
      if (!(distance(a, b) < 1e-8)) failures[static_cast<std::size_t>(ranks->rank())] += name;
    };
    const auto found = pair.fit(shared);
    far(found.correlations, cca.correlations, "cca ");
    far(found.held_out, cca.held_out, "held out ");
    far(found.cross_validated.correlations, cca.cross_validated.correlations, "folds ");
    far(pair.fit(landing_shared, true).correlations, landed.correlations, "landing ");
    const auto directions = fit_lda<double>(rows_of<double>(classes.rows), classes.labels(), shared);
    far(directions.eigenvalues, lda.eigenvalues, "lda ");
    far(directions.held_out_confusion.reshaped(), lda.held_out_confusion.reshaped(), "confusion ");
    far(fit_ica<double>(rows_of<double>(mixed), all_shared).negentropy, ica.negentropy, "ica ");
  });
  for (const std::string& failed : failures) EXPECT_EQ(failed, "");
}

}  // namespace landfall::test::weights_test
