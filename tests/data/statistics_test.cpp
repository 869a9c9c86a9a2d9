#include <landfall/data/rows/statistics.hpp>
#include <landfall/errors.hpp>

#include <cmath>
#include <limits>

#include <data/memory_source.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class Statistics : public Typed<S> {};
TYPED_TEST_SUITE(Statistics, Scalars);

template <class S>
ColumnStatistics statistics_of(const RowMatrix<S>& rows, bool sparse = false) {
  MemorySource<S> source({.rows = rows, .sparse = sparse});
  return column_statistics<S>(source);
}

/// The two-pass formula, with more digits.
template <class S>
void expect_two_pass(const RowMatrix<S>& rows, const ColumnStatistics& columns, double tolerance = 1e-14) {
  EXPECT_EQ(columns.rows, rows.rows());
  EXPECT_EQ(columns.nonzeros, (rows.array().isFinite() && rows.array() != 0).count());
  for (Index j = 0; j < rows.cols(); ++j) {
    long double sum = 0, squares = 0;
    Index count = 0;
    for (Index i = 0; i < rows.rows(); ++i)
      if (std::isfinite(rows(i, j))) sum += static_cast<long double>(rows(i, j)), ++count;
    EXPECT_EQ(columns.missing[static_cast<std::size_t>(j)], rows.rows() - count);
    const long double mean = count > 0 ? sum / static_cast<long double>(count) : 0;
    for (Index i = 0; i < rows.rows(); ++i)
      if (std::isfinite(rows(i, j))) squares += (rows(i, j) - mean) * (rows(i, j) - mean);
    const auto variance = static_cast<double>(count > 0 ? squares / static_cast<long double>(count) : 0);
    EXPECT_NEAR(columns.mean(j), static_cast<double>(mean),
                tolerance * std::sqrt(double(mean * mean) + variance))
        << j;
    EXPECT_NEAR(columns.variance(j), variance, tolerance * variance) << j;
  }
}

TYPED_TEST(Statistics, AreThoseOfTheTwoPassFormula) {
  using S = TypeParam;
  for (const Index rows : {1, 2, 63, 64, 65, 1025, 20000}) {
    RowMatrix<S> data = gaussian<S>(rows, 5, {3, 0});
    data.col(1).array() += S(1e8);
    data.col(2) *= S(1e-12);
    data.col(3) = data.col(3) * S(1e3) + Vector<S>::Constant(rows, S(-1e8));
    const auto columns = statistics_of<S>(data);
    expect_two_pass<S>(data, columns);
    EXPECT_EQ(columns.min, data.colwise().minCoeff().transpose().template cast<double>());
    EXPECT_EQ(columns.max, data.colwise().maxCoeff().transpose().template cast<double>());
  }
}

TYPED_TEST(Statistics, AFarFirstRowCostsLittle) {
  using S = TypeParam;
  // Sums are relative to the first number c, and |c - mean| <= sqrt(N) deviations: at worst about sqrt(N)
  // roundings.
  constexpr Index rows = 20000;
  RowMatrix<S> data = gaussian<S>(rows, 2, {3, 1});
  data.row(0).setConstant(S(1e6));
  const double tolerance = 4 * std::numeric_limits<double>::epsilon() * std::sqrt(double(rows));
  expect_two_pass<S>(data, statistics_of<S>(data), tolerance);
  expect_two_pass<S>(data, statistics_of<S>(data, true), tolerance);
}

TYPED_TEST(Statistics, SparseRowsGiveTheSame) {
  using S = TypeParam;
  RowMatrix<S> data = gaussian<S>(3000, 6, {4, 0});
  for (Index i = 0; i < data.rows(); ++i)
    for (Index j = 0; j < data.cols(); ++j)
      if (uniform({4, 1}, static_cast<std::uint64_t>(i * 6 + j)) > 0.2 * double(j)) data(i, j) = 0;
  data.col(5).array() += S(1e4);  // no zeros
  data(17, 2) = std::numeric_limits<S>::quiet_NaN();
  const auto dense = statistics_of<S>(data), sparse = statistics_of<S>(data, true);
  expect_two_pass<S>(data, dense);
  expect_two_pass<S>(data, sparse);
  EXPECT_EQ(sparse.min, dense.min);
  EXPECT_EQ(sparse.max, dense.max);
  EXPECT_EQ(sparse.missing, dense.missing);
  EXPECT_EQ(sparse.constant, dense.constant);
  EXPECT_EQ(sparse.constant, std::vector<Index>{0});
}

TYPED_TEST(Statistics, MissingValuesEnterNothing) {
  using S = TypeParam;
  constexpr S nan = std::numeric_limits<S>::quiet_NaN(), inf = std::numeric_limits<S>::infinity();
  RowMatrix<S> data = gaussian<S>(500, 4, {5, 0});
  data.array() += S(100);
  for (Index i = 0; i < 500; i += 7) data(i, 1) = i % 2 ? nan : inf;
  data.col(2).setConstant(nan);
  data.col(3).head(300).setConstant(-inf);  // the first numbers come late
  for (const bool sparse : {false, true}) {
    const auto columns = statistics_of<S>(data, sparse);
    expect_two_pass<S>(data, columns);
    EXPECT_EQ(columns.constant, std::vector<Index>{2});
    EXPECT_GT(columns.min(1), 90);
    EXPECT_LT(columns.max(3), 110);
    EXPECT_GT(columns.min(3), 90);
    EXPECT_EQ(columns.min(2), 0);
  }
}

TYPED_TEST(Statistics, ConstantColumnsAreExact) {
  using S = TypeParam;
  RowMatrix<S> data = gaussian<S>(777, 4, {6, 0});
  data.col(0).setConstant(S(0.1));
  data.col(2).setZero();
  for (const bool sparse : {false, true}) {
    const auto columns = statistics_of<S>(data, sparse);
    EXPECT_EQ(columns.constant, (std::vector<Index>{0, 2}));
    EXPECT_EQ(columns.mean(0), double(S(0.1)));
    EXPECT_EQ(columns.variance(0), 0);
    EXPECT_EQ(columns.mean(2), 0);
  }
}

TYPED_TEST(Statistics, AddUpWhateverTheBatches) {
  using S = TypeParam;
  const RowMatrix<S> data = gaussian<S>(1000, 3, {7, 0});
  for (const Index size : {1, 7, 1000}) {
    MemorySource<S> source({.rows = data});
    RunningStatistics<S> running(3);
    Batch<S> batch;
    while (source.read(size, batch) > 0) running.add(batch);
    expect_two_pass<S>(data, running.summary());
  }
  RunningStatistics<S> running(4);
  Batch<S> batch;
  batch.start_dense(3);
  EXPECT_EQ(sentence([&] { running.add(batch); }), "a batch of 3 columns, expected 4");
  EXPECT_EQ(running.summary().mean, Vector<double>::Zero(4));
}

}  // namespace
}  // namespace landfall::test
