#include <landfall/landing/subspace/ritz.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <fmt/format.h>

namespace landfall {

Ritz solve_ritz(const std::vector<Matrix<double>>& metric, const Matrix<double>& cross, Index count,
                double tolerance) {
  std::vector<Matrix<double>> basis;
  for (std::size_t k = 0; k < metric.size(); ++k) {
    basis.push_back(orthonormalizing_factor<double>(metric[k], tolerance));
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
