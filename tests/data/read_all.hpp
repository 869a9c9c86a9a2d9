// All rows of a source as one dense matrix, and the sentences of misuse.
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/errors.hpp>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace landfall::test {

template <class S>
struct Everything {
  RowMatrix<S> rows;
  std::vector<double> labels;
};

template <class S>
void append_row(const Batch<S>& batch, Index i, RowMatrix<S>& out) {
  if (!batch.sparse()) {
    out.row(out.rows() - 1) = batch.dense().col(i).transpose();
    return;
  }
  const auto at = static_cast<std::size_t>(i);
  out.row(out.rows() - 1).setZero();
  for (auto k = static_cast<std::size_t>(batch.starts()[at]);
       k < static_cast<std::size_t>(batch.starts()[at + 1]); ++k)
    out(out.rows() - 1, batch.columns()[k]) = batch.values()[k];
}

/// In batches of `step` rows, whose numbers must be those of a single reading.
template <class S>
Everything<S> read_all(Source<S>& source, Index step = 3) {
  Everything<S> out{RowMatrix<S>(0, source.cols()), {}};
  Batch<S> batch;
  while (source.read(step, batch) > 0) {
    EXPECT_EQ(batch.cols(), source.cols());
    EXPECT_EQ(batch.sparse(), source.sparse());
    for (Index i = 0; i < batch.rows(); ++i) {
      EXPECT_EQ(batch.numbers()[static_cast<std::size_t>(i)], out.rows.rows());
      out.rows.conservativeResize(out.rows.rows() + 1, Eigen::NoChange);
      append_row(batch, i, out.rows);
    }
    out.labels.insert(out.labels.end(), source.labels().begin(), source.labels().end());
  }
  EXPECT_EQ(source.rows(), out.rows.rows());
  return out;
}

/// Bit by bit: -0 is not 0, and a NaN equals itself.
template <class S>
bool same_bits(const RowMatrix<S>& a, const RowMatrix<S>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(S) * static_cast<std::size_t>(a.size())) == 0;
}

inline std::string usage_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace landfall::test
