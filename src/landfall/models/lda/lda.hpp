// Linear discriminant analysis: the directions X in which the means of classes differ most, against how the
// rows differ within a class: maximise tr X'S_b X subject to X'(S_w + ridge I)X = I.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto labels = landfall::read_labels("species.csv");
//   const auto result = landfall::fit_lda<float>(landfall::open_source<float>("iris.npy"), labels,
//                                                {.components = 2});
//   use(result.views[0].weights, result.eigenvalues, result.training_accuracy);
//   for (const landfall::Index c : landfall::predict(result, batch)) use(result.classes[c]);
//
// By default nothing needs tuning: covariances and LAPACK while they fit in memory and take less time, else
// landing.
// - One reading gives the means of the columns, one those of the classes, and with them S_b, which has a rank
//   below the number of classes C: n x C numbers, never n x n.
// - The solvers work on X'(S_t + ridge I)X = I with S_t = S_w + S_b, whose products need no labels. The
//   directions are the same, and a value mu there is lambda = mu / (1 - mu) here.
// - The end is a Rayleigh-Ritz step with S_w from the scores of all training rows.
#pragma once

#include <landfall/data/formats/labels.hpp>
#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/models/fit/result.hpp>

#include <optional>
#include <string>

namespace landfall {

/// Defaults: p = C - 1, or the number of columns if that is less; no ridge, but one of 30
/// rows where there are fewer than 1.5 rows to a column; 4 passes; batches of 128 rows (sparse 1024), or 8p if that is more; 16 guard
/// columns, or p if that is more, never beyond C - 1 in all (defaults.hpp). Centring is automatic or exact.
using LdaOptions = FitOptions;

/// The infeasibility of its view is that of the weights with S_w; of the method with S_t.
template <class S>
struct LdaResult : FitResult<S> {
  std::vector<std::string> classes;
  Matrix<double> centres;      // scores of the means of the classes, p x C
  Vector<double> priors;       // shares of the training rows, or their weights; 0: a class that none is of
  Vector<double> eigenvalues;  // of (S_w + ridge I)^-1 S_b on the training rows, descending
  Vector<double> explained_ratio;  // over the sum of all C - 1; empty: landing did not carry as many columns
  /// Shares of rows whose class is predicted: the most likely one for Gaussian classes with the covariance S_w, by
  /// the distance of scores from the centres and the priors.
  double training_accuracy = 0;
  /// Structure correlations within classes, as SPSS has them: those of the deviations of columns and scores from the means of
  /// their classes. The loadings of the view are those of all rows.
  Matrix<double> within_loadings;
  std::optional<double> held_out_accuracy;
  Matrix<double> confusion,
      held_out_confusion;  // rows, or the sum of their weights, of each class (row) that were predicted to be of each (column); empty: no such rows
};

/// Of each class: the share of the rows predicted to be of it that are, and of its rows that were predicted to be. 0 for no such rows.
struct ClassRates {
  Vector<double> precision, recall;
};
ClassRates class_rates(const Matrix<double>& confusion);

/// Labels are those of the rows of the data, by their numbers. DataError for fewer than two classes or for
/// another number of labels than rows, NumericalError for p above C - 1 and where S_w is singular and
/// there is no ridge.
template <class S>
LdaResult<S> fit_lda(SourcePtr<S> data, const Labels& labels, const LdaOptions& options = {});

/// What fit_lda would do, and why, without doing it: both methods with their memory and time.
template <class S>
Plan plan_lda(Source<S>& data, const Labels& labels, const LdaOptions& options);

/// The number of the most likely class of each row in result.classes.
template <class S>
std::vector<Index> predict(const LdaResult<S>& result, const Batch<S>& rows);

/// The share of the rows whose class is predicted; classes are compared by name.
template <class S>
double score(const LdaResult<S>& result, const Batch<S>& rows, const Labels& labels);

#define LANDFALL_LDA(EXTERN, S)                                                            \
  EXTERN template struct LdaResult<S>;                                                     \
  EXTERN template LdaResult<S> fit_lda<S>(SourcePtr<S>, const Labels&, const LdaOptions&); \
  EXTERN template Plan plan_lda<S>(Source<S>&, const Labels&, const LdaOptions&);          \
  EXTERN template std::vector<Index> predict<S>(const LdaResult<S>&, const Batch<S>&);     \
  EXTERN template double score<S>(const LdaResult<S>&, const Batch<S>&, const Labels&);
LANDFALL_LDA(extern, float)
LANDFALL_LDA(extern, double)

}  // namespace landfall
