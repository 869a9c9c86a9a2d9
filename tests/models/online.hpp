// Rows of a matrix as batches, for models that are pushed batches.
#pragma once

#include <landfall/data/rows/batch.hpp>

#include <string>

#include <gtest/gtest.h>

namespace landfall::test {

/// Rows first, first + 1, ... Sparse ones leave out the zeros.
template <class S>
Batch<S> some_rows(const RowMatrix<S>& rows, Index first, Index count, bool sparse = false) {
  Batch<S> batch;
  if (sparse)
    batch.start_sparse(rows.cols());
  else
    batch.start_dense(rows.cols());
  for (Index i = first; i < first + count; ++i) {
    if (!sparse) {
      Eigen::Map<Vector<S>>(batch.add_row(i).data(), rows.cols()) = rows.row(i).transpose();
      continue;
    }
    batch.add_sparse_row(i);
    for (Index j = 0; j < rows.cols(); ++j)
      if (rows(i, j) != 0) batch.add_entry(j, rows(i, j));
  }
  return batch;
}

/// What the exception says.
template <class Error, class Call>
std::string sentence(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace landfall::test
