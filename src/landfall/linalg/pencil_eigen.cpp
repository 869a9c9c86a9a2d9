#include <landfall/errors.hpp>
#include <landfall/linalg/lapack.ipp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace landfall {
namespace {

/// Divides the lower triangle by 4^k, the power of four next to its largest entry, and returns k (0 for a
/// zero matrix): no scale of A or B then overflows inside, and nothing is rounded.
template <class S>
int normalize(Matrix<S>& m, char name) {
  S largest = 0, finite = 0;  // 0 x = NaN for x infinite or NaN
  for (Index j = 0; j < m.cols(); ++j) {
    const auto column = m.col(j).tail(m.rows() - j);
    finite += (S(0) * column).sum();
    largest = std::max(largest, column.cwiseAbs().maxCoeff());
  }
  if (!(finite == 0)) throw DataError(fmt::format("{} has a NaN or infinite entry", name));
  if (largest == 0) return 0;
  const int k = std::ilogb(largest) / 2;
  const S root = std::ldexp(S(1), -k);
  for (Index j = 0; j < m.cols(); ++j) m.col(j).tail(m.rows() - j) *= root;
  for (Index j = 0; j < m.cols(); ++j) m.col(j).tail(m.rows() - j) *= root;
  return k;
}

/// B = L L', in place. The pivots bound the spectrum: lambda_min <= min L_jj^2, lambda_max >= max B_jj.
template <class S>
void factor(Matrix<S>& b, int k) {
  const int n = static_cast<int>(b.rows());
  const S top = b.diagonal().maxCoeff();
  const int info = Lapack<S>::potrf(LAPACK_COL_MAJOR, 'L', n, b.data(), n);
  if (info != 0)
    throw DataError(fmt::format("B is not positive definite: its leading {0}x{0} block is not", info));
  const S least = b.diagonal().cwiseAbs2().minCoeff();
  if (!(least >= static_cast<S>(n) * std::numeric_limits<S>::epsilon() * top))
    throw DataError(
        fmt::format("B is singular to working precision: eigenvalues from at most {:.3g} to at least {:.3g}",
                    std::ldexp(least, 2 * k), std::ldexp(top, 2 * k)));
}

}  // namespace

// sygvd in its parts, so that only the p wanted vectors are carried back: Cholesky, reduction to L^-1 A L^-T,
// then to a tridiagonal T, all of T's eigenvectors by divide and conquer, and for p of them the two
// transformations back.
template <class S>
PencilEigen<S> solve_pencil(Matrix<S> a, Matrix<S> b, Index p, bool smallest) {
  using L = Lapack<S>;
  if (a.rows() != a.cols() || b.rows() != b.cols() || a.rows() != b.rows())
    throw UsageError(fmt::format("a pencil needs A and B square and of one size, got {}x{} and {}x{}",
                                 a.rows(), a.cols(), b.rows(), b.cols()));
  if (p < 1 || p > a.rows())
    throw UsageError(fmt::format("asked for {} eigenpairs of a pencil of size {}", p, a.rows()));
  const int n = static_cast<int>(a.rows()), wanted = static_cast<int>(p);
  const int scale_a = normalize(a, 'A'), scale_b = normalize(b, 'B');
  factor(b, scale_b);
  L::sygst(LAPACK_COL_MAJOR, 1, 'L', n, a.data(), n, b.data(), n);

  Vector<S> values(n), off_diagonal(n), reflectors(n), work;
  S query = 0;
  L::sytrd(LAPACK_COL_MAJOR, 'L', n, a.data(), n, values.data(), off_diagonal.data(), reflectors.data(),
           &query, -1);
  work.resize(static_cast<Index>(query));
  L::sytrd(LAPACK_COL_MAJOR, 'L', n, a.data(), n, values.data(), off_diagonal.data(), reflectors.data(),
           work.data(), static_cast<int>(work.size()));

  Matrix<S> z(n, n);
  std::vector<int> integer_work(static_cast<std::size_t>(3 + 5 * n));
  work.resize(1 + 4 * a.rows() +
              a.size());  // what stedc documents; its own query is rounded in single precision
  const int info =
      L::stedc(LAPACK_COL_MAJOR, 'I', n, values.data(), off_diagonal.data(), z.data(), n, work.data(),
               static_cast<int>(work.size()), integer_work.data(), static_cast<int>(integer_work.size()));
  if (info != 0) throw NumericalError(fmt::format("LAPACK stedc failed with info = {}", info));

  const Index first = smallest ? 0 : n - p;
  S* kept = z.col(first).data();
  L::ormtr(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, wanted, a.data(), n, reflectors.data(), kept, n, &query, -1);
  work.resize(std::max(work.size(), static_cast<Index>(query)));
  L::ormtr(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, wanted, a.data(), n, reflectors.data(), kept, n, work.data(),
           static_cast<int>(work.size()));
  L::trsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, wanted,
          std::ldexp(S(1), -scale_b), b.data(), n, kept, n);

  PencilEigen<S> pairs;
  if (smallest)
    pairs = {values.head(p), z.leftCols(p)};
  else
    pairs = {values.tail(p).reverse(), z.rightCols(p).rowwise().reverse()};
  for (S& value : pairs.values) value = std::ldexp(value, 2 * (scale_a - scale_b));
  return pairs;
}

template <class S>
void require_positive_definite(Matrix<S> b) {
  if (b.rows() != b.cols() || b.rows() < 1)
    throw UsageError(fmt::format("a positive definite B is square, got {}x{}", b.rows(), b.cols()));
  const int scale = normalize(b, 'B');
  factor(b, scale);
}

// With D = diag(G)^-1/2 and D G D = Q diag(v) Q':  T = D Q diag(v)^-1/2.
template <class S>
Matrix<S> orthonormalizing_factor(const Matrix<S>& g) {
  const Index k = g.cols();
  const Vector<S> d = g.diagonal().unaryExpr([](S x) { return x > 0 ? 1 / std::sqrt(x) : S(0); });
  SymmetricEigen<S> eigen;
  eigen.compute(Matrix<S>(d.asDiagonal() * g * d.asDiagonal()));
  const Vector<S>& v = eigen.values();
  const S rounding = 10 * static_cast<S>(k) * std::numeric_limits<S>::epsilon();
  const auto negative = [rounding](S least, S largest) {
    return least < -100 * rounding * std::abs(largest);
  };
  if (negative(g.diagonal().minCoeff(), g.diagonal().maxCoeff()) || negative(v(0), v(k - 1)))
    throw DataError("B is not positive definite: x'Bx < 0 was met");
  const Index rank = (v.array() > rounding).count();
  return d.asDiagonal() * eigen.vectors().rightCols(rank) *
         v.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
}

LANDFALL_PENCIL_EIGEN(, float)
LANDFALL_PENCIL_EIGEN(, double)

}  // namespace landfall
