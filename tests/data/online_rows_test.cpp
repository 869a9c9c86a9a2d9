// Rows that are pushed, regrouped and centred on the way.
#include <landfall/data/rows/online_rows.hpp>

#include "support.hpp"

namespace landfall::test {
namespace {

TEST(OnlineRows, EqualWeightsGiveTheCovarianceAboutTheLastMeanExactly) {
  const Index count = 300, n = 4, r = 30;
  Matrix<double> all = gaussian<double>(n, count, {1, 2});
  for (Index i = 0; i < count; ++i) all.col(i).array() += 0.05 * static_cast<double>(i);  // the mean moves
  OnlineRows<double> rows({"data"}, {.batch = r, .first_rows = 60});
  Matrix<double> covariance = Matrix<double>::Zero(n, n), second(n, n);
  const auto moments = [&](const CentredBatch<double>& batch) {
    batch.batch.transpose_times(batch.batch.dense().transpose(), second, 1.0 / static_cast<double>(r), 0);
    return second;
  };
  Batch<double> pushed;
  for (Index first = 0; first < count; first += 50) {
    pushed.start_dense(n);
    for (Index i = first; i < first + 50; ++i)
      Eigen::Map<Vector<double>>(pushed.add_row(i).data(), n) = all.col(i);
    rows.push({&pushed});
    while (rows.next()) {
      if (!rows.kept()) {
        const double share = static_cast<double>(r) / static_cast<double>(rows.rows());
        covariance = (1 - share) * covariance + share * moments(rows.centred()[0]);
      } else if (rows.complete()) {
        for (const auto& batch : rows.first()) covariance += moments(batch[0]) / 2;
        rows.release_first();
      }
    }
  }
  ASSERT_EQ(rows.rows(), count);
  const Vector<double> mean = all.rowwise().mean();
  const Matrix<double> centred = all.colwise() - mean;
  EXPECT_LT((rows.columns(0).mean - mean).norm(), 1e-12);
  EXPECT_LT((covariance - centred * centred.transpose() / static_cast<double>(count)).norm(), 1e-11);
}

TEST(OnlineRows, TheFirstRowsComeOnceMoreInTheUnitsTheyChose) {
  const Index count = 200, n = 3;
  Matrix<double> all = gaussian<double>(n, count, {3, 4});
  all.row(1) *= 1e4;
  OnlineRows<double> rows({"data"}, {.batch = 20, .first_rows = 60, .scaling = Scaling::deviation});
  Batch<double> pushed;
  pushed.start_dense(n);
  for (Index i = 0; i < count; ++i) Eigen::Map<Vector<double>>(pushed.add_row(i).data(), n) = all.col(i);
  rows.push({&pushed});
  std::vector<Index> replayed;
  while (rows.next()) {
    if (rows.kept()) {
      if (rows.complete()) rows.release_first();
      continue;
    }
    const auto& batch = rows.centred()[0];
    if (!rows.replay()) continue;
    const auto numbers = batch.batch.numbers();
    replayed.insert(replayed.end(), numbers.begin(), numbers.end());
    const Vector<double> mean = rows.columns(0).mean, scale = rows.scale(0);
    EXPECT_LT((batch.batch.dense().col(0) - (all.col(numbers[0]) - mean).cwiseQuotient(scale)).norm(), 1e-12);
  }
  ASSERT_EQ(replayed.size(), 60U);
  for (std::size_t i = 0; i < replayed.size(); ++i) EXPECT_EQ(replayed[i], static_cast<Index>(i));
  const Matrix<double> first = all.leftCols(60);
  const Vector<double> deviation =
      ((first.colwise() - first.rowwise().mean()).rowwise().squaredNorm() / 60).cwiseSqrt();
  EXPECT_LT((rows.scale(0) - deviation).norm(), 1e-9 * deviation.norm());
}

}  // namespace
}  // namespace landfall::test
