// Retractions to { X : X'BX = I } after a tangent step, for the methods that need one; and the tangent space.
//
//   landfall::Matrix<double> v = landfall::project_tangent<double>(x, y, g);            // y = B x
//   x = landfall::retract<double>(landfall::Retraction::cholesky, *b, x, -eta * v);
//   landfall::Matrix<double> q = landfall::orthonormalize<double>(*b, w);               // q' B q = I
//
// With W = X + V:
//   polar      W (W'BW)^-1/2, the closest point in the metric of B
//   svd        U Q D^-1/2 Q' V' from W = U S V' (thin) and U'BU = Q D Q'; equals polar to first order only
//   cholesky   W R^-1 with R'R = W'BW
// One product with B each; polar and cholesky take more when W'BW is so badly
// conditioned that one is not enough.
#pragma once

#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/types.hpp>

namespace landfall {

enum class Retraction { polar, svd, cholesky };

/// Each throws NumericalError when the columns of X + V are linearly dependent.
template <class S>
Matrix<S> retract_polar(const SymmetricOperator<S>& b, In<S> x, In<S> v);
template <class S>
Matrix<S> retract_svd(const SymmetricOperator<S>& b, In<S> x, In<S> v);
template <class S>
Matrix<S> retract_cholesky(const SymmetricOperator<S>& b, In<S> x, In<S> v);

template <class S>
Matrix<S> retract(Retraction kind, const SymmetricOperator<S>& b, In<S> x, In<S> v);

/// A B-orthonormal basis of the columns of w, the first j columns spanning the first j of w (repeated, if
/// need be shifted, Cholesky-QR). Throws NumericalError when the columns are linearly dependent.
template <class S>
Matrix<S> orthonormalize(const SymmetricOperator<S>& b, In<S> w);

/// V - X P^-1 sym(Y'V) with y = B x and P = X'Y: tangent at x to the layer { X'BX = P }. On the manifold
/// P = I and this is the orthogonal projection in the metric tr(U'BV); off it, in the metric tr(P^-1 U'BV).
template <class S>
Matrix<S> project_tangent(In<S> x, In<S> y, In<S> v);

/// ||Y'V + V'Y||_F: zero for a tangent v.
template <class S>
S tangency(In<S> y, In<S> v);

#define LANDFALL_RETRACTION(EXTERN, S)                                                         \
  EXTERN template Matrix<S> retract_polar<S>(const SymmetricOperator<S>&, In<S>, In<S>);       \
  EXTERN template Matrix<S> retract_svd<S>(const SymmetricOperator<S>&, In<S>, In<S>);         \
  EXTERN template Matrix<S> retract_cholesky<S>(const SymmetricOperator<S>&, In<S>, In<S>);    \
  EXTERN template Matrix<S> retract<S>(Retraction, const SymmetricOperator<S>&, In<S>, In<S>); \
  EXTERN template Matrix<S> orthonormalize<S>(const SymmetricOperator<S>&, In<S>);             \
  EXTERN template Matrix<S> project_tangent<S>(In<S>, In<S>, In<S>);                           \
  EXTERN template S tangency<S>(In<S>, In<S>);
LANDFALL_RETRACTION(extern, float)
LANDFALL_RETRACTION(extern, double)

}  // namespace landfall
