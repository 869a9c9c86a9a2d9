// Rank and definiteness, decided in one place by a stated tolerance.
//
//   if (landfall::numerical_rank<double>(m) < p) use("fewer independent columns than components");
//   landfall::require_positive_definite<double>(mass);                              // DataError otherwise
//   landfall::Matrix<double> t = landfall::orthonormalizing_factor<double>(m);      // t' m t = I
//
// A symmetric matrix is scaled to a diagonal of ones first: for the Gram matrix G = A'A of the columns of A,
// the rounding of each entry is then at most a small multiple of eps, whatever the units of the columns are
// (Cauchy-Schwarz). Whether a factorization happens to succeed never decides: on a singular matrix that
// depends on the order of the sums, which differs between processors.
#pragma once

#include <landfall/linalg/types.hpp>

#include <type_traits>

namespace landfall {

/// Eigenvalues and pivots up to this count as zero, for a matrix of size n with a diagonal of ones whose
/// entries are sums in precision S. A pivot is 1 - R^2: the fraction of a column's variance that the columns
/// before it do not explain.
///
///   float   16 sqrt(n) eps      1.9e-6 sqrt(n)
///   double  4096 sqrt(n) eps    9.1e-13 sqrt(n)
///
/// Covariances of up to 200 000 rows with dependent columns have been measured to leave eigenvalues and
/// pivots of about 2 sqrt(n) eps, and single pivots of up to 28 eps. Single precision has little room
/// between that and variance that is real; double precision has enough to stay far from both.
template <class S>
S rank_tolerance(Index n);

/// The same for columns instead of their Gram matrix: a column whose distance from the span of the others,
/// relative to its length, is at most 10 sqrt(n) eps depends on them.
template <class S>
S column_tolerance(Index n);

/// The number of independent columns behind a positive semidefinite G, by Cholesky with pivoting: it ends
/// when no pivot exceeds rank_tolerance. Only the lower triangle is read. NaN counts as dependent.
template <class S>
Index numerical_rank(Matrix<S> g);
/// Pivots above a tolerance of one's own.
template <class S>
Index numerical_rank(Matrix<S> g, std::type_identity_t<S> tolerance);

/// Throws DataError when B is not positive definite, or singular by numerical_rank, and says which. Only the
/// lower triangle is read.
template <class S>
void require_positive_definite(Matrix<S> b);

/// B = L L' in the lower triangle, in place, for a B that is meant to be positive definite. Throws DataError
/// as soon as a pivot, taken in the given order, is at most rank_tolerance times the diagonal entry: as good
/// as require_positive_definite unless a column repeats a small difference of columns before it.
template <class S>
void factor_positive_definite(Matrix<S>& b);

/// T with T' G T = I, for the Gram matrix G = Y'BY of columns Y: the columns of Y T are a B-orthonormal basis
/// of what Y spans. Directions that depend on the others are left out, so T has rank(Y) columns. Y may have
/// any scale, column by column. Throws DataError when G has an eigenvalue that is negative beyond rounding. A
/// smaller tolerance than rank_tolerance is for a basis that is orthonormalized again.
template <class S>
Matrix<S> orthonormalizing_factor(const Matrix<S>& g, std::type_identity_t<S> tolerance);
template <class S>
Matrix<S> orthonormalizing_factor(const Matrix<S>& g);

#define LANDFALL_RANK(EXTERN, S)                                             \
  EXTERN template S rank_tolerance<S>(Index);                                \
  EXTERN template S column_tolerance<S>(Index);                              \
  EXTERN template Index numerical_rank<S>(Matrix<S>);                        \
  EXTERN template Index numerical_rank<S>(Matrix<S>, S);                     \
  EXTERN template void require_positive_definite<S>(Matrix<S>);              \
  EXTERN template void factor_positive_definite<S>(Matrix<S>&);              \
  EXTERN template Matrix<S> orthonormalizing_factor<S>(const Matrix<S>&, S); \
  EXTERN template Matrix<S> orthonormalizing_factor<S>(const Matrix<S>&);
LANDFALL_RANK(extern, float)
LANDFALL_RANK(extern, double)

}  // namespace landfall
