// CCA against closed forms, and landing against the exact method.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>

#include "support.hpp"

namespace landfall::test::cca_test {

template <class S>
struct TwoFiles {
  RowMatrix<S> left, right;

  CcaResult<S> fit(const CcaOptions& options) const {
    return fit_cca<S>(std::make_unique<landfall::MemorySource<S>>(left, "left"),
                      std::make_unique<landfall::MemorySource<S>>(right, "right"), options);
  }
};

/// Planted views with correlations from 0.9 to 0.5.
template <class S>
TwoFiles<S> planted(Index samples, Index left, Index right, Index pairs, double condition = 100) {
  PlantedCca<S> maker({.samples = samples,
                       .left = left,
                       .right = right,
                       .correlations = equidistant_correlations(pairs),
                       .condition = condition});
  Batch<S> x, y;
  maker.read(0, samples, x, y);
  return {x.dense().transpose(), y.dense().transpose()};
}

/// The same with columns that are 0 in most rows, the rarest in all but a few hundred.
template <class S>
TwoFiles<S> planted_sparse(Index samples, Index columns, std::vector<double> correlations) {
  PlantedCca<S> maker({.samples = samples,
                       .left = columns,
                       .right = columns,
                       .correlations = std::move(correlations),
                       .nonzeros = 8});
  Batch<S> x, y;
  maker.read(0, samples, x, y);
  TwoFiles<S> files{RowMatrix<S>(samples, columns), RowMatrix<S>(samples, columns)};
  for (Index i = 0; i < samples; ++i) {
    dense_row<S>(x, i, {files.left.row(i).data(), static_cast<std::size_t>(columns)});
    dense_row<S>(y, i, {files.right.row(i).data(), static_cast<std::size_t>(columns)});
  }
  return files;
}

/// The singular values of S_xx^-1/2 S_xy S_yy^-1/2, with a ridge.
Vector<double> closed_form(const TwoFiles<double>& files, double ridge) {
  const Matrix<double> x = files.left.rowwise() - files.left.colwise().mean(),
                       y = files.right.rowwise() - files.right.colwise().mean();
  const double n = static_cast<double>(x.rows());
  const auto root = [&](const Matrix<double>& m) {
    const Matrix<double> b = m.transpose() * m / n + ridge * Matrix<double>::Identity(m.cols(), m.cols());
    return inverse_square_root(b);
  };
  return singular_values(root(x) * (x.transpose() * y / n) * root(y));
}

TEST(Cca, ExactIsTheClosedForm) {
  for (const auto& [left, right] : {std::pair<Index, Index>{12, 9}, {9, 12}}) {
    const auto files = planted<double>(500, left, right, 4);
    const auto result = files.fit({.components = 6, .ridge = 1e-2});
    EXPECT_EQ(result.method, FitMethod::exact);
    EXPECT_LT((result.regularized - closed_form(files, 1e-2).head(6)).norm(), 1e-10);
    EXPECT_LT(result.views[0].infeasibility + result.views[1].infeasibility, 1e-9);
  }
}

template <class S>
class CcaLanding : public Typed<S> {};
TYPED_TEST_SUITE(CcaLanding, Scalars);

TYPED_TEST(CcaLanding, MeetsTheExactMethodWithoutTuning) {
  using S = TypeParam;
  const auto files = planted<S>(8000, 60, 50, 8, 1000);
  for (const Index p : {1, 5}) {
    const auto exact = files.fit({.components = p, .method = FitMethod::exact});
    for (const Index batch : {3, 128, 1000}) {  // fewer rows than p, the default, few steps
      const auto landing =
          files.fit({.components = p, .method = FitMethod::landing, .passes = 6, .batch = batch});
      EXPECT_EQ(landing.termination, Termination::pass_limit);
      EXPECT_GT(landing.regularized.sum(), 0.999 * exact.regularized.sum()) << p << " " << batch;
      EXPECT_LT(landing.regularized.sum(), exact.regularized.sum() * (1 + 1e-5));
      EXPECT_LT(landing.views[0].infeasibility, 0.02) << p << " " << batch;
    }
  }
}

TEST(Cca, TheAnswerIsTheSameBitForBitWithAnyNumberOfThreads) {
  const auto files = planted<float>(3000, 300, 270, 5);  // several blocks of rows and of columns
  for (const bool held_out : {false, true}) {
    const CcaOptions options{.components = 3,
                             .method = FitMethod::landing,
                             .passes = 2,
                             .held_out = held_out ? 0.2 : 0,
                             .seed = 7};
    const int before = threads();
    set_threads(1);
    const auto one = files.fit(options);
    for (const int count : {2, 3, 5}) {
      set_threads(count);
      const auto more = files.fit(options);
      for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(one.views[i].weights, more.views[i].weights) << count;
      EXPECT_EQ(one.correlations, more.correlations) << count;
      EXPECT_EQ(one.held_out, more.held_out) << count;
      EXPECT_EQ(one.estimated_gap, more.estimated_gap) << count;
    }
    set_threads(before);
  }
}

TEST(Cca, ScoresOfTheHeldOutRowsCorrelate) {
  const auto files = planted<double>(8000, 30, 20, 3);
  const auto result = files.fit({.components = 3, .held_out = 0.25});
  EXPECT_NEAR(static_cast<double>(result.held_out_samples), 2000, 6 * std::sqrt(8000 * 0.25 * 0.75));
  EXPECT_EQ(result.samples + result.held_out_samples, 8000);
  // a sample correlation has the standard error (1 - rho^2)/sqrt(N)
  EXPECT_NEAR(result.held_out.sum(), 0.9 + 0.7 + 0.5, 5 * 3 / std::sqrt(2000.0));
}

TEST(Cca, TransformGivesTheScores) {
  const auto files = planted<double>(1000, 10, 8, 2);
  const auto result = files.fit({.components = 2, .ridge = 0});
  landfall::MemorySource<double> source(files.left), other(files.right);
  Batch<double> batch, paired;
  source.read(1000, batch);
  other.read(1000, paired);
  const Matrix<double> a = transform(result.views[0], batch), b = transform(result.views[1], paired);
  EXPECT_LT((a.transpose() * a / 1000 - Matrix<double>::Identity(2, 2)).norm(), 1e-9);
  EXPECT_LT((a.transpose() * b / 1000 - Matrix<double>(result.correlations.asDiagonal())).norm(), 1e-9);
}

TEST(Cca, ColumnsInAnotherOrderOrScaleAreTheSameData) {
  const auto files = planted<double>(3000, 20, 15, 4);
  TwoFiles<double> moved = files;
  for (Index j = 0; j < 20; ++j)
    moved.left.col(j) = files.left.col((7 * j + 3) % 20) * std::pow(10.0, static_cast<double>(j % 9) - 4);
  for (const auto method : {FitMethod::exact, FitMethod::landing}) {
    const CcaOptions options{.components = 4, .method = method, .transform = {.scaling = Scaling::deviation}};
    const double plain = files.fit(options).correlations.sum(), other = moved.fit(options).correlations.sum();
    EXPECT_NEAR(other, plain, (method == FitMethod::exact ? 1e-9 : 1e-2) * plain);
  }
}

TEST(Cca, ARotatedViewIsTheSameData) {
  const auto files = planted<double>(3000, 20, 15, 4);
  TwoFiles<double> turned = files;
  turned.left = files.left * random_orthonormal(20, 20, {5});
  for (const auto method : {FitMethod::exact, FitMethod::landing}) {
    const CcaOptions options{.components = 4, .method = method};
    const double plain = files.fit(options).correlations.sum(),
                 other = turned.fit(options).correlations.sum();
    EXPECT_NEAR(other, plain, (method == FitMethod::exact ? 1e-9 : 1e-3) * plain);
  }
}

TEST(Cca, RareColumnsOfUnitVarianceDoNotUpsetLanding) {
  // A quarter of the columns is not zero in 10 rows of 20000 only, others in the two views: entries of 45
  // deviations, of which the first rows show few.
  auto files = planted<double>(20000, 40, 40, 4);
  for (const auto& [view, shift] : {std::pair{&files.left, Index{0}}, {&files.right, Index{900}}})
    for (Index j = 0; j < 10; ++j)
      for (Index i = 0; i < 20000; ++i)
        if ((i + 37 * j + shift) % 2000 != 5) (*view)(i, j) = 0;
  const auto fit = [&](FitMethod method) {
    return files.fit({.components = 4, .method = method, .transform = {.scaling = Scaling::deviation}});
  };
  const auto exact = fit(FitMethod::exact), landing = fit(FitMethod::landing);
  EXPECT_GT(landing.regularized.sum(), 0.98 * exact.regularized.sum());
  EXPECT_LT(landing.views[0].infeasibility, 0.05);
}

/// Sparse planted views, written out.
TwoFiles<double> rare_columns(Index rows, Index columns) {
  PlantedCca<double> maker(
      {.samples = rows, .left = columns, .right = columns, .correlations = {0.6}, .nonzeros = 4});
  Batch<double> x, y;
  maker.read(0, rows, x, y);
  TwoFiles<double> files{RowMatrix<double>::Zero(rows, columns), RowMatrix<double>::Zero(rows, columns)};
  for (Index i = 0; i < rows; ++i)
    for (const auto& [batch, to] : {std::pair{&x, &files.left}, {&y, &files.right}})
      dense_row<double>(*batch, i, std::span(to->row(i).data(), static_cast<std::size_t>(columns)));
  return files;
}

// 3000 rows for 200 columns are many, yet 3000 for 2000 are few.
TEST(Cca, ARidgeIsAddedOnlyWhereItIsNeeded) {
  const auto plain = planted<double>(2000, 30, 20, 3).fit({.components = 3});
  EXPECT_EQ(plain.ridge_kind, RidgeKind::automatic);
  EXPECT_EQ(plain.ridge_rows, 0);
  EXPECT_TRUE(plain.warnings.empty());

  const auto files = planted<double>(1000, 300, 300, 3, 1e4);
  const auto wide = files.fit({.components = 3, .held_out = 0.5});
  EXPECT_GE(wide.ridge_rows, 0.1);
  ASSERT_FALSE(wide.warnings.empty());
  EXPECT_EQ(wide.warnings[0],
            fmt::format("left: a ridge of {:g} rows was added, because {} rows are few for 600 "
                        "columns; --ridge 0 gives the plain answer",
                        wide.ridge_rows, wide.samples));
  EXPECT_EQ(wide.views[0].ridge, wide.ridge_rows / static_cast<double>(wide.samples));
  // As good on unseen rows as any other number of rows, but for the noise of 500 rows.
  double best = 0;
  for (const double c : {0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0})
    best = std::max(
        best, files.fit({.components = 3, .relative_ridge = 3 * c / 500, .held_out = 0.5}).held_out.sum());
  EXPECT_GT(wide.held_out.sum(), 0.9 * best);
}

// Correlations and the choice of the ridge are the same in any units: exact and landing.
TEST(Cca, UnitsOfColumnsMakeNoDifference) {
  for (const auto& files : {planted<double>(3000, 12, 10, 4), rare_columns(1500, 60)}) {
    TwoFiles<double> scaled = files;
    for (Index j = 0; j < files.left.cols(); ++j) scaled.left.col(j) *= std::pow(10.0, j % 13 - 6);
    for (Index j = 0; j < files.right.cols(); ++j) scaled.right.col(j) *= std::pow(10.0, 6 - j % 13);
    scaled.left.array().rowwise() += scaled.left.colwise().maxCoeff().array() * 3;
    for (const auto method : {FitMethod::exact, FitMethod::landing}) {
      const auto a = files.fit({.components = 3, .method = method}),
                 b = scaled.fit({.components = 3, .method = method});
      EXPECT_EQ(a.ridge_rows, b.ridge_rows);
      EXPECT_LT((a.correlations - b.correlations).cwiseAbs().maxCoeff(), 1e-6) << to_string(method);
      EXPECT_LT((a.views[1].weights.row(0) - b.views[1].weights.row(0) * 1e6).norm(),
                1e-4 * a.views[1].weights.row(0).norm());
    }
  }
}

// What is printed is what numpy.corrcoef gives for the scores, on training and held-out rows.
TEST(Cca, CorrelationsArePearsonsOfTheScores) {
  const auto files = planted<double>(1000, 8, 6, 3);
  for (const bool centred : {true, false}) {
    CcaOptions options{.components = 2, .ridge = 0.5};
    if (!centred) options.transform.centring = Centring::none;
    TwoFiles<double> moved = files;
    if (!centred) moved.left.array() += 0.3;
    const auto result = moved.fit(options);
    const Matrix<double> a = (moved.left.rowwise() - result.views[0].mean.transpose()) *
                             result.views[0].weights,
                         b = (moved.right.rowwise() - result.views[1].mean.transpose()) *
                             result.views[1].weights;
    for (Index j = 0; j < 2; ++j) {
      const Vector<double> u = a.col(j).array() - a.col(j).mean(), v = b.col(j).array() - b.col(j).mean();
      EXPECT_NEAR(result.correlations(j), u.dot(v) / (u.norm() * v.norm()), 1e-9);
      EXPECT_LT(result.regularized(j), result.correlations(j));
    }
  }
}

// Linnerud's table: chin-ups, sit-ups and jumps against weight, waist and pulse of twenty men
// (sklearn.datasets.load_linnerud). R 4.2: cancor(exercise, body)$cor; SAS and numpy print the same.
TEST(Cca, DefaultsGiveTheAnswerOfR) {
  TwoFiles<double> files{RowMatrix<double>(20, 3), RowMatrix<double>(20, 3)};
  files.left << 5, 162, 60, 2, 110, 60, 12, 101, 101, 12, 105, 37, 13, 155, 58, 4, 101, 42, 8, 101, 38, 6,
      125, 40, 15, 200, 40, 17, 251, 250, 17, 120, 38, 13, 210, 115, 14, 215, 105, 1, 50, 50, 6, 70, 31, 12,
      210, 120, 4, 60, 25, 11, 230, 80, 15, 225, 73, 2, 110, 43;
  files.right << 191, 36, 50, 189, 37, 52, 193, 38, 58, 162, 35, 62, 189, 35, 46, 182, 36, 56, 211, 38, 56,
      167, 34, 60, 176, 31, 74, 154, 33, 56, 169, 34, 50, 166, 33, 52, 154, 34, 64, 247, 46, 50, 193, 36, 46,
      202, 37, 62, 176, 37, 54, 157, 32, 52, 156, 33, 54, 138, 33, 68;
  const Vector<double> known{{0.7956081533, 0.2005560362, 0.0725702905}};
  for (const auto method : {FitMethod::automatic, FitMethod::landing}) {
    const auto result = files.fit({.method = method});
    ASSERT_EQ(result.correlations.size(), 3);
    EXPECT_LT((result.correlations - known).cwiseAbs().maxCoeff(), 1e-6) << result.correlations.transpose();
    EXPECT_TRUE(result.converged);
    EXPECT_TRUE(result.warnings.empty());
  }
}

// All levels of a category: the indicators add up to 1, so each view spans one dimension less.
TEST(Cca, AllLevelsOfACategoryAreSolvedWithinTheirRange) {
  TwoFiles<double> files{RowMatrix<double>::Zero(3000, 5), RowMatrix<double>::Zero(3000, 5)};
  for (Index i = 0; i < 3000; ++i) {
    const Index level = i * 7 % 11 % 5;
    files.left(i, level) = files.right(i, (level + i * 13 % 17 % 2) % 5) = 1;
  }
  TwoFiles<double> fewer{files.left.leftCols(4), files.right.rightCols(4)};
  const Vector<double> known = fewer.fit({.components = 4, .method = FitMethod::exact}).correlations;
  for (const auto method : {FitMethod::exact, FitMethod::landing})
    for (const Index p : {0, 4}) {
      const auto result = files.fit({.components = p, .method = method});
      ASSERT_EQ(result.correlations.size(), 4);
      EXPECT_LT((result.correlations - known).cwiseAbs().maxCoeff(), 1e-6);
      EXPECT_FALSE(result.warnings.empty());
    }
  for (const auto method : {FitMethod::exact, FitMethod::landing})
    EXPECT_THROW(files.fit({.components = 5, .method = method}), NumericalError);
}

TEST(Cca, TwoIdenticalViewsCorrelateCompletely) {
  auto files = planted<double>(2000, 10, 10, 2);
  files.right = files.left;
  for (const auto method : {FitMethod::exact, FitMethod::landing}) {
    const auto result = files.fit({.components = 3, .method = method, .relative_ridge = 1e-9});
    EXPECT_NEAR(result.correlations.sum(), 3, 1e-4);
  }
}

TEST(Cca, ColumnsThatNearlyDependOnEachOtherAreSolvedInDoubleAndWarnedOfInSingle) {
  TwoFiles<double> files{gaussian<double>(300, 3, {5, 0}), gaussian<double>(300, 2, {6, 0})};
  files.right.col(0) += files.left.col(2);
  const double known = files.fit({.components = 1, .method = FitMethod::exact}).correlations(0);
  files.left.col(2) =
      files.left.col(0) + 1e-5 * files.left.col(2);  // what correlates is a tiny part of the column
  for (const auto method : {FitMethod::exact, FitMethod::landing}) {
    const auto result = files.fit({.components = 1, .method = method});
    EXPECT_NEAR(result.correlations(0), known, 1e-6);
    EXPECT_TRUE(result.warnings.empty());
  }
  const TwoFiles<float> rounded{files.left.cast<float>(), files.right.cast<float>()};
  const auto found = rounded.fit({.components = 1, .method = FitMethod::landing}).warnings;
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(std::ranges::any_of(found, [](const std::string& warning) {
    return warning.starts_with("left: its columns nearly depend on each other");
  })) << found[0];
}

// Views of condition 1e5: covariances, of condition 1e10, lose correlations from the fourth digit on. The same views without the
// mixing have the same correlations.
TEST(Cca, IllConditionedViewsAreSolvedToSixDigits) {
  const Matrix<double> shared = gaussian<double>(200, 2, {31, 0});
  TwoFiles<double> files{gaussian<double>(200, 6, {32, 0}), gaussian<double>(200, 6, {33, 0})};
  files.left.leftCols(2) += 2 * shared;
  files.right.leftCols(2) += shared;
  const Vector<double> known = files.fit({.method = FitMethod::exact}).correlations;
  const Vector<double> spectrum =
      Vector<double>::LinSpaced(6, 0, -5).unaryExpr([](double e) { return std::pow(10, e); });
  const auto mixed = [&](const RowMatrix<double>& rows, unsigned seed) {
    return RowMatrix<double>(rows * random_orthonormal(6, 6, {seed, 0}) * spectrum.asDiagonal() *
                             random_orthonormal(6, 6, {seed, 1}));
  };
  files = {mixed(files.left, 34), mixed(files.right, 35)};
  for (const auto method : {FitMethod::exact, FitMethod::landing}) {
    const auto result = files.fit({.method = method});
    EXPECT_LT((result.correlations - known).cwiseAbs().maxCoeff(), 1e-6) << result.correlations.transpose();
    EXPECT_TRUE(result.warnings.empty());
  }
}

// Tables of few rows often have one that makes up a quarter of a variance, as Libya does in LifeCycleSavings of R. Landing has all
// rows in memory there, and solves them.
TEST(Cca, LandingSolvesRowsThatItHasAllInMemory) {
  TwoFiles<double> files{gaussian<double>(40, 6, {41, 0}), gaussian<double>(40, 5, {42, 0})};
  files.right.col(0) += files.left.col(1);
  files.left.row(3) *= 10;
  files.right.row(7) *= 10;
  const auto exact = files.fit({.method = FitMethod::exact}),
             landing = files.fit({.method = FitMethod::landing});
  EXPECT_LT((exact.correlations - landing.correlations).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_TRUE(landing.converged);
}

TEST(Cca, ConstantAndDuplicateColumnsAreHarmless) {
  auto files = planted<double>(2000, 12, 10, 3);
  const double plain = files.fit({.components = 3}).correlations.sum();
  files.left.conservativeResize(Eigen::NoChange, 14);
  files.left.col(12).setConstant(5);
  files.left.col(13) = files.left.col(0);
  for (const auto method : {FitMethod::exact, FitMethod::landing}) {
    const auto result = files.fit({.components = 3, .method = method});
    EXPECT_EQ(result.views[0].dropped, std::vector<Index>{12});
    EXPECT_TRUE(result.views[0].weights.row(12).isZero(0));
    EXPECT_NEAR(result.correlations.sum(), plain, 0.01);
    EXPECT_TRUE(result.views[0].weights.allFinite());
  }
}

/// The sentence of the error that the fit ends with.
template <class Error>
std::string refusal(const TwoFiles<double>& files, const CcaOptions& options) {
  try {
    files.fit(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Cca, WhatCannotBeAnsweredIsSaid) {
  auto files = planted<double>(300, 12, 10, 3);
  EXPECT_EQ(refusal<NumericalError>(files, {.components = 11}),
            "right: 10 non-constant columns, expected at least p = 11");
  EXPECT_EQ(refusal<UsageError>(files, {.components = -1}), "p must not be negative, got -1");
  EXPECT_EQ(refusal<UsageError>(files, {.components = 1, .ridge = -1}),
            "a ridge must not be negative, got -1");
  files.left.rightCols(10) = files.left.leftCols(2).replicate(1, 5);  // rank 2
  for (const auto method : {FitMethod::exact, FitMethod::landing})
    EXPECT_EQ(refusal<NumericalError>(files, {.components = 4, .method = method}),
              "left: rank 2 on the training rows, expected at least p = 4");
  const auto within = files.fit({.components = 1, .method = FitMethod::exact, .ridge = 0});
  EXPECT_EQ(within.warnings,
            std::vector<std::string>{
                "left: 10 of 12 columns depend on the others; solved within the 2 dimensions they span"});
  EXPECT_EQ(files.fit({.method = FitMethod::exact}).correlations.size(), 2);  // p is left to the model
  files.right.setConstant(1);
  EXPECT_EQ(refusal<DataError>(files, {.components = 1}), "right: all 10 columns are constant");
}

TEST(Cca, FewerRowsThanColumns) {
  const auto files = planted<double>(30, 60, 50, 3);
  for (const auto method : {FitMethod::exact, FitMethod::landing}) {
    const auto result = files.fit({.components = 3, .method = method, .relative_ridge = 0.1});
    EXPECT_TRUE(result.views[0].weights.allFinite());
    EXPECT_GT(result.correlations.minCoeff(), 0);
    EXPECT_LT(result.correlations.maxCoeff(), 1);
  }
}

// The first rows hardly show the rare columns. Without a ridge that fades, the pilot fits their noise: one pass then leaves twice the gap, and the
// estimate of it is thirty times too large.
TEST(Cca, OnePassIsEnoughWhereColumnsAreRare) {
  const auto files = planted_sparse<float>(20000, 600, {0.7, 0.5});
  const CcaOptions options{.components = 2, .ridge = 0, .folds = 0};
  CcaOptions exact = options, landing = options;
  exact.method = FitMethod::exact;
  landing.method = FitMethod::landing;
  landing.passes = 1;
  const double best = files.fit(exact).regularized.sum();
  const auto result = files.fit(landing);
  const double gap = 1 - result.regularized.sum() / best;
  EXPECT_LT(gap, 0.01);
  EXPECT_LT(result.estimated_gap, 4 * gap);
  EXPECT_GT(result.estimated_gap, gap / 4);
}

}  // namespace landfall::test::cca_test
