// Canonical correlation analysis: the directions X, Y of two views whose scores correlate most: maximise
// tr X'S_xy Y subject to X'(S_xx + ridge I)X = Y'(S_yy + ridge I)Y = I.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto result = landfall::fit_cca<float>(landfall::open_source<float>("left.npy"),
//                                                landfall::open_source<float>("right.npy"),
//                                                {.components = 5});
//   use(result.correlations, result.warnings, result.views[0].weights);    // scores: (A - mean) weights
//
// By default nothing needs tuning: covariances and LAPACK while they fit in memory and take less time, else
// landing.
#pragma once

#include <landfall/models/cca/cross_validation.hpp>
#include <landfall/models/cca/resampling.hpp>
#include <landfall/models/cca/wilks.hpp>
#include <landfall/models/fit/observer.hpp>
#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/models/fit/result.hpp>

namespace landfall {

/// Defaults: p = 10, or the columns of the smaller view if these are fewer; no ridge where the problem
/// is well posed, else that of ridge_choice.hpp; 4 passes; batches of 128
/// rows (sparse 1024), or 8p if that is more; 4 guard columns, or p/4 if that is more (defaults.hpp).
using CcaOptions = FitOptions;

template <class S>
struct CcaResult : FitResult<S> {  // views: left, right
  Vector<double> correlations;     // Pearson's, of the scores of the training rows
  Vector<double> regularized;      // what is maximised: the same in the metric with the ridge
  Vector<double> held_out;         // Pearson's, of the scores of the held-out rows; empty: there are none

  /// The columns of each view from the scores s of the other: mean + prediction s, the regression on them. Empty as the loadings.
  std::array<Matrix<double>, 2> prediction;
  /// The same from the scores of their own view: what brings scores back to columns.
  std::array<Matrix<double>, 2> regression;
  std::array<Matrix<double>, 2> score_moments;  // E s s' of the scores of each view, without the ridge
  std::array<Vector<double>, 2> prediction_r2;  // of each column on the held-out rows; empty: there are none

  // How far to trust them.
  CrossValidated cross_validated;  // none where rows or memory do not allow it
  std::vector<WilksTest> wilks;    // of an exact fit without a ridge to more rows than columns; else empty
  PermutationTest permutation;     // where the options ask for it
  CcaBootstrap
      bootstrap;  // the same; its loadings have a row for each column of the file, zeros for dropped ones
};

template <class S>
CcaResult<S> fit_cca(SourcePtr<S> left, SourcePtr<S> right, const CcaOptions& options,
                     FitObserver<S>* observer = nullptr);

/// What fit_cca would do, and why, without doing it: both methods with their memory and time.
template <class S>
Plan plan_cca(Source<S>& left, Source<S>& right, const CcaOptions& options);

/// The warning that correlations are mostly chance, where cross-validation says so, in place of an earlier one.
template <class S>
void warn_of_overfitting(CcaResult<S>& result);

#define LANDFALL_CCA(EXTERN, S)                                                                            \
  EXTERN template struct CcaResult<S>;                                                                     \
  EXTERN template CcaResult<S> fit_cca<S>(SourcePtr<S>, SourcePtr<S>, const CcaOptions&, FitObserver<S>*); \
  EXTERN template Plan plan_cca<S>(Source<S>&, Source<S>&, const CcaOptions&);                             \
  EXTERN template void warn_of_overfitting<S>(CcaResult<S>&);
LANDFALL_CCA(extern, float)
LANDFALL_CCA(extern, double)

}  // namespace landfall
