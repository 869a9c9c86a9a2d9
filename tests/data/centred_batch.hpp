// Rows of matrices as batches that are centred already.
#pragma once

#include <landfall/landing/view_samples.hpp>

namespace landfall::test {

/// The first row has the number `first`.
template <class S>
CentredBatch<S> batch_of(const Matrix<S>& rows, Index first = 0) {
  CentredBatch<S> result;
  result.batch.start_dense(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto out = result.batch.add_row(first + i);
    for (Index j = 0; j < rows.cols(); ++j) out[static_cast<std::size_t>(j)] = rows(i, j);
  }
  return result;
}

/// Of several views, `size` rows each.
template <class S>
InMemoryBatches<S> batches_of(const std::vector<Matrix<S>>& views, Index size) {
  InMemoryBatches<S> result;
  for (Index first = 0; first < views[0].rows(); first += size) {
    auto& batch = result.emplace_back();
    for (const auto& view : views)
      batch.push_back(batch_of<S>(view.middleRows(first, std::min(size, view.rows() - first)), first));
  }
  return result;
}

}  // namespace landfall::test
