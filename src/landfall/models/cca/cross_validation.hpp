// Cross-validated canonical correlations: pairs are found in all folds of the rows but one and tested on that one.
//
//   std::vector<landfall::SourcePtr<float>> views;                 // left and right
//   landfall::DataStream<float> stream(std::move(views), {});
//   const auto folds = landfall::fold_covariances<float>(stream, 5, seed);
//   const auto tested = landfall::cross_validate_cca(folds, {.components = 3});
//   use(tested.correlations, tested.errors);
//
// The covariances of the rows to fit are those of all rows less those of the fold, so one reading serves all folds.
#pragma once

#include <landfall/models/fit/covariance.hpp>
#include <landfall/parallel/cancel.hpp>

#include <string>
#include <vector>

namespace landfall {

struct CrossValidated {
  int folds = 0;   // 0: none
  Index rows = 0;  // in them
  Vector<double>
      correlations;  // of the scores of all rows, each by weights that were found without its fold, centred by fold
  Vector<double> errors;   // standard errors, from the correlations of the folds
  Matrix<double> by_fold;  // a column for each fold
};

struct CrossValidationOptions {
  Index components = 1;
  double ridge = 0;            // of both views, in the coordinates of the covariances
  bool ridge_of_rows = false;  // it is c/N of all rows: folds have fewer
  Point<double> basis =
      {};  // T of each view, where the covariances are those of scores T'a; empty: of columns
  CancelFlag cancel = {};
};

/// Folds without rows to fit or to test on are left out; no folds in the result where fewer than two are left.
CrossValidated cross_validate_cca(const std::vector<FoldCovariances>& folds,
                                  const CrossValidationOptions& options);

/// Sums over the rows of a fold, of scores with unit variance on the rows to fit.
struct FoldScores {
  Vector<double> left, right, cross;  // variances and covariances
  Index rows = 0;
  double weight = 0;  // of these; their number where they have no weights
};
CrossValidated pooled(const std::vector<FoldScores>& folds);

/// Whether covariances of folds can say something: at least four rows in each.
bool has_rows_for_folds(Index rows, int folds, Index p);

/// The standard error of a cross-validated correlation, for tests: that of its folds, which are few, but no less than 1/sqrt(N), which
/// unrelated scores have; times the factor by which Nadeau and Bengio (2003) correct for folds that are fitted to mostly the same rows, 1.5 of
/// five folds. Without it a pair of noise would be two standard errors above 0 in one table of fourteen.
double chance_error(const CrossValidated& tested, Index pair);

/// How many pairs there are before the first whose cross-validated correlation is not two standard errors above 0.
Index real_pairs(const CrossValidated& tested);

/// A sentence where a training correlation above 0.3 loses more than half in cross-validation, and more than two standard
/// errors; else empty. Weaker pairs always lose most of theirs, and nobody relies on them.
std::string overfit_warning(const Vector<double>& training, const CrossValidated& tested, Index rows,
                            Index columns);

}  // namespace landfall
