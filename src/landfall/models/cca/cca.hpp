// Canonical correlation analysis: the directions X, Y of two views whose scores correlate most: maximise
// tr X'S_xy Y subject to X'(S_xx + ridge I)X = Y'(S_yy + ridge I)Y = I.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto result = landfall::fit_cca<float>(landfall::open_source<float>("left.npy"),
//                                                landfall::open_source<float>("right.npy"),
//                                                {.components = 5});
//   use(result.correlations, result.views[0].weights);    // scores: (A - mean) weights
//
// By default nothing needs tuning: covariances and LAPACK while they fit in memory and take less time, else
// landing.
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/result.hpp>
#include <landfall/models/fit/method.hpp>

#include <array>
#include <optional>
#include <string>

namespace landfall {

struct CcaOptions {
  Index components = 1;  // p
  FitMethod method = FitMethod::automatic;
  std::string baseline = {};  // of baselines/registry.hpp; then it is the method, with the step of `landing`
  std::optional<double> ridge = {};  // absolute
  /// Times the mean variance of the view, where no absolute one is given. Unset: 1e-3; where fewer than a
  /// tenth of the entries are not zero 4 n / N, if that is more (docs/method.md).
  std::optional<double> relative_ridge = {};
  double passes = 4;        // of landing
  Index batch = 0;          // rows per step of landing; 0: 128, or 8p if that is more
  Index first_rows = 4096;  // that landing looks at first, and keeps; fewer where memory is short
  /// Columns landing carries beside the p that are wanted, so that close correlations beyond p do not slow
  /// it down; the best p are taken at the end. Unset: 4, or p/4 if that is more.
  std::optional<Index> guard = {};
  /// Of landing, by hand. Its passes, batch and seed are those above and below.
  AdaptiveOptions landing = {};
  std::uint64_t memory = std::uint64_t{2} << 30;  // bytes that the method may use
  double held_out = 0;                            // fraction of the rows to test on
  TransformOptions transform = {};
  std::uint64_t seed = 0;
  std::function<bool(const Progress&)> observer = {};  // after every step of landing; false ends the run
  Checkpoints checkpoints = {};                        // of landing
  /// Passes of landing between evaluations on all rows, by covariances (n^2 memory), while its clock stands
  /// still; 0: none.
  double curve_every = 0;
};

/// How far landing was.
struct CurvePoint {
  double passes = 0, seconds = 0;
  double total_correlation = 0;  // of the best p pairs within the columns that landing carries
  double infeasibility = 0;      // of all these columns, both views
};

template <class S>
struct CcaView {
  Matrix<S> weights;           // one row per column of the file; zeros where a column was dropped
  Vector<double> mean;         // of every column, 0 where nothing is centred
  std::vector<Index> dropped;  // constant columns
  double ridge = 0;
  double infeasibility = 0;  // ||X'BX - I||_F on all training rows, as the method left it
};

template <class S>
struct CcaResult {
  Vector<double> correlations;  // on the training rows, in the metric with the ridge
  Vector<double> held_out;  // plain correlations of the scores of the held-out rows; empty: there are none
  std::array<CcaView<S>, 2> views;  // left, right
  FitMethod method = FitMethod::exact;
  std::string_view method_name;  // of a baseline its own
  std::string reason;
  Index samples = 0, held_out_samples = 0;
  double stationarity = 0;
  double passes = 0;  // readings of the training rows by the method; those for mean and evaluation are apart
  bool mean_pass = false;
  std::uint64_t iterations = 0;
  Index batch = 0;
  int back_offs = 0;
  AdaptiveChoice choice;  // of landing
  Termination termination = Termination::converged;
  std::vector<Progress> history;
  std::vector<CurvePoint> curve;  // with CcaOptions::curve_every
  struct Seconds {
    double read = 0, solve = 0, evaluate = 0;  // read: opening and the first reading, for the mean
  } seconds;
};

template <class S>
CcaResult<S> fit_cca(SourcePtr<S> left, SourcePtr<S> right, const CcaOptions& options);

/// Scores of rows of one of the two files: (A - mean) weights.
template <class S>
Matrix<S> transform(const CcaView<S>& view, const Batch<S>& rows);

#define LANDFALL_CCA(EXTERN, S)                                                           \
  EXTERN template CcaResult<S> fit_cca<S>(SourcePtr<S>, SourcePtr<S>, const CcaOptions&); \
  EXTERN template Matrix<S> transform<S>(const CcaView<S>&, const Batch<S>&);
LANDFALL_CCA(extern, float)
LANDFALL_CCA(extern, double)

}  // namespace landfall
