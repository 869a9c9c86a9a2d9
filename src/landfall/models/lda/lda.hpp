// Linear discriminant analysis: the directions X in which the means of classes differ most, against how the
// rows differ within a class: maximise tr X'S_b X subject to X'(S_w + ridge I)X = I.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto labels = landfall::read_labels("species.csv");
//   const auto result = landfall::fit_lda<float>(landfall::open_source<float>("iris.npy"), labels,
//                                                {.components = 2});
//   use(result.weights, result.eigenvalues, result.training_accuracy);    // scores: (A - mean) weights
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
#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/result.hpp>
#include <landfall/models/fit/method.hpp>

#include <optional>
#include <string>

namespace landfall {

struct LdaOptions {
  Index components = 0;  // p; 0: as many as there are, C - 1 or the number of columns
  FitMethod method = FitMethod::automatic;
  std::optional<double> ridge = {};  // absolute
  /// Times the mean variance of the columns, where no absolute one is given. But for the ridge LDA does not
  /// depend on the scale of each column, so it is only as large as the rounding of a singular covariance asks
  /// for. Unset: 1e-6 in single precision, 1e-8 in double.
  std::optional<double> relative_ridge = {};
  double passes = 4;        // of landing
  Index batch = 0;          // rows per step of landing; 0: 128, or 8p if that is more
  Index first_rows = 4096;  // that landing looks at first, and keeps in memory
  /// Columns landing carries beside the p that are wanted; the best p are taken at the end. Unset: 16, or p
  /// if that is more, never beyond C - 1 in all.
  std::optional<Index> guard = {};
  /// Of landing, by hand. Its passes, batch and seed are those above and below.
  AdaptiveOptions landing = {};
  std::uint64_t memory = std::uint64_t{2} << 30;  // bytes that the method may use
  double held_out = 0;                            // fraction of the rows to test on
  TransformOptions transform = {};                // centring is automatic or exact
  std::uint64_t seed = 0;
  std::function<bool(const Progress&)> observer = {};  // after every step of landing; false ends the run
  Checkpoints checkpoints = {};                        // of landing
};

template <class S>
struct LdaResult {
  Matrix<S> weights;           // one row per column of the file; zeros where a column was dropped
  Vector<double> mean;         // of every column
  std::vector<Index> dropped;  // constant columns
  std::vector<std::string> classes;
  Matrix<double> centres;          // scores of the means of the classes, p x C
  Vector<double> priors;           // shares of the training rows; 0: a class that none of them is of
  Vector<double> eigenvalues;      // of (S_w + ridge I)^-1 S_b on the training rows, descending
  Vector<double> explained_ratio;  // over the sum of all C - 1; empty: landing did not carry as many columns
  /// Shares of rows whose class has the nearest centre: Euclidean distances of scores, which are
  /// Mahalanobis's within classes. Priors do not count.
  double training_accuracy = 0;
  std::optional<double> held_out_accuracy;
  double ridge = 0;
  FitMethod method = FitMethod::exact;
  std::string reason;
  Index samples = 0, held_out_samples = 0;
  double infeasibility = 0;  // landing: ||X'(S_t + ridge I)X - I||_F on all training rows, as it left X;
                             // exact: of the weights, with S_w
  double stationarity = 0;
  double passes = 0;  // readings of the training rows by the method; means and evaluation take four more
  std::uint64_t iterations = 0;
  Index batch = 0;
  int back_offs = 0;
  AdaptiveChoice choice;  // of landing
  Termination termination = Termination::converged;
  std::vector<Progress> history;
  struct Seconds {
    double read = 0, solve = 0, evaluate = 0;  // read: opening and the readings for the means
  } seconds;
};

/// Labels are those of the rows of the data, by their numbers. DataError for fewer than two classes or for
/// another number of labels than rows, UsageError for p above C - 1, NumericalError where S_w is singular and
/// there is no ridge.
template <class S>
LdaResult<S> fit_lda(SourcePtr<S> data, const Labels& labels, const LdaOptions& options = {});

/// Scores of rows: (A - mean) weights.
template <class S>
Matrix<S> transform(const LdaResult<S>& result, const Batch<S>& rows);

/// The number of the class of each row in result.classes: that with the nearest centre.
template <class S>
std::vector<Index> predict(const LdaResult<S>& result, const Batch<S>& rows);

/// The share of the rows whose class is predicted; classes are compared by name.
template <class S>
double score(const LdaResult<S>& result, const Batch<S>& rows, const Labels& labels);

#define LANDFALL_LDA(EXTERN, S)                                                            \
  EXTERN template LdaResult<S> fit_lda<S>(SourcePtr<S>, const Labels&, const LdaOptions&); \
  EXTERN template Matrix<S> transform<S>(const LdaResult<S>&, const Batch<S>&);            \
  EXTERN template std::vector<Index> predict<S>(const LdaResult<S>&, const Batch<S>&);     \
  EXTERN template double score<S>(const LdaResult<S>&, const Batch<S>&, const Labels&);
LANDFALL_LDA(extern, float)
LANDFALL_LDA(extern, double)

}  // namespace landfall
