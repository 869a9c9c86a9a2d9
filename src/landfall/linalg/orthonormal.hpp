// Random matrices with orthonormal columns.
//
//   landfall::Matrix<double> q = landfall::random_orthonormal(100, 5, {seed, 1});    // Q'Q = I
#pragma once

#include <landfall/linalg/random.hpp>
#include <landfall/linalg/types.hpp>

namespace landfall {

/// The Q of a QR factorization of a Gaussian matrix, cols <= rows: its columns span a uniformly distributed
/// subspace; they are uniform themselves up to their signs.
Matrix<double> random_orthonormal(Index rows, Index cols, Stream stream);

}  // namespace landfall
