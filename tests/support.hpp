// What the tests share: random problems with a known spectrum, tolerances by scalar, both scalars from one
// test.
#pragma once

#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/types.hpp>

#include <cmath>
#include <limits>
#include <string>

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

/// What the error of this type says that a call throws.
template <class Error, class Call>
std::string message(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no such exception";
}

template <class S>
Matrix<S> random_orthogonal(Index n, std::uint64_t seed);

/// Symmetric with the given eigenvalues in a random basis.
template <class S>
Matrix<S> with_spectrum(const Vector<double>& values, std::uint64_t seed);

/// Symmetric positive definite, eigenvalues from 1 down to 1/condition, geometrically spaced.
template <class S>
Matrix<S> random_spd(Index n, double condition, std::uint64_t seed);

template <class S>
Matrix<S> random_symmetric(Index n, std::uint64_t seed);

/// A point with ||X'BX - I||_F = distance: B-orthonormal first, then stretched by a random symmetric factor.
template <class S>
Matrix<S> random_near_manifold(const Matrix<S>& b, Index p, double distance, std::uint64_t seed);

// Independent of what is tested: LAPACK called directly, in double.

/// Ascending eigenvalues, and the vectors to them.
struct EigenPairs {
  Vector<double> values;
  Matrix<double> vectors;
};
EigenPairs eigen_pairs(Matrix<double> symmetric);
EigenPairs pencil_eigen_pairs(Matrix<double> a, Matrix<double> b);  // A x = lambda B x
Vector<double> eigenvalues(const Matrix<double>& symmetric);
Vector<double> pencil_eigenvalues(const Matrix<double>& a, const Matrix<double>& b);
Matrix<double> pencil_eigenvectors(const Matrix<double>& a, const Matrix<double>& b);

/// M = U diag(values) V', the values descending.
struct SingularTriplets {
  Matrix<double> left;
  Vector<double> values;
  Matrix<double> right;
};
SingularTriplets singular_triplets(Matrix<double> m);
Vector<double> singular_values(const Matrix<double>& m);

Matrix<double> square_root(const Matrix<double>& spd);
Matrix<double> inverse_square_root(const Matrix<double>& spd);
Matrix<double> cholesky_factor(Matrix<double> spd);  // R upper triangular, R'R = B
Matrix<double> inverse(Matrix<double> square);
Matrix<double> orthonormal_basis(Matrix<double> m);  // of its columns

}  // namespace landfall::test
