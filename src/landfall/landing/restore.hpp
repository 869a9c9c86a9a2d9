// Moves the starting point into the safe region: X scaled once, then X <- X - 1/2 X H, the normal term at its
// dead-beat strength (a Newton-Schulz step). From eigenvalues of X'BX in (0, 1] it climbs to 1, from any
// start of full rank.
//
//   landfall::restore_stiefel<double>(x, 0.5, [&](const auto& at, auto& y) { b->apply(at, y); });
#pragma once

#include <landfall/landing/result.hpp>
#include <landfall/linalg/types.hpp>

#include <functional>

namespace landfall {

/// `product` writes B X. The result's `to` exceeds epsilon when X'BX is singular.
template <class S>
Restoration restore_stiefel(Matrix<S>& x, double epsilon,
                            const std::function<void(const Matrix<S>& x, Matrix<S>& y)>& product);

extern template Restoration restore_stiefel<float>(
    Matrix<float>&, double, const std::function<void(const Matrix<float>&, Matrix<float>&)>&);
extern template Restoration restore_stiefel<double>(
    Matrix<double>&, double, const std::function<void(const Matrix<double>&, Matrix<double>&)>&);

}  // namespace landfall
