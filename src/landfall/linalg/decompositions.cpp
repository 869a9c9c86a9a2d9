#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/lapack.ipp>
#include <landfall/linalg/products.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

int as_int(Index i) {
  return static_cast<int>(i);
}

template <class S>
void check(const char* routine, const Matrix<S>& m, int info) {
  if (info != 0)
    throw NumericalError(
        fmt::format("LAPACK {} failed on a {}x{} matrix with info = {}", routine, m.rows(), m.cols(), info));
}

/// 'S': thin factors, 'N': values alone.
template <class S>
Svd<S> decompose(Matrix<S> m, char job) {
  if (!m.allFinite()) throw NumericalError("singular values of a matrix with NaN or Inf");
  const Index rows = m.rows(), cols = m.cols(), least = std::min(rows, cols);
  Svd<S> result;
  result.values.resize(least);
  Matrix<S> vt;
  if (job == 'S') {
    result.u.resize(rows, least);
    vt.resize(least, cols);
  }
  if (least > 0)
    check("gesdd", m,
          Lapack<S>::gesdd(LAPACK_COL_MAJOR, job, as_int(rows), as_int(cols), m.data(), as_int(rows),
                           result.values.data(), result.u.data(), as_int(rows), vt.data(), as_int(least)));
  result.v = vt.transpose();
  return result;
}

}  // namespace

template <class S>
Svd<S> svd(Matrix<S> m) {
  return decompose(std::move(m), 'S');
}

template <class S>
Vector<S> singular_values(Matrix<S> m) {
  return decompose(std::move(m), 'N').values;
}

template <class S>
Matrix<S> orthonormal_basis(Matrix<S> m) {
  const int rows = as_int(m.rows()), cols = as_int(m.cols());
  if (cols > rows)
    throw UsageError(
        fmt::format("{} orthonormal columns of length {}, expected at most {}", cols, rows, rows));
  Vector<S> tau(cols);
  check("geqrf", m, Lapack<S>::geqrf(LAPACK_COL_MAJOR, rows, cols, m.data(), rows, tau.data()));
  check("orgqr", m, Lapack<S>::orgqr(LAPACK_COL_MAJOR, rows, cols, cols, m.data(), rows, tau.data()));
  return m;
}

template <class S>
Matrix<S> solve_square(Matrix<S> a, Matrix<S> b) {
  const int n = as_int(a.rows());
  std::vector<int> pivots(static_cast<std::size_t>(n));
  check("gesv", a,
        Lapack<S>::gesv(LAPACK_COL_MAJOR, n, as_int(b.cols()), a.data(), n, pivots.data(), b.data(), n));
  return b;
}

template <class S>
Matrix<S> inverse(const Matrix<S>& m) {
  return solve_square<S>(m, Matrix<S>::Identity(m.rows(), m.cols()));
}

template <class S>
Matrix<S> nearest_rotation(const Matrix<S>& m) {
  const Svd<S> parts = svd(m);
  Matrix<S> rotation(m.rows(), m.cols());
  multiply_bt<S>(parts.u, parts.v, rotation);
  return rotation;
}

Matrix<double> random_orthonormal(Index rows, Index cols, Stream stream) {
  return orthonormal_basis<double>(gaussian<double>(rows, cols, stream));
}

double log_determinant(Matrix<double> m) {
  const int n = static_cast<int>(m.rows());
  if (n == 0) return 0;
  if (Lapack<double>::potrf(LAPACK_COL_MAJOR, 'L', n, m.data(), n) != 0)
    return -std::numeric_limits<double>::infinity();
  return 2 * m.diagonal().array().log().sum();
}

LANDFALL_DECOMPOSITIONS(, float)
LANDFALL_DECOMPOSITIONS(, double)

}  // namespace landfall
