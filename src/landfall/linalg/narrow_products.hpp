// Scores a'x of the rows of a batch, or products with a symmetric matrix, for a few columns x. The wide operand is read where
// it is, while BLAS first copies it into a layout of its own. products.hpp calls this where it is quicker; its functions are
// the ones to use.
//
//   landfall::Matrix<float> a(400, 128), x(400, 9), u(128, 9);    // columns of a are rows of data
//   landfall::narrow_product_at<float>(a, x, u, 1.0f, 0.0f, landfall::instruction_set());    // u = a'x
//
// Blocks of fixed size go to the threads of the current pool (parallel/thread_pool.hpp). Every number of a result is
// computed in the same order whatever the number of threads and of columns beside it.
#pragma once

#include <landfall/linalg/types.hpp>
#include <landfall/parallel/kernels.hpp>

namespace landfall {

/// Sizes must fit. c = alpha a'b + beta c; what is in c does not matter where beta is 0.
template <class S>
void narrow_product_at(In<S> a, In<S> b, Out<S> c, S alpha, S beta, InstructionSet set);

#define LANDFALL_NARROW_PRODUCTS(EXTERN, S) \
  EXTERN template void narrow_product_at<S>(In<S>, In<S>, Out<S>, S, S, InstructionSet);
LANDFALL_NARROW_PRODUCTS(extern, float)
LANDFALL_NARROW_PRODUCTS(extern, double)

}  // namespace landfall
