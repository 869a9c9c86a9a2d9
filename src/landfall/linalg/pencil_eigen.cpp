#include <landfall/errors.hpp>
#include <landfall/linalg/lapack.ipp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/rank.hpp>

#include <algorithm>
#include <cmath>
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

}  // namespace

// sygvd in its parts, so that only the p wanted vectors are carried back: Cholesky, reduction to L^-1 A L^-T,
// then to a tridiagonal T, all of T's eigenvectors by divide and conquer, and for p of them the two
// transformations back.
template <class S>
PencilEigen<S> solve_pencil(Matrix<S> a, Matrix<S> b, Index p, bool smallest) {
  using L = Lapack<S>;
  if (a.rows() != a.cols() || b.rows() != b.cols() || a.rows() != b.rows())
    throw UsageError(fmt::format("A and B must be square and of the same size, got {}x{} and {}x{}", a.rows(),
                                 a.cols(), b.rows(), b.cols()));
  if (p < 1 || p > a.rows())
    throw UsageError(fmt::format("{} eigenpairs requested for a pencil of size {}", p, a.rows()));
  const int n = static_cast<int>(a.rows()), wanted = static_cast<int>(p);
  const int scale_a = normalize(a, 'A'), scale_b = normalize(b, 'B');
  require_positive_definite<S>(b);
  int info = L::potrf(LAPACK_COL_MAJOR, 'L', n, b.data(), n);
  if (info != 0) throw NumericalError(fmt::format("LAPACK potrf failed with info = {}", info));
  L::sygst(LAPACK_COL_MAJOR, 1, 'L', n, a.data(), n, b.data(), n);

  Vector<S> values(n), off_diagonal(n), reflectors(n), work;
  S query = 0;
  L::sytrd(LAPACK_COL_MAJOR, 'L', n, a.data(), n, values.data(), off_diagonal.data(), reflectors.data(),
           &query, -1);
  work = Vector<S>(static_cast<Index>(
      query));  // not resize(): Eigen frees the old memory first, and twice if there is no new
  L::sytrd(LAPACK_COL_MAJOR, 'L', n, a.data(), n, values.data(), off_diagonal.data(), reflectors.data(),
           work.data(), static_cast<int>(work.size()));

  Matrix<S> z(n, n);
  std::vector<int> integer_work(static_cast<std::size_t>(3 + 5 * n));
  // What stedc documents; its own query is rounded in single precision.
  work = Vector<S>(1 + 4 * a.rows() + a.size());
  info = L::stedc(LAPACK_COL_MAJOR, 'I', n, values.data(), off_diagonal.data(), z.data(), n, work.data(),
                  static_cast<int>(work.size()), integer_work.data(), static_cast<int>(integer_work.size()));
  if (info != 0) throw NumericalError(fmt::format("LAPACK stedc failed with info = {}", info));

  const Index first = smallest ? 0 : n - p;
  S* kept = z.col(first).data();
  L::ormtr(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, wanted, a.data(), n, reflectors.data(), kept, n, &query, -1);
  if (work.size() < static_cast<Index>(query)) work = Vector<S>(static_cast<Index>(query));
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

LANDFALL_PENCIL_EIGEN(, float)
LANDFALL_PENCIL_EIGEN(, double)

}  // namespace landfall
