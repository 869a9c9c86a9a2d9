// What every source of a known matrix must do; with the bytes of files to make sources of.
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>
#include <vector>

#include <data/file_bytes.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace landfall::test {

/// Batches of a source, dense or sparse, are the rows of m: in order, twice; and in any order where it can.
template <class S>
void expect_rows(Source<S>& source, const Matrix<S>& m, std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("{}, {}x{}", source.name(), m.rows(), m.cols()));
  ASSERT_EQ(source.cols(), m.cols());
  EXPECT_EQ(source.rows().value_or(m.rows()), m.rows());
  Batch<S> batch;
  const auto matches = [&](std::span<const Index> expected) {
    ASSERT_EQ(batch.rows(), static_cast<Index>(expected.size()));
    ASSERT_EQ(batch.sparse(), source.sparse());
    Matrix<S> found(batch.rows(), m.cols());
    batch.times(Matrix<S>::Identity(m.cols(), m.cols()), found);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(batch.numbers()[i], expected[i]);
      ASSERT_TRUE(found.row(static_cast<Index>(i)) == m.row(expected[i])) << "row " << expected[i];
    }
  };
  for (const Index count : {Index{1}, Index{3}, Index{7}, m.rows(), m.rows() + 5}) {
    if (count == 1 && m.rows() > 20) continue;
    Index next = 0;
    while (const Index found = source.read(count, batch)) {
      ASSERT_EQ(found, std::min(count, m.rows() - next));
      std::vector<Index> expected(static_cast<std::size_t>(found));
      for (auto& row : expected) row = next++;
      matches(expected);
    }
    EXPECT_EQ(next, m.rows());
    EXPECT_EQ(source.read(count, batch), 0);
    EXPECT_EQ(batch.rows(), 0);
    source.rewind();
  }
  EXPECT_THROW(source.read(0, batch), UsageError);
  if (!source.random_access()) {
    EXPECT_THROW(source.read_rows(std::vector<Index>{0}, batch), UsageError);
    return;
  }
  std::vector<Index> wanted(11);
  for (std::uint64_t i = 0; i < wanted.size(); ++i)
    wanted[i] = static_cast<Index>(uniform({seed, 2}, i) * static_cast<double>(m.rows()));
  source.read_rows(wanted, batch);
  matches(wanted);
  source.read_rows({}, batch);
  EXPECT_EQ(batch.rows(), 0);
  for (const Index row : {Index{-1}, m.rows()})
    EXPECT_THROW(source.read_rows(std::vector<Index>{0, row}, batch), UsageError);
}

}  // namespace landfall::test
