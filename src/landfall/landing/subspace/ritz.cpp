#include <landfall/landing/subspace/ritz.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

/// Directions that are nothing but rounding of the products have x'Bx of either sign: here they have none.
Matrix<double> positive_part(const Matrix<double>& metric) {
  const Vector<double> scale = metric.diagonal().cwiseMax(0.0).cwiseSqrt();
  const Vector<double> inverse = scale.unaryExpr([](double x) { return x > 0 ? 1 / x : 0.0; });
  SymmetricEigen<double> eigen;
  eigen.compute(Matrix<double>(inverse.asDiagonal() * metric * inverse.asDiagonal()));
  if (eigen.values()(0) >= 0 && metric.diagonal().minCoeff() >= 0) return metric;
  const Matrix<double> root = scale.asDiagonal() * eigen.vectors();
  return root * eigen.values().cwiseMax(0.0).asDiagonal() * root.transpose();
}

}  // namespace

Ritz solve_ritz(const std::vector<Matrix<double>>& metric, const Matrix<double>& cross, Index count,
                double tolerance) {
  std::vector<Matrix<double>> basis;
  for (std::size_t k = 0; k < metric.size(); ++k) {
    basis.push_back(orthonormalizing_factor<double>(positive_part(metric[k]), tolerance));
    if (basis[k].cols() < count)
      throw LowRank(fmt::format("rank {}, expected at least p = {}", basis[k].cols(), count), k,
                    basis[k].cols());
  }
  if (metric.size() == 2) {
    const Svd<double> parts = svd<double>(basis[0].transpose() * cross * basis[1]);
    return {{basis[0] * parts.u.leftCols(count), basis[1] * parts.v.leftCols(count)},
            parts.values.head(count)};
  }
  Matrix<double> small = basis[0].transpose() * cross * basis[0];
  symmetrize<double>(small);
  SymmetricEigen<double> eigen;
  eigen.compute(small);
  return {{basis[0] * eigen.vectors().rightCols(count).rowwise().reverse()},
          eigen.values().tail(count).reverse()};
}

}  // namespace landfall
