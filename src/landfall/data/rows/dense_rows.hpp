// The rows of a batch as columns of a dense matrix, for methods that can afford n x n.
//
//   landfall::DenseRows<float> dense;    // keeps its memory from batch to batch
//   const auto columns = dense(stream.view(0));
//   use(columns * columns.transpose());
#pragma once

#include <landfall/data/rows/stream.hpp>

namespace landfall {

template <class S>
class DenseRows {
 public:
  /// Centred and scaled. Those of a dense batch are its own; valid until the next call or batch.
  Eigen::Ref<const Matrix<S>> operator()(const CentredBatch<S>& view);

 private:
  Matrix<S> dense_;
};

extern template class DenseRows<float>;
extern template class DenseRows<double>;

}  // namespace landfall
