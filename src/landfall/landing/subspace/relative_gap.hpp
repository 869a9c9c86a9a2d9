// How far leading pairs are from the optimum, from the residuals that they leave (docs/method.md, "Knowing when to stop").
//
//   landfall::Vector<double> values, squares;    // rho, descending, guards last; ||R||_K^2 of each pair with its sampling error
//   use(landfall::relative_gap(values, squares, 5));
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

/// An estimate of (optimum - sum of the wanted values) / optimum. A square bounds what a pair lacks: by its root, and by itself over
/// the distance of the pair from the last guard. A pair that is not wanted may rise above one that is. `margin`: times the error.
double relative_gap(const Vector<double>& values, const Vector<double>& squares, Index wanted,
                    double margin = 1);

}  // namespace landfall
