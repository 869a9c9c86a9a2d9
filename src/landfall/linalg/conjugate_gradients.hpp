// Conjugate gradients for B X = R, each column on its own, from products with B alone.
//
//   landfall::Matrix<double> solution = landfall::Matrix<double>::Zero(x.rows(), x.cols());
//   const double left = landfall::conjugate_gradients<double>(*b, g, solution, {.steps = 50});
//   use(left);    // the largest ||R - B X|| / ||R|| of a column
#pragma once

#include <landfall/linalg/operator.hpp>

namespace landfall {

struct ConjugateGradientOptions {
  int steps = 8;         // at most; each is one product with B
  double tolerance = 0;  // ends when every column has ||R - B X|| <= tolerance ||R||
};

/// Starts at x and leaves the solution there. Preconditioned by the diagonal of B where it is known.
template <class S>
S conjugate_gradients(const SymmetricOperator<S>& b, In<S> rhs, Out<S> x,
                      const ConjugateGradientOptions& options);

#define LANDFALL_CONJUGATE_GRADIENTS(EXTERN, S)                                        \
  EXTERN template S conjugate_gradients<S>(const SymmetricOperator<S>&, In<S>, Out<S>, \
                                           const ConjugateGradientOptions&);
LANDFALL_CONJUGATE_GRADIENTS(extern, float)
LANDFALL_CONJUGATE_GRADIENTS(extern, double)

}  // namespace landfall
