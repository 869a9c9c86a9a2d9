// Singular values, orthonormal bases, inverses and rotations of small dense matrices, by LAPACK.
//
//   auto [u, values, v] = landfall::svd<double>(m);                                  // m = U diag(values) V'
//   landfall::Matrix<double> q = landfall::orthonormal_basis<double>(m);             // of its columns
//   landfall::Matrix<double> r = landfall::nearest_rotation<double>(m);              // (m m')^-1/2 m
//   landfall::Matrix<double> g = landfall::random_orthonormal(100, 5, {seed, 1});    // Q'Q = I
#pragma once

#include <landfall/linalg/random.hpp>
#include <landfall/linalg/types.hpp>

namespace landfall {

template <class S>
struct Svd {
  Matrix<S> u;       // min(rows, cols) columns
  Vector<S> values;  // descending
  Matrix<S> v;
};

/// The thin decomposition.
template <class S>
Svd<S> svd(Matrix<S> m);

template <class S>
Vector<S> singular_values(Matrix<S> m);

/// The Q of a QR factorization, with as many columns as m has; cols <= rows.
template <class S>
Matrix<S> orthonormal_basis(Matrix<S> m);

/// The solution X of A X = B for a square A; NumericalError where a pivot is 0.
template <class S>
Matrix<S> solve_square(Matrix<S> a, Matrix<S> b);

template <class S>
Matrix<S> inverse(const Matrix<S>& m);

/// log det m of a symmetric positive definite m, whose lower triangle is read; minus infinity where it is not.
double log_determinant(Matrix<double> m);

/// U V' of the decomposition of a square matrix: the nearest rotation or reflection.
template <class S>
Matrix<S> nearest_rotation(const Matrix<S>& m);

/// An orthonormal basis of a Gaussian matrix, cols <= rows: its columns span a uniformly distributed subspace;
/// they are uniform themselves up to their signs.
Matrix<double> random_orthonormal(Index rows, Index cols, Stream stream);

#define LANDFALL_DECOMPOSITIONS(EXTERN, S)                         \
  EXTERN template struct Svd<S>;                                   \
  EXTERN template Svd<S> svd<S>(Matrix<S>);                        \
  EXTERN template Vector<S> singular_values<S>(Matrix<S>);         \
  EXTERN template Matrix<S> orthonormal_basis<S>(Matrix<S>);       \
  EXTERN template Matrix<S> solve_square<S>(Matrix<S>, Matrix<S>); \
  EXTERN template Matrix<S> inverse<S>(const Matrix<S>&);          \
  EXTERN template Matrix<S> nearest_rotation<S>(const Matrix<S>&);
LANDFALL_DECOMPOSITIONS(extern, float)
LANDFALL_DECOMPOSITIONS(extern, double)

}  // namespace landfall
