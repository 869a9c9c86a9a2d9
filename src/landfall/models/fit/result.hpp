// What every model returns: the weights of each view, how the fit was done and what it cost.
//
//   #include <landfall/data/formats/open_source.hpp>
//   #include <landfall/models/cca/cca.hpp>
//   const auto result = landfall::fit_cca<float>(landfall::open_source<float>("left.npy"),
//                                                landfall::open_source<float>("right.npy"), {.components = 5});
//   use(result.method_name, result.reason, result.views[0].weights, result.seconds.solve);
//   use(landfall::transform(result.views[0], batch));    // scores: (A - mean) weights
#pragma once

#include <landfall/data/rows/batch.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/models/fit/method.hpp>
#include <landfall/models/fit/ridge.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace landfall {

template <class S>
struct FittedView {
  Matrix<S> weights;                // one row per column of the file; zeros where a column was dropped
  Vector<double> mean;              // of every column, 0 where nothing is centred
  std::vector<Index> dropped;       // constant columns
  double ridge = 0;                 // as FitResult::ridge_kind says
  double infeasibility = 0;         // ||X'BX - I||_F on all training rows, of these weights
  double method_infeasibility = 0;  // the same as the method left it, before the last rotation

  /// Pearson's correlations of the columns of the file (rows) with the scores (columns), on the training rows: those of this
  /// view, and for CCA those of the other. 0 for a dropped column; empty: not computed.
  Matrix<double> loadings = {}, cross_loadings = {};
  /// The share of the variance of the view that each score has: the mean of its squared loadings; for ICA in the units
  /// of the file. Redundancy: the mean of the squared cross loadings.
  Vector<double> explained = {}, redundancy = {};
};

template <class S>
struct FitResult {
  std::vector<FittedView<S>> views;
  FitMethod method = FitMethod::landing;
  std::string_view method_name = "landing";  // of a baseline its own
  std::string reason;
  RidgeKind ridge_kind = RidgeKind::automatic;
  double ridge_rows = 0;  // c of an automatic ridge
  Index samples = 0, held_out_samples = 0;
  /// Of these rows, as given; 0 where rows have no weights.
  double sum_of_weights = 0, held_out_sum_of_weights = 0;
  double stationarity = 0;
  std::optional<double> estimated_gap =
      {};             // of landing: how far the objective is from its optimum, relative to it
  double passes = 0;  // readings of the training rows by the method; those for means and evaluation are extra
  bool mean_pass = false;
  std::uint64_t iterations = 0;
  Index batch = 0;
  int back_offs = 0;
  AdaptiveChoice choice;  // of landing
  Termination termination = Termination::converged;
  bool converged = true;  // false: more passes would change the result
  std::vector<std::string>
      warnings;  // what the data made the fit do, and how far to trust it; a sentence each
  std::vector<Progress> history;
  struct Seconds {
    double read = 0, solve = 0, evaluate = 0;  // read: opening and the readings before the method starts
  } seconds;
};

/// Scores of rows of a view's file: (A - mean) weights.
template <class S>
Matrix<S> transform(const FittedView<S>& view, const Batch<S>& rows);

#define LANDFALL_FIT_RESULT(EXTERN, S)  \
  EXTERN template struct FittedView<S>; \
  EXTERN template struct FitResult<S>;  \
  EXTERN template Matrix<S> transform<S>(const FittedView<S>&, const Batch<S>&);
LANDFALL_FIT_RESULT(extern, float)
LANDFALL_FIT_RESULT(extern, double)

}  // namespace landfall
