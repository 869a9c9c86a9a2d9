// Folds by subtraction against folds by hand, and the warning of a fit that follows noise.
#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/leading_pairs.hpp>

#include <algorithm>

#include "support.hpp"
#include <data/memory_source.hpp>
#include <models/linnerud.hpp>
#include <models/pearson.hpp>

namespace landfall::test::cross_validation_test {

struct Views {
  RowMatrix<double> left, right;

  CcaResult<double> fit(const CcaOptions& options) const {
    return fit_cca<double>(std::make_unique<landfall::MemorySource<double>>(left, "left"),
                           std::make_unique<landfall::MemorySource<double>>(right, "right"), options);
  }
  Views rows(const std::vector<Index>& numbers) const {
    return {left(numbers, Eigen::all), right(numbers, Eigen::all)};
  }
};

Views noisy(Index rows, Index left, Index right, Index shared, std::uint64_t seed) {
  Views views{gaussian<double>(rows, left, {seed, 0}), gaussian<double>(rows, right, {seed, 1})};
  views.right.leftCols(shared) += views.left.leftCols(shared);
  views.left.array() += 3;  // means that every fold must take off
  return views;
}

std::string warning_of(const CcaResult<double>& result) {
  const auto at = std::ranges::find_if(result.warnings,
                                       [](const std::string& w) { return w.starts_with("overfitting"); });
  return at == result.warnings.end() ? "" : *at;
}

TEST(CrossValidation, IsWhatFitsWithoutEachFoldGive) {
  const Views all = noisy(300, 6, 5, 2, 1);
  constexpr int kFolds = 4;
  const auto result = all.fit({.components = 3, .folds = kFolds, .seed = 9});
  ASSERT_EQ(result.cross_validated.folds, kFolds);
  Vector<double> left = Vector<double>::Zero(3), right = left, cross = left;
  for (int fold = 0; fold < kFolds; ++fold) {
    std::vector<Index> in, out;
    for (Index i = 0; i < 300; ++i) (fold_of(i, kFolds, 9) == fold ? out : in).push_back(i);
    const auto fitted = all.rows(in).fit({.components = 3, .folds = 0});
    EXPECT_EQ(fitted.cross_validated.folds, 0);
    const Views test = all.rows(out);
    Matrix<double> a = test.left * fitted.views[0].weights, b = test.right * fitted.views[1].weights;
    const Matrix<double> r = pearson(a, b);
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(result.cross_validated.by_fold(j, fold), r(j, j), 1e-8);
    a.rowwise() -= a.colwise().mean().eval();
    b.rowwise() -= b.colwise().mean().eval();
    left += a.colwise().squaredNorm().transpose();
    right += b.colwise().squaredNorm().transpose();
    cross += a.cwiseProduct(b).colwise().sum().transpose();
  }
  const Vector<double> expected = cross.cwiseQuotient(left.cwiseProduct(right).cwiseSqrt());
  EXPECT_LT((result.cross_validated.correlations - expected).norm(), 1e-8);
  EXPECT_GT(result.cross_validated.errors.minCoeff(), 0);
}

TEST(CrossValidation, OfNoiseIsNearZeroAndWarned) {
  const Views noise = noisy(60, 25, 25, 0, 4);
  const auto result = noise.fit({.components = 5, .ridge = 0});
  EXPECT_GT(result.correlations(0), 0.9);
  ASSERT_EQ(result.cross_validated.folds, 5);
  // Pearson's correlation of 60 unrelated pairs of numbers has the standard error 0.13
  EXPECT_LT(result.cross_validated.correlations.cwiseAbs().maxCoeff(), 0.45);
  EXPECT_NE(warning_of(result).find("60 rows are few for 50 columns"), std::string::npos)
      << warning_of(result);
}

TEST(CrossValidation, OfRealPairsIsNearTheTrainingOnesAndNotWarned) {
  const Views real = noisy(4000, 6, 5, 2, 5);
  const auto result = real.fit({.components = 2});
  EXPECT_LT((result.correlations - result.cross_validated.correlations).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_EQ(warning_of(result), "");
}

/// 0.12 on the training rows, about 0 on others: every table has such pairs, and nobody relies on them.
TEST(CrossValidation, WeakPairsAreNotWarnedOf) {
  const Views real = noisy(400, 6, 5, 2, 5);
  const auto result = real.fit({});
  ASSERT_EQ(result.correlations.size(), 5);
  EXPECT_LT(result.cross_validated.correlations.minCoeff(), 0);
  EXPECT_EQ(warning_of(result), "");
}

/// Twenty rows say too little for a word, neither way.
TEST(CrossValidation, ALossWithinItsErrorIsNotWarnedOf) {
  const Views club{linnerud(0), linnerud(3)};
  const auto result = club.fit({});
  EXPECT_EQ(result.cross_validated.folds, 5);
  EXPECT_EQ(warning_of(result), "");
}

/// The folds of nearly dependent columns are solved in the coordinates of the fit: covariances of columns have lost what differs.
TEST(CrossValidation, DoesNotDependOnTheConditionOfTheColumns) {
  Views views = noisy(400, 4, 3, 1, 6);
  const auto known = views.fit({});
  views.left.col(0) = views.left.col(1) + 1e-5 * views.left.col(0);  // what correlates
  const auto found = views.fit({});
  EXPECT_LT((found.correlations - known.correlations).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((found.cross_validated.correlations - known.cross_validated.correlations).cwiseAbs().maxCoeff(),
            1e-6);
}

TEST(CrossValidation, NeedsRows) {
  EXPECT_EQ(noisy(12, 2, 2, 1, 6).fit({.components = 1}).cross_validated.folds, 0);
  EXPECT_EQ(noisy(200, 3, 3, 1, 6).fit({.components = 1, .folds = 0}).cross_validated.folds, 0);
}

/// Landing fits again for each fold; the folds are the same.
TEST(CrossValidation, OfLandingIsNearThatOfTheExactMethod) {
  const Views real = noisy(3000, 8, 7, 2, 7);
  const CcaOptions options{.components = 2, .folds = 3};
  CcaOptions landing = options;
  landing.method = FitMethod::landing;
  const auto exact = real.fit(options), landed = real.fit(landing);
  ASSERT_EQ(landed.cross_validated.folds, 3);
  EXPECT_EQ(landed.method, FitMethod::landing);
  EXPECT_LT((exact.cross_validated.by_fold - landed.cross_validated.by_fold).cwiseAbs().maxCoeff(), 0.01);
  landing.folds.reset();
  EXPECT_EQ(real.fit(landing).cross_validated.folds, 0);
}

/// Counts what is read.
struct CountedSource final : landfall::ForwardedSource<double> {
  CountedSource(SourcePtr<double> source, Index& read)
      : ForwardedSource(std::move(source)), rows_read(read) {}
  Index read(Index count, Batch<double>& batch) override {
    const Index rows = source().read(count, batch);
    rows_read += rows;
    return rows;
  }
  Index& rows_read;
};

/// Folds of landing are fitted at once: each as if it were fitted alone, all with one reading.
TEST(CrossValidation, OfLandingSharesTheReading) {
  const Views real = noisy(3000, 8, 7, 2, 7);
  for (const bool in_order : {true, false}) {
    SCOPED_TRACE(in_order);
    const auto fit = [&](const CcaOptions& options, Index& rows_read) {
      const auto view = [&](const RowMatrix<double>& rows, const char* name) {
        return std::make_unique<CountedSource>(std::make_unique<MemorySource<double>>(MemoryFile<double>{
                                                   .rows = rows, .name = name, .random_access = !in_order}),
                                               rows_read);
      };
      return fit_cca<double>(view(real.left, "left"), view(real.right, "right"), options);
    };
    CcaOptions options{.components = 2, .method = FitMethod::landing, .passes = 3};
    Index once = 0, shared = 0, ignored = 0;
    fit(options, once);
    options.folds = 4;
    const auto together = fit(options, shared);
    for (options.fold = 0; options.fold < 4; ++options.fold)
      EXPECT_EQ(Vector<double>(together.cross_validated.by_fold.col(options.fold)),
                fit(options, ignored).held_out);
    // The folds have a reading more, of the rows to test on. Single rows of a source in any order are not counted.
    if (in_order) {
      EXPECT_LT(shared, 3 * once);
    }
  }
}

TEST(LeadingPairs, ByKrylovFindWhatStandsOut) {
  const Views views = noisy(4000, 220, 210, 3, 8);
  const Matrix<double> x = views.left.rowwise() - views.left.colwise().mean(),
                       y = views.right.rowwise() - views.right.colwise().mean();
  Matrix<double> bx(220, 220), by(210, 210), c(220, 210);  // by BLAS: tests are not optimised
  multiply_at<double>(x, x, bx, 1. / 4000);
  multiply_at<double>(y, y, by, 1. / 4000);
  multiply_at<double>(x, y, c, 1. / 4000);
  const auto exact = views.fit({.components = 3, .ridge = 0, .folds = 0});
  const auto found = leading_pairs({bx, by, c}, 3);
  EXPECT_LT((found.correlations - exact.correlations).norm(), 1e-8);
  EXPECT_LT((found.left.transpose() * bx * found.left - Matrix<double>::Identity(3, 3)).norm(), 1e-8);
  EXPECT_LT((found.right.transpose() * by * found.right - Matrix<double>::Identity(3, 3)).norm(), 1e-8);
  EXPECT_LT((Matrix<double>(found.left.transpose() * c * found.right).diagonal() - found.correlations).norm(),
            1e-8);
}

TEST(LeadingPairs, OfDependentColumnsAreThoseOfTheirSpan) {
  Views views = noisy(200, 4, 3, 1, 9);
  const auto problem = [](const Views& v) {
    const Matrix<double> x = v.left.rowwise() - v.left.colwise().mean(),
                         y = v.right.rowwise() - v.right.colwise().mean();
    return PairProblem{x.transpose() * x, y.transpose() * y, x.transpose() * y};
  };
  const auto plain = leading_pairs(problem(views), 2);
  views.left.conservativeResize(Eigen::NoChange, 5);
  views.left.col(4) = views.left.col(0) + views.left.col(1);
  EXPECT_LT((leading_pairs(problem(views), 2).correlations - plain.correlations).norm(), 1e-8);
  EXPECT_EQ(leading_pairs(problem(views), 7).correlations.size(), 3);
}

}  // namespace landfall::test::cross_validation_test
