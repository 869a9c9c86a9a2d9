// Turns two sets of projections into canonical variates: the last step of every CCA method.
//
//   #include <landfall/data/rows/stream.hpp>
//   std::vector<landfall::SourcePtr<double>> views;                // left and right
//   landfall::DataStream<double> stream(std::move(views), {});
//   auto moments = landfall::canonical_moments<double>(stream, landfall::Part::training, x, y);
//   auto rotation = landfall::canonical_rotation(moments, 5);
//   use(rotation.correlations, rotation.left, rotation.right);    // x * rotation.left: ordered, uncorrelated
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/linalg/types.hpp>
#include <landfall/models/fit/column_loadings.hpp>
#include <landfall/models/fit/covariance.hpp>

#include <array>

namespace landfall {

/// P = X'B_x X, Q = Y'B_y Y and R = X'S_xy Y of projections X, Y.
struct CanonicalMoments {
  Matrix<double> left, right, cross;
  Index rows = 0;
  Vector<double> left_mean = {}, right_mean = {};  // of the scores; empty: 0
  double weight = 0;                               // of the rows, where these are from a stream
};

/// The columns of the views with the scores, from which loadings follow.
struct CanonicalColumns {
  std::array<Matrix<double>, 2> own, cross;  // E a s': the scores of the same view, of the other
  std::array<ColumnSpread, 2> spread;

  /// For scores that become s U and t V.
  void rotate(const Matrix<double>& left, const Matrix<double>& right);
};

/// The means and second moments of the scores A X and A Y over a part of the rows, without a ridge. With `columns` also
/// theirs, in the same pass.
template <class S>
CanonicalMoments canonical_moments(DataStream<S>& stream, Part part, In<S> x, In<S> y,
                                   CanonicalColumns* columns = nullptr);

/// The same from covariances, with the ridge that they have; sums in double precision.
template <class S>
CanonicalMoments canonical_moments(const Covariances<S>& covariances, const Point<S>& x);

/// From covariances without a ridge; but for the spread of the columns.
template <class S>
CanonicalColumns canonical_columns(const Covariances<S>& covariances, const Point<S>& x);

struct CanonicalRotation {
  Vector<double> correlations;  // descending
  Matrix<double> left, right;   // U, V with U'PU = V'QV = I and U'RV = diag(correlations)
};

/// The leading p singular triples of P^-1/2 R Q^-1/2. Throws NumericalError when P or Q has a rank below p.
CanonicalRotation canonical_rotation(const CanonicalMoments& moments, Index p);

/// Pearson's correlations of column j of the left scores with column j of the right; 0 where one is constant.
Vector<double> paired_correlations(const CanonicalMoments& moments);

#define LANDFALL_CANONICAL(EXTERN, S)                                                            \
  EXTERN template CanonicalMoments canonical_moments<S>(DataStream<S>&, Part, In<S>, In<S>,      \
                                                        CanonicalColumns*);                      \
  EXTERN template CanonicalMoments canonical_moments<S>(const Covariances<S>&, const Point<S>&); \
  EXTERN template CanonicalColumns canonical_columns<S>(const Covariances<S>&, const Point<S>&);
LANDFALL_CANONICAL(extern, float)
LANDFALL_CANONICAL(extern, double)

}  // namespace landfall
