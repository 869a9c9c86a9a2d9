// Pearson's correlations by their definition.
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall::test {

/// Of each column of a with each of b; 0 for a constant one.
inline Matrix<double> pearson(const Matrix<double>& a, const Matrix<double>& b) {
  const Matrix<double> x = a.rowwise() - a.colwise().mean(), y = b.rowwise() - b.colwise().mean();
  Matrix<double> r = x.transpose() * y;
  for (Index j = 0; j < r.rows(); ++j)
    for (Index k = 0; k < r.cols(); ++k) {
      const double scale = x.col(j).norm() * y.col(k).norm();
      r(j, k) = scale > 0 ? r(j, k) / scale : 0;
    }
  return r;
}

}  // namespace landfall::test
