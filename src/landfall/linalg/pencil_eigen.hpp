// A x = lambda B x for a dense symmetric A and a dense symmetric positive definite B, by LAPACK.
//
//   auto high = landfall::solve_pencil<double>(stiffness, mass, 5);         // the five largest, descending
//   auto low = landfall::solve_pencil<double>(stiffness, mass, 5, true);    // the five smallest, ascending
//   use(low.values, low.vectors);                                           // vectors' B vectors = I
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

template <class S>
struct PencilEigen {
  Vector<S> values;   // descending when the largest were asked for, ascending when the smallest
  Matrix<S> vectors;  // B-orthonormal columns, one per value
};

/// The p largest (or smallest) eigenpairs. Only the lower triangles are read. Throws DataError when B is not
/// positive definite, or singular to working precision:
/// (least Cholesky pivot) < n eps (largest diagonal entry).
template <class S>
PencilEigen<S> solve_pencil(Matrix<S> a, Matrix<S> b, Index p, bool smallest = false);

/// Throws DataError when B is not positive definite, or singular to working precision, as solve_pencil does.
/// Only the lower triangle is read.
template <class S>
void require_positive_definite(Matrix<S> b);

/// T with T' G T = I, for the Gram matrix G = Y'BY of columns Y: the columns of Y T are a B-orthonormal basis
/// of what Y spans. Directions that depend on the others are left out, so T has rank(Y) columns. Y may have
/// any scale, column by column. Throws DataError when G has an eigenvalue that is negative beyond rounding.
template <class S>
Matrix<S> orthonormalizing_factor(const Matrix<S>& g);

#define LANDFALL_PENCIL_EIGEN(EXTERN, S)                                             \
  EXTERN template struct PencilEigen<S>;                                             \
  EXTERN template PencilEigen<S> solve_pencil<S>(Matrix<S>, Matrix<S>, Index, bool); \
  EXTERN template void require_positive_definite<S>(Matrix<S>);                      \
  EXTERN template Matrix<S> orthonormalizing_factor<S>(const Matrix<S>&);
LANDFALL_PENCIL_EIGEN(extern, float)
LANDFALL_PENCIL_EIGEN(extern, double)

}  // namespace landfall
