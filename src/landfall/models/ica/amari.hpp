// How far an unmixing matrix is from the inverse of a mixing matrix, whatever the order, signs and scales of
// the sources.
//
//   const double distance = landfall::amari_distance(unmixing, mixing);    // 0: every source is found
//
// With R_ij = (W A)_ij^2,
//   d = 1/(2n) [ sum_i (sum_j R_ij / max_j R_ij - 1) + sum_j (sum_i R_ij / max_i R_ij - 1) ],
// the form with squares of the paper's experiments (1.8e-4 there): d is about the mean power of what else a
// source contains. Amari, Cichocki and Yang (1996) have |W A| in place of its square.
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

/// n x n both, as many sources as mixtures. Throws UsageError for other shapes, and where a row or a column
/// of the product is zero.
double amari_distance(const Matrix<double>& unmixing, const Matrix<double>& mixing);

}  // namespace landfall
