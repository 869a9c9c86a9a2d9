// Small symmetric matrices (p x p): eigendecomposition with its workspace kept, and what follows from it.
//
//   landfall::SymmetricEigen<double> eigen;
//   eigen.compute(m);                                         // m = Q diag(values) Q', ascending
//   landfall::Matrix<double> root = eigen.inverse_root();     // m^-1/2
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

template <class S>
class SymmetricEigen {
 public:
  /// Decomposes the lower triangle of m. Allocates only when the size grows.
  void compute(In<S> m);

  const Vector<S>& values() const { return values_; }    // ascending
  const Matrix<S>& vectors() const { return vectors_; }  // columns

  /// Q diag(1/sqrt(values)) Q'. Throws NumericalError when m is not numerically positive definite.
  Matrix<S> inverse_root() const;

  /// The symmetric L with m L + L m = rhs, for symmetric rhs and m positive semidefinite; overwrites rhs.
  /// Where m is singular to rounding it is the least-squares solution of smallest norm, so m = 0 gives L = 0.
  void solve_lyapunov(Out<S> rhs);

 private:
  Vector<S> values_;
  Matrix<S> vectors_, scratch_;
  Vector<S> work_;
  std::vector<int> integer_work_;
};

/// (m + m')/2, in place.
template <class S>
void symmetrize(Out<S> m);

/// ||m - I||_F
double distance_to_identity(const Matrix<double>& m);

#define LANDFALL_SYMMETRIC(EXTERN, S)      \
  EXTERN template class SymmetricEigen<S>; \
  EXTERN template void symmetrize<S>(Out<S>);
LANDFALL_SYMMETRIC(extern, float)
LANDFALL_SYMMETRIC(extern, double)

}  // namespace landfall
