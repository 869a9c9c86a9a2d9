// Sums of squares of rows, half the work of a product.
//
//   landfall::Matrix<float> rows(400, 128), sum = landfall::Matrix<float>::Zero(400, 400);    // samples as columns
//   landfall::add_square<float>(rows, sum);    // the lower triangle of sum += rows rows'
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

/// The lower triangle of c += a a'. What is above it is unspecified. Threads share it as they share products (products.hpp).
template <class S>
void add_square(In<S> a, Out<S> c);

extern template void add_square<float>(In<float>, Out<float>);
extern template void add_square<double>(In<double>, Out<double>);

}  // namespace landfall
