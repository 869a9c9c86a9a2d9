#include "support.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <lapacke.h>

namespace landfall::test {
namespace {

lapack_int size_of(Index n) {
  return static_cast<lapack_int>(n);
}

void require_success(lapack_int info, const char* routine) {
  if (info != 0) throw std::runtime_error(fmt::format("{} returned {}", routine, info));
}

}  // namespace

template <class S>
Matrix<S> random_orthogonal(Index n, std::uint64_t seed) {
  return orthonormal_basis(gaussian<double>(n, n, {seed, 0x0707})).template cast<S>();
}

template <class S>
Matrix<S> with_spectrum(const Vector<double>& values, std::uint64_t seed) {
  const Matrix<double> q = random_orthogonal<double>(values.size(), seed);
  const Matrix<double> m = q * values.asDiagonal() * q.transpose();
  return ((m + m.transpose()) / 2).template cast<S>();
}

template <class S>
Matrix<S> random_spd(Index n, double condition, std::uint64_t seed) {
  Vector<double> values(n);
  for (Index i = 0; i < n; ++i)
    values(i) = std::pow(condition, -static_cast<double>(i) / static_cast<double>(std::max<Index>(n - 1, 1)));
  return with_spectrum<S>(values, seed);
}

template <class S>
Matrix<S> random_symmetric(Index n, std::uint64_t seed) {
  const Matrix<S> g = gaussian<S>(n, n, {seed, 0x5e77});
  return (g + g.transpose()) / 2;
}

template <class S>
Matrix<S> random_near_manifold(const Matrix<S>& b, Index p, double distance, std::uint64_t seed) {
  const Matrix<double> bd = b.template cast<double>();
  const Matrix<double> g = gaussian<double>(b.rows(), p, {seed, 0x9ea4});
  Matrix<double> h = random_symmetric<double>(p, seed + 1);
  h *= distance / h.norm();
  const Matrix<double> x = g * inverse_square_root(g.transpose() * bd * g);
  return (x * square_root(Matrix<double>::Identity(p, p) + h)).template cast<S>();
}

Matrix<double> square_root(const Matrix<double>& spd) {
  const EigenPairs pairs = eigen_pairs(spd);
  return pairs.vectors * pairs.values.cwiseSqrt().asDiagonal() * pairs.vectors.transpose();
}

Matrix<double> inverse_square_root(const Matrix<double>& spd) {
  const EigenPairs pairs = eigen_pairs(spd);
  return pairs.vectors * pairs.values.cwiseSqrt().cwiseInverse().asDiagonal() * pairs.vectors.transpose();
}

Vector<double> singular_values(const Matrix<double>& m) {
  return singular_triplets(m).values;
}

SingularTriplets singular_triplets(Matrix<double> m) {
  const Index k = std::min(m.rows(), m.cols());
  SingularTriplets out{Matrix<double>(m.rows(), k), Vector<double>(k), Matrix<double>(k, m.cols())};
  require_success(
      LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', size_of(m.rows()), size_of(m.cols()), m.data(), size_of(m.rows()),
                     out.values.data(), out.left.data(), size_of(m.rows()), out.right.data(), size_of(k)),
      "dgesdd");
  out.right.transposeInPlace();
  return out;
}

EigenPairs eigen_pairs(Matrix<double> symmetric) {
  Vector<double> values(symmetric.rows());
  require_success(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', size_of(values.size()), symmetric.data(),
                                 size_of(values.size()), values.data()),
                  "dsyevd");
  return {values, symmetric};
}

EigenPairs pencil_eigen_pairs(Matrix<double> a, Matrix<double> b) {
  Vector<double> values(a.rows());
  const lapack_int n = size_of(a.rows());
  require_success(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, a.data(), n, b.data(), n, values.data()),
                  "dsygvd");
  return {values, a};
}

Vector<double> eigenvalues(const Matrix<double>& symmetric) {
  return eigen_pairs(symmetric).values;
}

Matrix<double> inverse(Matrix<double> square) {
  const lapack_int n = size_of(square.rows());
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  require_success(LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, square.data(), n, pivots.data()), "dgetrf");
  require_success(LAPACKE_dgetri(LAPACK_COL_MAJOR, n, square.data(), n, pivots.data()), "dgetri");
  return square;
}

Matrix<double> orthonormal_basis(Matrix<double> m) {
  const lapack_int rows = size_of(m.rows()), cols = size_of(m.cols());
  Vector<double> scales(cols);
  require_success(LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, cols, m.data(), rows, scales.data()), "dgeqrf");
  require_success(LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, cols, cols, m.data(), rows, scales.data()),
                  "dorgqr");
  return m;
}

Matrix<double> cholesky_factor(Matrix<double> spd) {
  const lapack_int n = size_of(spd.rows());
  require_success(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, spd.data(), n), "dpotrf");
  return spd.triangularView<Eigen::Upper>();
}

Vector<double> pencil_eigenvalues(const Matrix<double>& a, const Matrix<double>& b) {
  return pencil_eigen_pairs(a, b).values;
}

Matrix<double> pencil_eigenvectors(const Matrix<double>& a, const Matrix<double>& b) {
  return pencil_eigen_pairs(a, b).vectors;
}

#define LANDFALL_TEST_SUPPORT(S)                                             \
  template Matrix<S> random_orthogonal<S>(Index, std::uint64_t);             \
  template Matrix<S> with_spectrum<S>(const Vector<double>&, std::uint64_t); \
  template Matrix<S> random_spd<S>(Index, double, std::uint64_t);            \
  template Matrix<S> random_symmetric<S>(Index, std::uint64_t);              \
  template Matrix<S> random_near_manifold<S>(const Matrix<S>&, Index, double, std::uint64_t);
LANDFALL_TEST_SUPPORT(float)
LANDFALL_TEST_SUPPORT(double)

}  // namespace landfall::test
