#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/data/rows/rows.hpp>

namespace landfall {

template <class S>
Eigen::Ref<const Matrix<S>> DenseRows<S>::operator()(const CentredBatch<S>& view) {
  if (!view.batch.sparse()) return view.batch.dense();
  dense_.setZero(view.cols(), view.rows());
  for (Index i = 0; i < view.rows(); ++i) {
    auto row = dense_.col(i);
    each_entry(view.batch, i, [&](Index j, S value) { row(j) = value; });
  }
  if (view.mean.size() > 0) dense_.noalias() -= view.mean * view.roots().transpose();
  return dense_;
}

template class DenseRows<float>;
template class DenseRows<double>;

}  // namespace landfall
