// Options of every model: which method, which ridge, how much memory, what to watch.
//
//   const landfall::FitOptions options{.components = 5, .held_out = 0.1, .seed = 1};
//   landfall::validate(options);    // UsageError that names the field
//
// A field left unset takes the default of the model, which defaults.hpp or the model's header states.
#pragma once

#include <landfall/data/rows/row_weights.hpp>
#include <landfall/data/rows/transform.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/models/fit/method.hpp>
#include <landfall/parallel/cancel.hpp>
#include <landfall/parallel/communicator.hpp>

#include <memory>
#include <optional>
#include <string>

namespace landfall {

/// The function g of ICA (models/ica/contrast.hpp).
enum class Contrast {
  logcosh,  // log cosh u: for most sources
  exp,      // -exp(-u^2/2): sources with heavy tails, outliers
  cube,     // u^4/4, the kurtosis, whose derivative is the cube: sub-Gaussian sources without outliers
};

/// How ICA takes p components of more columns.
enum class Reduction {
  pca,   // among the p leading principal components, in the units of the file
  none,  // the p most non-Gaussian directions of all
};

struct FitOptions {
  Index components = 0;  // p; 0: as many as the model offers
  FitMethod method = FitMethod::automatic;
  std::string baseline = {};                  // a name of baselines/registry.hpp replaces `method`
  Contrast contrast = Contrast::logcosh;      // ICA only
  Reduction reduction = Reduction::pca;       // ICA only
  std::optional<double> ridge = {};           // absolute: B = S + ridge I
  std::optional<double> relative_ridge = {};  // of each column's variance; neither: automatic (ridge.hpp)
  std::optional<double> passes = {};          // of landing and of streaming baselines, exactly
  double tolerance = 1e-3;  // without `passes`, landing ends once its estimated relative gap is at most this
  double most_passes = 32;  // or after so many
  Index batch = 0;          // rows per step of landing; 0: default_batch()
  Index first_rows = 0;     // pilot rows that landing keeps in memory; 0: choose_sizes()
  /// Columns that landing carries beside the p wanted ones, so that close values beyond p do not slow it
  /// down; the best p are taken at the end.
  std::optional<Index> guard = {};
  AdaptiveOptions landing = {};  // by hand; its passes, batch and seed are those of this struct
  std::uint64_t memory = std::uint64_t{2} << 30;  // bytes the method may use
  double held_out = 0;                            // fraction of the rows to test on
  /// CCA: K of the cross-validation; 0: none. Unset: 5 where the method is exact and the covariances of the folds fit in
  /// memory. Another method fits K times.
  std::optional<int> folds = {};
  int fold = -1;         // of these, the one to hold out: what cross-validation fits; -1: none
  int permutations = 0;  // CCA: of the test whether pairs are more than chance; 0: no test
  int bootstrap = 0;     // CCA: resamples for intervals of correlations and loadings; 0: none
  TransformOptions transform = {};
  /// Of the rows, by their numbers in the files; null: all 1. Every mean over rows is a weighted one. N, for the automatic ridge and
  /// standard errors, stays the number of rows whose weight is not 0.
  std::shared_ptr<const RowWeights> weights = {};
  std::uint64_t seed = 0;
  std::function<bool(const Progress&)> observer = {};  // after every step; false ends the run
  Checkpoints checkpoints = {};                        // of landing
  /// Ends reading, covariances, solving and evaluation within one batch, with a Cancelled exception.
  CancelFlag cancel = {};
  /// Ranks that divide the rows (parallel/communicator.hpp): all fit the same model and get the same result. Null: one.
  std::shared_ptr<Communicator> communicator = {};
  RankRows rank_rows = RankRows::shared;  // whether every rank has all rows or its own

  /// Whether there are rows to test on.
  bool holds_out() const { return held_out > 0 || fold >= 0; }
  /// Whether rows count differently.
  bool weighted() const { return weights && !weights->equal(); }
};

/// UsageError that names the field, for values that no model accepts.
void validate(const FitOptions& options);

/// Options of the models for endless streams (OnlineCca, OnlineLda, OnlineIca).
struct OnlineOptions {
  Index components = 0;                   // p; 0: as many as the model offers
  Contrast contrast = Contrast::logcosh;  // ICA only
  std::optional<double> ridge = {};       // absolute
  std::optional<double> relative_ridge =
      {};                // of each column's variance in the first rows; neither: automatic
  Index batch = 0;       // rows per step; 0: default_batch()
  Index first_rows = 0;  // pilot rows, 0: as of a planned fit; fewer where they take a quarter of the memory
  std::optional<Index> guard = {};                // as in FitOptions
  std::uint64_t memory = std::uint64_t{2} << 30;  // bytes
  std::uint64_t seed = 0;
  bool saved = false;  // the first rows stay in memory, so that state() works
};

void validate(const OnlineOptions& options);

}  // namespace landfall
