#include <landfall/errors.hpp>
#include <landfall/linalg/lapack.ipp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace landfall {
namespace {

/// An eigenvalue below minus so many tolerances is negative, not rounding.
constexpr int kNegative = 100;

/// D G D with D = diag(|G|)^-1/2, the lower triangle. Rows with a zero on the diagonal keep their scale.
template <class S>
void scale_to_unit_diagonal(Matrix<S>& g) {
  const Vector<S> scale =
      g.diagonal().unaryExpr([](S x) { return x == 0 ? S(1) : 1 / std::sqrt(std::abs(x)); });
  for (Index j = 0; j < g.cols(); ++j) {
    auto column = g.col(j).tail(g.rows() - j).array();
    column = (column * scale(j)) * scale.tail(g.rows() - j).array();
  }
}

/// Pivots of a Cholesky factorization of g, which is overwritten, above the tolerance.
template <class S>
Index count_pivots(Matrix<S>& g, S tolerance) {
  const int n = static_cast<int>(g.rows());
  if (n == 0) return 0;
  std::vector<int> order(static_cast<std::size_t>(n));
  Vector<S> work(2 * g.rows());
  int rank = 0;
  Lapack<S>::pstrf(LAPACK_COL_MAJOR, 'L', n, g.data(), n, order.data(), &rank, tolerance, work.data());
  return rank;
}

template <class S>
void require_square(const Matrix<S>& m) {
  if (m.rows() != m.cols() || m.rows() < 1)
    throw UsageError(fmt::format("B must be square, got {}x{}", m.rows(), m.cols()));
}

template <class S>
bool lower_triangle_is_finite(const Matrix<S>& m) {
  for (Index j = 0; j < m.cols(); ++j)
    if (!m.col(j).tail(m.rows() - j).allFinite()) return false;
  return true;
}

}  // namespace

template <class S>
S rank_tolerance(Index n) {
  constexpr S multiple = std::is_same_v<S, float> ? 16 : 4096;
  return multiple * std::sqrt(static_cast<S>(n)) * std::numeric_limits<S>::epsilon();
}

template <class S>
S column_tolerance(Index n) {
  return 10 * std::sqrt(static_cast<S>(n)) * std::numeric_limits<S>::epsilon();
}

template <class S>
Index numerical_rank(Matrix<S> g) {
  const S tolerance = rank_tolerance<S>(g.rows());
  return numerical_rank<S>(std::move(g), tolerance);
}

template <class S>
Index numerical_rank(Matrix<S> g, std::type_identity_t<S> tolerance) {
  if (g.rows() != g.cols())
    throw UsageError(fmt::format("the rank of a Gram matrix needs it square, got {}x{}", g.rows(), g.cols()));
  scale_to_unit_diagonal(g);
  return count_pivots(g, tolerance);
}

template <class S>
void require_positive_definite(Matrix<S> b) {
  require_square(b);
  if (!lower_triangle_is_finite(b)) throw DataError("B has a NaN or infinite entry");
  scale_to_unit_diagonal(b);
  Matrix<S> factor = b;
  const Index rank = count_pivots(factor, rank_tolerance<S>(b.rows()));
  if (rank == b.rows()) return;
  // Semidefinite up to rounding, or is there a direction with x'Bx < 0?
  const int n = static_cast<int>(b.rows());
  b.diagonal().array() += kNegative * rank_tolerance<S>(n);
  const int info = Lapack<S>::potrf(LAPACK_COL_MAJOR, 'L', n, b.data(), n);
  if (info != 0)
    throw DataError(fmt::format("B is not positive definite: its leading {0}x{0} block is not", info));
  throw DataError(fmt::format("B is singular to working precision: its rank is {} of {}", rank, n));
}

template <class S>
void factor_positive_definite(Matrix<S>& b) {
  require_square(b);
  const Vector<S> diagonal = b.diagonal();
  const int n = static_cast<int>(b.rows());
  const int info = Lapack<S>::potrf(LAPACK_COL_MAJOR, 'L', n, b.data(), n);
  const Index factored = info == 0 ? b.rows() : Index{info} - 1;  // the next pivot is not positive
  const S tolerance = rank_tolerance<S>(n);
  for (Index j = 0; j < factored; ++j)
    if (!(b(j, j) * b(j, j) > tolerance * diagonal(j)))
      throw DataError(fmt::format("B is singular to working precision: its leading {0}x{0} block is", j + 1));
  if (info != 0)
    throw DataError(fmt::format("B is not positive definite: its leading {0}x{0} block is not", info));
}

// With D = diag(G)^-1/2 and D G D = Q diag(v) Q':  T = D Q diag(v)^-1/2.
template <class S>
Matrix<S> orthonormalizing_factor(const Matrix<S>& g, std::type_identity_t<S> tolerance) {
  const Index k = g.cols();
  const Vector<S> d = g.diagonal().unaryExpr([](S x) { return x > 0 ? 1 / std::sqrt(x) : S(0); });
  SymmetricEigen<S> eigen;
  eigen.compute(Matrix<S>(d.asDiagonal() * g * d.asDiagonal()));
  const Vector<S>& v = eigen.values();
  const auto negative = [k, tolerance](S least, S largest) {
    return least < -kNegative * std::max(tolerance, rank_tolerance<S>(k)) * std::abs(largest);
  };
  if (negative(g.diagonal().minCoeff(), g.diagonal().maxCoeff()) || negative(v(0), v(k - 1)))
    throw DataError("B is not positive definite: found x with x'Bx < 0");
  const Index rank = (v.array() > tolerance).count();
  return d.asDiagonal() * eigen.vectors().rightCols(rank) *
         v.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
}

template <class S>
Matrix<S> orthonormalizing_factor(const Matrix<S>& g) {
  return orthonormalizing_factor<S>(g, rank_tolerance<S>(g.cols()));
}

LANDFALL_RANK(, float)
LANDFALL_RANK(, double)

}  // namespace landfall
