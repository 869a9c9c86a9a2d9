// How Lagrange multipliers lambda(x) = (Dh(x)*)^+ [grad f(x)] are solved for: in general by least squares,
// and for X'BX = I by a p x p Lyapunov equation. Both keep their workspace between calls.
//
//   landfall::LyapunovMultiplier<double> solver;
//   const landfall::Matrix<double>& lambda = solver.compute(y, g);    // Y = BX, G = grad f(X)
//   g -= 2 * y * lambda;                                              // G - Dh(X)*[lambda] = Psi_E
#pragma once

#include <landfall/linalg/symmetric.hpp>
#include <landfall/linalg/types.hpp>

#include <vector>

namespace landfall {

/// The smallest lambda among those that minimise ||J lambda - g||, by a QR decomposition with column pivoting
/// that finds the rank of J: rank deficiency is allowed.
template <class S>
class LeastSquares {
 public:
  /// To be called first; then matrix() and target() are filled in.
  void resize(Index rows, Index cols);
  Matrix<S>& matrix() { return matrix_; }  // J, overwritten by solve
  Vector<S>& target() { return target_; }  // g in its first `rows` entries, overwritten by solve

  /// Throws NumericalError when J or g holds NaN or Inf.
  void solve(Vector<S>& lambda);

 private:
  Matrix<S> matrix_;
  Vector<S> target_, work_;
  std::vector<int> pivots_;
};

/// lambda(X) for h(X) = X'BX - I, from Y = BX and G = grad f(X).
template <class S>
class LyapunovMultiplier {
 public:
  /// The symmetric lambda with 2 C lambda + 2 lambda C = Y'G + G'Y, where C = Y'Y.
  /// Smallest norm when C is singular.
  const Matrix<S>& compute(In<S> y, In<S> g);

  const Matrix<S>& gram() const { return gram_; }  // C of the last call

 private:
  SymmetricEigen<S> eigen_;
  Matrix<S> gram_, lambda_;
};

#define LANDFALL_MULTIPLIERS(EXTERN, S)  \
  EXTERN template class LeastSquares<S>; \
  EXTERN template class LyapunovMultiplier<S>;
LANDFALL_MULTIPLIERS(extern, float)
LANDFALL_MULTIPLIERS(extern, double)

}  // namespace landfall
