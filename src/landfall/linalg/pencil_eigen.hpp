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
/// positive definite, or singular to working precision by rank.hpp.
template <class S>
PencilEigen<S> solve_pencil(Matrix<S> a, Matrix<S> b, Index p, bool smallest = false);

#define LANDFALL_PENCIL_EIGEN(EXTERN, S) \
  EXTERN template struct PencilEigen<S>; \
  EXTERN template PencilEigen<S> solve_pencil<S>(Matrix<S>, Matrix<S>, Index, bool);
LANDFALL_PENCIL_EIGEN(extern, float)
LANDFALL_PENCIL_EIGEN(extern, double)

}  // namespace landfall
