#include <landfall/linalg/rotation.hpp>

#include <Eigen/SVD>

namespace landfall {

template <class S>
Matrix<S> nearest_rotation(const Matrix<S>& m) {
  const Eigen::BDCSVD<Matrix<S>> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

template Matrix<float> nearest_rotation<float>(const Matrix<float>&);
template Matrix<double> nearest_rotation<double>(const Matrix<double>&);

}  // namespace landfall
