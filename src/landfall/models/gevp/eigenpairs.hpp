// How every method for A x = lambda B x ends: a basis becomes ordered eigenpairs with fixed signs,
// and their quality is measured.
//
//   auto pairs = landfall::rayleigh_ritz<double>(*a, *b, x);         // x: any basis of the subspace found
//   auto quality = landfall::pair_quality<double>(*a, *b, pairs);
//   use(quality.residuals, quality.infeasibility);                   // per pair; ||X'BX - I||_F
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

template <class S>
struct PairQuality {
  Vector<S> residuals;  // ||A x - lambda B x|| / (||A x|| + |lambda| ||B x||), in [0, 1]; 0 where both are 0
  S infeasibility = 0;  // ||X'BX - I||_F
};

/// One product with A and one with B.
template <class S>
PairQuality<S> pair_quality(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b,
                            const Eigenpairs<S>& pairs);

#define LANDFALL_EIGENPAIRS(EXTERN, S)                                                                     \
  EXTERN template Eigenpairs<S> rayleigh_ritz<S>(const SymmetricOperator<S>&, const SymmetricOperator<S>&, \
                                                 Matrix<S>, bool);                                         \
  EXTERN template void fix_signs<S>(Matrix<S>&);                                                           \
  EXTERN template struct PairQuality<S>;                                                                   \
  EXTERN template PairQuality<S> pair_quality<S>(const SymmetricOperator<S>&, const SymmetricOperator<S>&, \
                                                 const Eigenpairs<S>&);
LANDFALL_EIGENPAIRS(extern, float)
LANDFALL_EIGENPAIRS(extern, double)

}  // namespace landfall
