// Independent component analysis: the directions X whose projections y = X'a are as far from Gaussian as they
// can be: minimise sum_j s_j E g(x_j'a) subject to X'(S + ridge I)X = I,
// S the covariance, g a contrast, s_j = 1 or -1 as the source asks for: log cosh is least for super-Gaussian
// sources and greatest for sub-Gaussian ones.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto result = landfall::fit_ica<float>(landfall::open_source<float>("mixtures.npy"), {});
//   use(result.unmixing, result.mixing);    // sources: unmixing (a - mean); a = mean + mixing sources
//
// By landing, over rows that are streamed: nothing needs tuning.
//
// - The signs and the scale of f are found in a warm-up on the first rows, which are kept in memory. FastICA,
//   which needs no signs, turns the start towards the sources of these rows; c_j = E g''(y_j) - E g'(y_j) y_j
//   then says the sign of each. Every few passes of landing over them a sign changes where it is another, and
//   landing goes on from where it is with the new f. They are looked at again on all rows at the end; where
//   one was wrong, the passes are made again.
// - Landing's steps are meant for an f whose curvature is near 1. That of f along the rotation of y_i into
//   y_j is s_i c_i + s_j c_j, 0.30 for two Laplace sources and log cosh, so f is divided by
//   2 max_j |c_j|.
// - The pass that evaluates the result has all that a Newton step among the components needs
//   (components.hpp), which is taken, as CCA ends with a rotation. Its length says how far landing was from
//   the solution, so landing alone decides how many passes it needs.
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/result.hpp>
#include <landfall/models/ica/contrast.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace landfall {

struct IcaOptions {
  Index components = 0;       // p; 0: as many as there are columns that are not constant
  std::string baseline = {};  // of baselines/registry.hpp: takes the place of landing, for log cosh
  Contrast contrast = Contrast::logcosh;
  /// Absolute, or else relative to the mean variance. None by default: X is kept among the directions that
  /// have variance (whitening.hpp), and a ridge would favour those that have the least.
  std::optional<double> ridge = {};
  double relative_ridge = 0;
  /// Unset: one, and more, up to four, while the last Newton step is so long that what it leaves would show
  /// beside the sampling error; a baseline makes 2. Where signs were wrong, they are made again.
  std::optional<double> passes = {};
  Index batch = 0;  // rows per step; 0: 1024, or 8p if that is more
  /// That landing looks at first, and keeps in memory: this many at least, 100 per column where a quarter of
  /// the memory holds them.
  Index first_rows = 4096;
  /// Of landing, by hand. Its passes, batch and seed are those here.
  AdaptiveOptions landing = {};
  /// Bytes. Rows that fit in a quarter of it are kept, and later passes read nothing. Where three n x n
  /// matrices take more than all of it, a sketch takes the place of the covariance of the first rows.
  std::uint64_t memory = std::uint64_t{2} << 30;
  TransformOptions transform = {};
  std::uint64_t seed = 0;
  std::function<bool(const Progress&)> observer = {};  // after every step of landing; false ends the run
  Checkpoints checkpoints = {};
};

/// Sources are in the order of their negentropy, and have unit variance.
template <class S>
struct IcaResult {
  Matrix<S> unmixing;          // p x n: sources are unmixing (a - mean); zeros where a column was dropped
  Matrix<S> mixing;            // n x p: the regression of the columns on the sources
  Vector<double> mean;         // of every column, 0 where nothing is centred
  std::vector<Index> dropped;  // constant columns
  Vector<double> signs;        // 1: super-Gaussian, -1: sub-Gaussian
  Vector<double> negentropy;   // (E g(y) - E g(Gaussian))^2, descending
  Contrast contrast = Contrast::logcosh;
  std::string_view method_name = "landing";  // of a baseline its own
  double ridge = 0;
  Index samples = 0;
  double infeasibility = 0;  // ||X'BX - I||_F on all rows, as landing left it
  double stationarity = 0;   // rotation_residual() on all rows, as landing left it
  double passes = 0;         // readings of all rows by landing; those for mean and evaluation are apart
  bool mean_pass = false;
  std::uint64_t iterations = 0;
  Index batch = 0;
  int back_offs = 0;
  AdaptiveChoice choice;
  Termination termination = Termination::running;
  std::vector<Progress> history;
  struct Seconds {
    double read = 0, solve = 0, evaluate = 0;  // read: opening and the first reading, for the mean
  } seconds;
};

template <class S>
IcaResult<S> fit_ica(SourcePtr<S> data, const IcaOptions& options);

/// The sources of rows of such a file, one row each.
template <class S>
Matrix<S> transform(const IcaResult<S>& result, const Batch<S>& rows);

#define LANDFALL_ICA(EXTERN, S)                                             \
  EXTERN template IcaResult<S> fit_ica<S>(SourcePtr<S>, const IcaOptions&); \
  EXTERN template Matrix<S> transform<S>(const IcaResult<S>&, const Batch<S>&);
LANDFALL_ICA(extern, float)
LANDFALL_ICA(extern, double)

}  // namespace landfall
