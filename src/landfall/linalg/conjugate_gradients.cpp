#include <landfall/linalg/conjugate_gradients.hpp>

#include <algorithm>

namespace landfall {

template <class S>
S conjugate_gradients(const SymmetricOperator<S>& b, In<S> rhs, Out<S> x,
                      const ConjugateGradientOptions& options) {
  const Index p = rhs.cols();
  Vector<S> inverse = b.diagonal();
  if (inverse.size() == 0 || !(inverse.minCoeff() > 0))
    inverse.setOnes(b.size());
  else
    inverse = inverse.cwiseInverse().eval();

  Matrix<S> product(rhs.rows(), p);
  b.apply(x, product);
  Matrix<S> residual = rhs - product, direction = inverse.asDiagonal() * residual, scaled = direction;
  Vector<S> old = (residual.cwiseProduct(scaled)).colwise().sum();
  const Vector<S> sizes = rhs.colwise().norm();
  const auto worst = [&] {
    S largest = 0;
    for (Index j = 0; j < p; ++j)
      if (sizes(j) > 0) largest = std::max(largest, residual.col(j).norm() / sizes(j));
    return largest;
  };
  const S tolerance = static_cast<S>(options.tolerance);
  for (int step = 0; step < options.steps && worst() > tolerance; ++step) {
    b.apply(direction, product);
    for (Index j = 0; j < p; ++j) {
      const S curvature = direction.col(j).dot(product.col(j));
      if (!(curvature > 0)) continue;  // solved to rounding
      const S length = old(j) / curvature;
      x.col(j) += length * direction.col(j);
      residual.col(j) -= length * product.col(j);
      scaled.col(j) = inverse.cwiseProduct(residual.col(j));
      const S now = residual.col(j).dot(scaled.col(j));
      direction.col(j) = scaled.col(j) + (now / old(j)) * direction.col(j);
      old(j) = now;
    }
  }
  return worst();
}

LANDFALL_CONJUGATE_GRADIENTS(, float)
LANDFALL_CONJUGATE_GRADIENTS(, double)

}  // namespace landfall
