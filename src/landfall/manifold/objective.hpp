// f, the function to be minimised, with its Euclidean gradient.
//
//   auto f = landfall::single_block<double>([&](const auto& x, auto* gradient) {
//     const landfall::Matrix<double> qx = q * x;    // f(X) = <X, QX>/2
//     if (gradient) *gradient = qx;
//     return x.cwiseProduct(qx).sum() / 2;
//   });
#pragma once

#include <landfall/linalg/types.hpp>

#include <functional>

namespace landfall {

/// Returns f(x). Writes the Euclidean gradient when the pointer is not null; its
/// blocks have the sizes of those of x.
template <class S>
using Objective = std::function<S(const Point<S>& x, Point<S>* gradient)>;

/// The objective of a point with one block, from a function of that block.
template <class S>
Objective<S> single_block(std::function<S(const Matrix<S>& x, Matrix<S>* gradient)> f);

#define LANDFALL_OBJECTIVE(EXTERN, S) \
  EXTERN template Objective<S> single_block<S>(std::function<S(const Matrix<S>&, Matrix<S>*)>);
LANDFALL_OBJECTIVE(extern, float)
LANDFALL_OBJECTIVE(extern, double)

}  // namespace landfall
