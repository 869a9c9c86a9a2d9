// What the tests share: random problems with a known spectrum, tolerances by scalar, both scalars from one test.
#pragma once

#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/types.hpp>

#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <gtest/gtest.h>

namespace landfall::test {

using Scalars = ::testing::Types<float, double>;

/// TYPED_TEST_SUITE(..., Scalars) fixtures derive from nothing else.
template <class S>
class Typed : public ::testing::Test {};

/// A few rounding errors of a quantity of the given size.
template <class S>
S rounding(S size, S factor = 50) {
  return factor * std::numeric_limits<S>::epsilon() * (size > 0 ? size : S(1));
}

template <class S>
Matrix<S> random_orthogonal(Index n, std::uint64_t seed) {
  const Matrix<double> g = gaussian<double>(n, n, {seed, 0x0707});
  return Matrix<double>(Eigen::HouseholderQR<Matrix<double>>(g).householderQ()).template cast<S>();
}

/// Symmetric with the given eigenvalues in a random basis.
template <class S>
Matrix<S> with_spectrum(const Vector<double>& values, std::uint64_t seed) {
  const Matrix<double> q = random_orthogonal<double>(values.size(), seed);
  const Matrix<double> m = q * values.asDiagonal() * q.transpose();
  return ((m + m.transpose()) / 2).template cast<S>();
}

/// Symmetric positive definite, eigenvalues from 1 down to 1/condition, geometrically spaced.
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

/// A point with ||X'BX - I||_F = distance: B-orthonormal first, then stretched by a random symmetric factor.
template <class S>
Matrix<S> random_near_manifold(const Matrix<S>& b, Index p, double distance, std::uint64_t seed) {
  const Matrix<double> bd = b.template cast<double>();
  const Matrix<double> g = gaussian<double>(b.rows(), p, {seed, 0x9ea4});
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> gram(g.transpose() * bd * g);
  Matrix<double> x = g * gram.operatorInverseSqrt();
  Matrix<double> h = random_symmetric<double>(p, seed + 1);
  h *= distance / h.norm();
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> stretch(Matrix<double>::Identity(p, p) + h);
  return (x * stretch.operatorSqrt()).template cast<S>();
}

}  // namespace landfall::test
