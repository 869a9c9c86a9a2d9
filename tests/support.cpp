#include "support.hpp"

#include <algorithm>

#include <Eigen/Dense>

namespace landfall::test {

template <class S>
Matrix<S> random_orthogonal(Index n, std::uint64_t seed) {
  const Matrix<double> g = gaussian<double>(n, n, {seed, 0x0707});
  return Matrix<double>(Eigen::HouseholderQR<Matrix<double>>(g).householderQ()).template cast<S>();
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
  return Eigen::SelfAdjointEigenSolver<Matrix<double>>(spd).operatorSqrt();
}

Matrix<double> inverse_square_root(const Matrix<double>& spd) {
  return Eigen::SelfAdjointEigenSolver<Matrix<double>>(spd).operatorInverseSqrt();
}

Vector<double> singular_values(const Matrix<double>& m) {
  return Eigen::JacobiSVD<Matrix<double>>(m).singularValues();
}

Vector<double> eigenvalues(const Matrix<double>& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix<double>>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

Matrix<double> inverse(const Matrix<double>& square) {
  return square.inverse();
}

Matrix<double> orthonormal_basis(const Matrix<double>& m) {
  return Eigen::HouseholderQR<Matrix<double>>(m).householderQ() *
         Matrix<double>::Identity(m.rows(), m.cols());
}

Vector<double> pencil_eigenvalues(const Matrix<double>& a, const Matrix<double>& b) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<Matrix<double>>(a, b).eigenvalues();
}

Matrix<double> pencil_eigenvectors(const Matrix<double>& a, const Matrix<double>& b) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<Matrix<double>>(a, b).eigenvectors();
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
