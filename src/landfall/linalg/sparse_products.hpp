// Products of sparse rows with a few columns, and of their transpose, with vector instructions.
//
//   std::vector<landfall::Index> starts{0, 2, 3}, columns{0, 7, 5};
//   std::vector<float> values{1, 2, 3};
//   const landfall::SparseRows<float> a{starts.data(), columns.data(), values.data(), 2, 10};    // 2x10
//   landfall::Matrix<float> x = landfall::Matrix<float>::Ones(10, 5), scores(2, 5), sums = x;
//   landfall::sparse_product<float>(a, x, scores, landfall::instruction_set());                  // scores = a x
//   landfall::add_sparse_product_at<float>(a, scores, sums, 1, landfall::instruction_set());     // sums += a'scores
//
// x is copied into panels of 64 bytes by rows: each entry then needs one line of the cache for all columns of a panel, where columns one
// by one need a line each. Threads of the current pool share the panels, so that a result does not depend on their number.
#pragma once

#include <landfall/linalg/types.hpp>
#include <landfall/parallel/kernels.hpp>

namespace landfall {

/// Row i has the entries starts[i] to starts[i + 1].
template <class S>
struct SparseRows {
  const Index *starts, *columns;
  const S* values;
  Index rows, cols;
};

/// Sizes must fit.
template <class S>
void sparse_product(const SparseRows<S>& a, In<S> x, Out<S> out, InstructionSet set);
/// out += scale a'w
template <class S>
void add_sparse_product_at(const SparseRows<S>& a, In<S> w, Out<S> out, S scale, InstructionSet set);

#define LANDFALL_SPARSE_PRODUCTS(EXTERN, S)                                                    \
  EXTERN template void sparse_product<S>(const SparseRows<S>&, In<S>, Out<S>, InstructionSet); \
  EXTERN template void add_sparse_product_at<S>(const SparseRows<S>&, In<S>, Out<S>, S, InstructionSet);
LANDFALL_SPARSE_PRODUCTS(extern, float)
LANDFALL_SPARSE_PRODUCTS(extern, double)

}  // namespace landfall
