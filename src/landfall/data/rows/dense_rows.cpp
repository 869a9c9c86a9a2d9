#include <landfall/data/rows/dense_rows.hpp>

namespace landfall {

template <class S>
Eigen::Ref<const Matrix<S>> DenseRows<S>::operator()(const CentredBatch<S>& view) {
  if (!view.batch.sparse()) return view.batch.dense();
  auto& identity = unit_.resize(view.rows(), view.rows());
  identity.setIdentity();
  dense_.resize(view.cols(), view.rows());
  view.transpose_times(identity, dense_, 1, 0);
  return dense_;
}

template class DenseRows<float>;
template class DenseRows<double>;

}  // namespace landfall
