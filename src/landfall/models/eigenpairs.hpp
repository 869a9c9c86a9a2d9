// How every method for A x = lambda B x ends: a basis becomes ordered eigenpairs with fixed signs,
// and their quality is measured.
//
//   auto pairs = landfall::rayleigh_ritz<double>(*a, *b, x);    // x: any basis of the subspace found
//   landfall::residuals<double>(*a, *b, pairs);                 // ||A x - lambda B x|| of each pair
//   landfall::infeasibility<double>(*b, pairs.vectors);         // ||X'BX - I||_F
#pragma once

#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/pencil_eigen.hpp>

namespace landfall {

template <class S>
using Eigenpairs = PencilEigen<S>;

/// The eigenpairs of the pencil restricted to the span of x, descending (ascending with smallest),
/// B-orthonormal, signs fixed. One product with A and one with B. Throws NumericalError when the
/// columns of x depend on each other.
template <class S>
Eigenpairs<S> rayleigh_ritz(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, Matrix<S> x,
                            bool smallest = false);

/// Turns each column so that its entry of largest magnitude (the first such) is positive.
template <class S>
void fix_signs(Matrix<S>& vectors);

/// ||A x - lambda B x|| of each pair.
template <class S>
Vector<S> residuals(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, const Eigenpairs<S>& pairs);

/// ||A X - B X (X'AX)||_F: zero for every B-orthonormal basis of an invariant
/// subspace, whatever its rotation.
template <class S>
S stationarity(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, const Matrix<S>& x);

/// ||X'BX - I||_F.
template <class S>
S infeasibility(const SymmetricOperator<S>& b, const Matrix<S>& x);

#define LANDFALL_EIGENPAIRS(EXTERN, S)                                                                     \
  EXTERN template Eigenpairs<S> rayleigh_ritz<S>(const SymmetricOperator<S>&, const SymmetricOperator<S>&, \
                                                 Matrix<S>, bool);                                         \
  EXTERN template void fix_signs<S>(Matrix<S>&);                                                           \
  EXTERN template Vector<S> residuals<S>(const SymmetricOperator<S>&, const SymmetricOperator<S>&,         \
                                         const Eigenpairs<S>&);                                            \
  EXTERN template S stationarity<S>(const SymmetricOperator<S>&, const SymmetricOperator<S>&,              \
                                    const Matrix<S>&);                                                     \
  EXTERN template S infeasibility<S>(const SymmetricOperator<S>&, const Matrix<S>&);
LANDFALL_EIGENPAIRS(extern, float)
LANDFALL_EIGENPAIRS(extern, double)

}  // namespace landfall
