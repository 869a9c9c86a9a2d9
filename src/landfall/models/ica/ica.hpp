// Independent component analysis: the directions X whose projections y = X'a are as far from Gaussian as they
// can be: minimise sum_j s_j E g(x_j'a) subject to X'(S + ridge I)X = I,
// S the covariance, g a contrast, s_j = 1 or -1 as the source asks for: log cosh is least for super-Gaussian
// sources and greatest for sub-Gaussian ones.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto result = landfall::fit_ica<float>(landfall::open_source<float>("mixtures.npy"), {});
//   use(result.unmixing(), result.mixing);    // sources: unmixing (a - mean); a = mean + mixing sources
//
// p below the number of columns are the components among the p leading principal components of the centred
// columns in the units of the file, as in scikit-learn's FastICA; Reduction::none takes the p most non-Gaussian
// directions of all. Where columns depend on each other, p is their rank at most.
//
// Up to 4096 rows, or 8 per column, that fit in memory are iterated over until nothing changes
// (fixed_point.hpp). More rows by landing, over rows that are streamed: nothing needs tuning.
//
// - The signs and the scale of f are found in a warm-up on the first rows, which are kept in memory. FastICA,
//   which needs no signs, turns the start towards the sources of these rows; c_j = E g''(y_j) - E g'(y_j) y_j
//   then says the sign of each. Every few passes of landing over them a sign changes where it is another, and
//   landing goes on from where it is with the new f. They are looked at again on all rows at the end; where
//   one was wrong, the passes are made again.
// - Landing's steps are meant for an f whose curvature is near 1. That of f along the rotation of y_i into
//   y_j is s_i c_i + s_j c_j, 0.30 for two Laplace sources and log cosh, so f is divided by
//   2 max_j |c_j|.
// - Where all rows are in memory they are evaluated first, and Newton steps take the place of landing while they are short.
// - The pass that evaluates the result has all that a Newton step among the components needs
//   (components.hpp), which is taken, as CCA ends with a rotation. Its length says how far landing was from
//   the solution, so landing alone decides how many passes it needs. Where it is still long after four of them
//   and the rows are in memory, they are iterated over; otherwise the result has a warning.
#pragma once

#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/models/fit/result.hpp>
#include <landfall/models/ica/contrast.hpp>

namespace landfall {

/// Defaults: p = the rank of the columns; no ridge, since X is kept among the directions that have
/// variance (whitening.hpp) and a ridge would favour those that have the least; batches of 1024 rows, or 8p
/// if that is more; 100 pilot rows per column where a quarter of the memory holds them.
/// - passes: one, and up to four while the last Newton step is so long that what it leaves would show beside
///   the sampling error; where signs were wrong, they are made again. A baseline makes 2.
/// - memory: rows that fit in a quarter of it are kept, and later passes read nothing. Where three n x n
///   matrices take more than all of it, a sketch replaces the covariance of the first rows, and the principal
///   components come from at most 8 passes over the rows (streamed_components()).
/// NumericalError where p is above the rank, or the sources found are not finite or not uncorrelated.
using IcaOptions = FitOptions;

/// Sources are in the order of their negentropy, and have unit variance: (a - mean) weights of the view. The
/// stationarity is rotation_residual() on all rows, of landing before the last Newton step. Infeasibility and
/// negentropy are those of the weights in the result.
template <class S>
struct IcaResult : FitResult<S> {
  Matrix<S> mixing;           // n x p: the regression of the columns on the sources
  Vector<double> signs;       // 1: super-Gaussian, -1: sub-Gaussian
  Vector<double> negentropy;  // (E g(y) - E g(Gaussian))^2, descending
  Vector<double>
      kurtosis;  // E y^4 - 3 on the training rows: positive for heavy tails, 0 for Gaussian sources
  Contrast contrast = Contrast::logcosh;
  Reduction reduction = Reduction::none;  // pca: among the p leading principal components, fewer than columns
  double explained_variance = 1;          // of these, as a fraction of that of the columns

  /// p x n: sources are unmixing (a - mean).
  Matrix<S> unmixing() const { return this->views[0].weights.transpose(); }
};

template <class S>
IcaResult<S> fit_ica(SourcePtr<S> data, const IcaOptions& options);

/// What fit_ica would cost, without doing it; landing is its only method.
template <class S>
Cost plan_ica(Source<S>& data, const IcaOptions& options);

#define LANDFALL_ICA(EXTERN, S)                                             \
  EXTERN template struct IcaResult<S>;                                      \
  EXTERN template IcaResult<S> fit_ica<S>(SourcePtr<S>, const IcaOptions&); \
  EXTERN template Cost plan_ica<S>(Source<S>&, const IcaOptions&);
LANDFALL_ICA(extern, float)
LANDFALL_ICA(extern, double)

}  // namespace landfall
