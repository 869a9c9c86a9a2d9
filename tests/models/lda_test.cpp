#include <landfall/models/lda/lda.hpp>
#include <landfall/parallel/threads.hpp>

#include <numeric>

#include <models/classes.hpp>
#include <models/iris.hpp>

namespace landfall::test::lda_test {

template <class S>
using LdaTest = Typed<S>;
TYPED_TEST_SUITE(LdaTest, Scalars);

template <class S>
LdaResult<S> fit(const Classes<S>& data, const LdaOptions& options, bool sparse = false) {
  return fit_lda<S>(rows_of(data.rows, sparse), data.labels(), options);
}

/// So few first rows that landing has to go through the others.
LdaOptions landing_options(Index p = 0) {
  return {.components = p, .method = FitMethod::landing, .passes = 6, .batch = 64, .first_rows = 512};
}

template <class S>
Batch<S> batch_of(const RowMatrix<S>& rows) {
  Batch<S> batch;
  rows_of(rows)->read(rows.rows(), batch);
  return batch;
}

Classes<double> irises() {
  Classes<double> data{iris<double>(), {}};
  for (std::uint32_t i = 0; i < 150; ++i) data.of.push_back(i / 50);
  return data;
}

// scikit-learn 1.2.1: LinearDiscriminantAnalysis(solver='eigen').fit(X, y), scalings_ and
// explained_variance_ratio_; signs as ours. The eigenvalues are scipy.linalg.eigh's.
TEST(Lda, IrisIsThatOfScikitLearn) {
  Matrix<double> known(4, 2);
  known << -0.83779794, 0.02434685, -1.55005187, 2.18649663, 2.22355955, -0.94138258, 2.83899363, 2.86801283;
  const auto result = fit(irises(), {.ridge = 0});
  EXPECT_EQ(result.method, FitMethod::exact);
  EXPECT_LT((result.views[0].weights - known).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT(largest_sine(result.views[0].weights, known), 1e-7);
  EXPECT_NEAR(result.eigenvalues(0), 32.1919292, 1e-6);
  EXPECT_NEAR(result.eigenvalues(1), 0.285391043, 1e-8);
  EXPECT_NEAR(result.explained_ratio(0), 0.9912126, 1e-7);
  EXPECT_DOUBLE_EQ(result.training_accuracy, 0.98);
  const auto by_default = fit(irises(), {});
  EXPECT_LT(largest_sine(by_default.views[0].weights, known), 0.02);
  EXPECT_DOUBLE_EQ(by_default.training_accuracy, 0.98);
}

TEST(Lda, ExactIsBruteForce) {
  for (const double ridge : {0.0, 0.02}) {
    const auto data = made_up_classes<double>(700, 12, 5, 4, 1);
    const auto result = fit(data, {.components = 3, .method = FitMethod::exact, .ridge = ridge});
    const BruteForce known(data, ridge, 3);
    EXPECT_LT((result.eigenvalues - known.values).norm(), 1e-8 * known.values.norm());
    EXPECT_LT(largest_sine(result.views[0].weights, known.vectors), 1e-8);
    EXPECT_NEAR(result.explained_ratio(0), known.values(0) / known.all.head(4).sum(), 1e-8);
    const Matrix<double> gram = result.views[0].weights.transpose() * known.within * result.views[0].weights;
    EXPECT_LT((gram - Matrix<double>::Identity(3, 3)).norm(), 1e-8);
    const Matrix<double> between =
        result.views[0].weights.transpose() * known.between * result.views[0].weights;
    EXPECT_LT((between - Matrix<double>(result.eigenvalues.asDiagonal())).norm(), 1e-8 * known.values(0));
  }
}

TYPED_TEST(LdaTest, LandingIsExact) {
  const auto data = made_up_classes<TypeParam>(6000, 40, 6, 4, 2);
  for (const Index p : {2, 5}) {
    const auto exact = fit(data, {.components = p, .method = FitMethod::exact});
    const auto landing = fit(data, landing_options(p));
    EXPECT_EQ(landing.method, FitMethod::landing);
    EXPECT_GT(landing.eigenvalues.sum(), 0.999 * exact.eigenvalues.sum());
    EXPECT_LT(landing.eigenvalues.sum(), 1.0001 * exact.eigenvalues.sum());
    EXPECT_LT(largest_sine(landing.views[0].weights.template cast<double>(),
                           exact.views[0].weights.template cast<double>()),
              0.05);
    EXPECT_NEAR(landing.training_accuracy, exact.training_accuracy, 0.005);
    EXPECT_NEAR(landing.explained_ratio(0), exact.explained_ratio(0), 0.005);
    EXPECT_LT(landing.views[0].infeasibility, 0.05);
    EXPECT_NEAR(landing.passes, 6, 0.1);
    const BruteForce known(data, landing.views[0].ridge, p);
    const Matrix<double> w = landing.views[0].weights.template cast<double>();
    EXPECT_LT((w.transpose() * known.within * w - Matrix<double>::Identity(p, p)).norm(), 1e-3);
  }
}

TYPED_TEST(LdaTest, SparseRowsAreAsDenseOnes) {
  const auto data = made_up_classes<TypeParam>(3000, 30, 4, 6, 3, true);
  for (const bool unit_variance : {false, true}) {
    LdaOptions options{.method = FitMethod::exact,
                       .transform = {.scaling = unit_variance ? Scaling::deviation : Scaling::none}};
    const auto dense = fit(data, options), sparse = fit(data, options, true);
    EXPECT_LT((dense.eigenvalues - sparse.eigenvalues).norm(),
              rounding<double>(1, 5e3) + static_cast<double>(rounding<TypeParam>(1, 100)));
    LdaOptions by_landing = landing_options();
    by_landing.transform = options.transform;
    const auto landing = fit(data, by_landing, true);
    EXPECT_GT(landing.eigenvalues.sum(), 0.995 * dense.eigenvalues.sum());
    EXPECT_NEAR(landing.training_accuracy, dense.training_accuracy, 0.005);
  }
}

TYPED_TEST(LdaTest, SeedsReproduceToTheBitWithAnyNumberOfThreads) {
  const auto data = made_up_classes<TypeParam>(2000, 150, 4, 4, 4);
  const auto run = [&](int count, std::uint64_t seed) {
    set_threads(count);
    LdaOptions options = landing_options();
    options.passes = 2;
    options.seed = seed;
    return fit(data, options);
  };
  const int before = threads();
  const auto one = run(1, 0), two = run(2, 0), again = run(5, 0), other = run(1, 1);
  set_threads(before);
  EXPECT_TRUE(one.views[0].weights == two.views[0].weights && one.eigenvalues == two.eigenvalues);
  EXPECT_TRUE(two.views[0].weights == again.views[0].weights && two.eigenvalues == again.eigenvalues);
  EXPECT_TRUE(one.centres == two.centres && one.training_accuracy == two.training_accuracy);
  EXPECT_FALSE(one.views[0].weights == other.views[0].weights);
}

TEST(Lda, ColumnsMayComeInAnyOrder) {
  const auto data = made_up_classes<double>(3000, 20, 4, 4, 5);
  const Permutation order(20, {5, 0});
  Classes<double> other = data;
  for (Index j = 0; j < 20; ++j) other.rows.col(order(j)) = data.rows.col(j);
  for (const auto method : {FitMethod::exact, FitMethod::landing}) {
    LdaOptions options = landing_options();
    options.method = method;
    const auto a = fit(data, options), b = fit(other, options);
    Matrix<double> back(20, 3);
    for (Index j = 0; j < 20; ++j) back.row(j) = b.views[0].weights.row(order(j));
    const double bound = method == FitMethod::exact ? 1e-9 : 0.02;
    EXPECT_LT(largest_sine(a.views[0].weights, back), bound);
    EXPECT_LT((a.eigenvalues - b.eigenvalues).norm(), bound * a.eigenvalues(0));
  }
}

// Without a ridge the scale of a column does not matter, with unit variance it never does.
TEST(Lda, ColumnsMayHaveAnyScale) {
  const auto data = made_up_classes<double>(1000, 8, 3, 3, 6);
  Classes<double> other = data;
  other.rows.col(2) *= 1e4;
  other.rows.col(5) *= 1e-3;
  for (const LdaOptions& options :
       {LdaOptions{.ridge = 0}, LdaOptions{.transform = {.scaling = Scaling::deviation}}}) {
    const auto a = fit(data, options), b = fit(other, options);
    EXPECT_LT((a.eigenvalues - b.eigenvalues).norm(), 1e-8 * a.eigenvalues(0));
    EXPECT_EQ(a.training_accuracy, b.training_accuracy);
    EXPECT_LT((a.views[0].weights.row(2) / 1e4 - b.views[0].weights.row(2)).norm(),
              1e-8 * a.views[0].weights.row(2).norm());
  }
}

TYPED_TEST(LdaTest, PredictsTheClassOfTheNearestCentre) {
  const auto data = made_up_classes<TypeParam>(1500, 15, 4, 5, 7);
  const auto result = fit(data, {.held_out = 0.3});
  EXPECT_EQ(result.samples + result.held_out_samples, 1500);
  EXPECT_GT(result.held_out_samples, 350);
  ASSERT_TRUE(result.held_out_accuracy);
  const auto batch = batch_of(data.rows);
  const auto predicted = predict(result, batch);
  const Matrix<TypeParam> scores = transform(result.views[0], batch);
  Index right = 0;
  for (Index i = 0; i < 1500; ++i) {
    Index nearest = 0;
    (result.centres.colwise() - Vector<double>(scores.row(i).transpose().template cast<double>()))
        .colwise()
        .squaredNorm()
        .minCoeff(&nearest);
    EXPECT_EQ(predicted[static_cast<std::size_t>(i)], nearest);
    right += nearest == data.of[static_cast<std::size_t>(i)];
  }
  EXPECT_DOUBLE_EQ(score(result, batch, data.labels()), static_cast<double>(right) / 1500);
  const double both = result.training_accuracy * static_cast<double>(result.samples) +
                      *result.held_out_accuracy * static_cast<double>(result.held_out_samples);
  EXPECT_NEAR(both, static_cast<double>(right), 1.01);  // a row may lie between two centres
  EXPECT_NEAR(result.priors.sum(), 1, 1e-12);
  EXPECT_EQ(result.classes.size(), 4U);
}

TEST(Lda, NamesOfClassesAreComparedAndNotTheirNumbers) {
  const auto data = made_up_classes<double>(300, 5, 2, 5, 8);
  const auto result = fit(data, {});
  std::vector<std::uint32_t> swapped;
  for (const auto c : data.of) swapped.push_back(1 - c);
  const Labels other("other.csv", {"class 1", "class 0"}, swapped);
  EXPECT_DOUBLE_EQ(score(result, batch_of(data.rows), other),
                   score(result, batch_of(data.rows), data.labels()));
}

TEST(Lda, MethodFollowsFromMemory) {
  const auto data = made_up_classes<double>(400, 30, 3, 5, 9);
  EXPECT_EQ(fit(data, {}).method, FitMethod::exact);
  const auto result = fit(data, {.memory = 400'000});
  EXPECT_EQ(result.method, FitMethod::landing);
  EXPECT_EQ(sentence([&] { fit(data, {.memory = 1000}); }),
            "landing needs 112 KiB of memory, expected at most the 1 KiB that --memory allows");
  EXPECT_TRUE(result.reason.starts_with("exact covariances need ")) << result.reason;
  for (const auto method : {FitMethod::automatic, FitMethod::exact, FitMethod::landing})
    EXPECT_EQ(parse_fit_method(to_string(method)), method);
}

TEST(Lda, ObserverEndsTheRun) {
  const auto data = made_up_classes<double>(2000, 10, 3, 5, 10);
  LdaOptions options = landing_options();
  options.observer = [](const Progress& progress) { return progress.iteration < 3; };
  const auto result = fit(data, options);
  EXPECT_EQ(result.termination, Termination::stopped);
  EXPECT_EQ(result.iterations, 3U);
}

TEST(Lda, ShareOfAllDirectionsIsToldWhereTheyAreKnown) {
  const auto data = made_up_classes<double>(2000, 20, 6, 5, 11);
  LdaOptions options = landing_options(2);
  options.guard = 1;
  EXPECT_EQ(fit(data, options).explained_ratio.size(), 0);
  options.guard = 3;
  EXPECT_EQ(fit(data, options).explained_ratio.size(), 2);
}

}  // namespace landfall::test::lda_test
