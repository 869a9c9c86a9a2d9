// About the inverse of a sparse matrix, for LOBPCG on the smallest eigenvalues.
//
//   #include <landfall/baselines/lobpcg.hpp>
//   const auto inverse = landfall::incomplete_inverse<double>(*a);    // null where there is none
//   use(landfall::lobpcg<double>(*a, *b, {.components = 10, .smallest = true}, inverse));
#pragma once

#include <landfall/linalg/preconditioner.hpp>

namespace landfall {

/// (L L')^-1 by an incomplete Cholesky factor with as many entries as A (Lin and Moré 1999), which is positive definite whatever
/// A is. Null where A is not sparse, or has no such factor.
template <class S>
PreconditionerPtr<S> incomplete_inverse(const SymmetricOperator<S>& a);

extern template PreconditionerPtr<float> incomplete_inverse<float>(const SymmetricOperator<float>&);
extern template PreconditionerPtr<double> incomplete_inverse<double>(const SymmetricOperator<double>&);

}  // namespace landfall
