#include <landfall/errors.hpp>
#include <landfall/linalg/orthonormal.hpp>

#include <fmt/format.h>
#include <lapacke.h>

namespace landfall {

Matrix<double> random_orthonormal(Index rows, Index cols, Stream stream) {
  if (cols > rows)
    throw UsageError(
        fmt::format("{} orthonormal columns of length {}, expected no more than that", cols, rows));
  Matrix<double> q = gaussian<double>(rows, cols, stream);
  Vector<double> tau(cols);
  const int m = static_cast<int>(rows), n = static_cast<int>(cols);
  int info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, m, n, q.data(), m, tau.data());
  if (info == 0) info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, m, n, n, q.data(), m, tau.data());
  if (info != 0)
    throw NumericalError(fmt::format("LAPACK failed to factor a {}x{} matrix, info = {}", m, n, info));
  return q;
}

}  // namespace landfall
