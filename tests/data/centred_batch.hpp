// Rows of a matrix as a batch that is centred already; the first of them has the number `first`.
#pragma once

#include <landfall/data/rows/transform.hpp>

namespace landfall::test {

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

}  // namespace landfall::test
