// Weights of rows: what is refused, and statistics that are those of repeated rows.
#include <landfall/data/formats/weights.hpp>
#include <landfall/data/rows/row_weights.hpp>
#include <landfall/data/rows/stream.hpp>
#include <landfall/errors.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>

#include <data/memory_source.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

std::string refusal(std::vector<double> weights) {
  return message<DataError>([&] { RowWeights("w.csv", std::move(weights)); });
}

TEST(RowWeights, AreMultiplesOfAPowerOfTwo) {
  const RowWeights weights("w.csv", {1, 0, 2, 6});
  EXPECT_EQ(weights.unit(), 2);
  EXPECT_EQ(weights[3], 3);
  EXPECT_EQ(weights[1], 0);
  EXPECT_FALSE(weights.equal());
  EXPECT_TRUE(weights.has_zeros());
  const RowWeights large("w.csv", {1e308, 1e308, 0.5e308});  // their sum is no number
  EXPECT_EQ(large[0] * large.unit(), 1e308);
}

TEST(RowWeights, ThatAreEqualAreOnes) {
  const RowWeights same("w.csv", {0.3, 0.3, 0.3}), some("w.csv", {0.3, 0, 0.3});
  EXPECT_TRUE(same.trivial());
  EXPECT_EQ(same[2], 1);
  EXPECT_TRUE(some.equal());
  EXPECT_FALSE(some.trivial());
  EXPECT_EQ(some[0], 1);
}

TEST(RowWeights, AreRefusedWithTheirRow) {
  EXPECT_EQ(refusal({1, -2}),
            "w.csv: row 2 has the weight -2, expected a finite number that is not negative");
  EXPECT_EQ(refusal({std::nan(""), 1}),
            "w.csv: row 1 has the weight nan, expected a finite number that is not negative");
  EXPECT_EQ(refusal({1, 1, std::numeric_limits<double>::infinity()}),
            "w.csv: row 3 has the weight inf, expected a finite number that is not negative");
  EXPECT_EQ(refusal({0, 0}), "w.csv: all weights are 0, expected a positive one");
  EXPECT_EQ(refusal({}), "w.csv: no weights, expected one per row");
}

TEST(RowWeights, AreReadFromAFileOrAColumn) {
  const TemporaryFolder folder;
  std::ofstream(folder / "w.csv") << "1\n0\n2.5\n";
  std::ofstream(folder / "table.csv") << "a,w,b\n5,2,7\n4,4,8\n";
  EXPECT_EQ(read_weights(folder / "w.csv").rows(), 3);
  EXPECT_EQ(read_weights(folder / "table.csv", {.columns = {"w"}}).unit(), 2);
  EXPECT_NE(message<DataError>([&] {
              read_weights(folder / "table.csv");
            }).find("3 columns, expected one column of weights"),
            std::string::npos);
  std::ofstream(folder / "bad.csv") << "w\n1\n-1\n";
  EXPECT_NE(
      message<DataError>([&] { read_weights(folder / "bad.csv"); }).find("bad.csv: row 2 has the weight -1"),
      std::string::npos);
}

template <class S>
class WeightedStatistics : public Typed<S> {};
TYPED_TEST_SUITE(WeightedStatistics, Scalars);

TYPED_TEST(WeightedStatistics, AreThoseOfRepeatedRows) {
  using S = TypeParam;
  for (const bool sparse : {false, true}) {
    RowMatrix<S> rows = gaussian<S>(300, 6, {1, 0});
    rows = (rows.array() > 0).select(rows, sparse ? S(0) : rows(0, 0)).eval();
    rows.col(1).array() += S(1000);
    rows(7, 2) = rows(100, 2) = std::numeric_limits<S>::quiet_NaN();
    rows.col(3).setConstant(5);
    std::vector<double> weights;
    std::vector<Index> numbers;
    for (Index i = 0; i < rows.rows(); ++i) {
      weights.push_back(static_cast<double>(1 + i % 4));
      for (Index k = 0; k <= i % 4; ++k) numbers.push_back(i);
    }
    const auto statistics = [&](const RowMatrix<S>& data, std::span<const double> of) {
      MemorySource<S> source({.rows = data, .sparse = sparse});
      RunningStatistics<S> running(data.cols());
      Batch<S> batch;
      for (std::size_t at = 0; source.read(70, batch) > 0; at += batch.numbers().size())
        running.add(batch, of.empty() ? of : of.subspan(at, batch.numbers().size()));
      return running.summary();
    };
    const ColumnStatistics weighted = statistics(rows, weights),
                           repeated = statistics(rows(numbers, Eigen::all), {});
    EXPECT_EQ(weighted.rows, 300);
    EXPECT_EQ(weighted.constant, repeated.constant);
    EXPECT_EQ(weighted.missing[2], 2);
    const auto near = [&](const Vector<double>& a, const Vector<double>& b) {
      EXPECT_LT(((a - b).cwiseAbs().array() / (b.cwiseAbs().array() + 1e-300)).maxCoeff(), 1e-11);
    };
    near(weighted.mean, repeated.mean);
    near(weighted.variance, repeated.variance);
    near(weighted.fourth, repeated.fourth);
    EXPECT_EQ(weighted.min, repeated.min);
    EXPECT_EQ(weighted.max, repeated.max);
  }
}

template <class S>
class WeightedStream : public Typed<S> {};
TYPED_TEST_SUITE(WeightedStream, Scalars);

/// Sums of squares of what the stream hands out are weighted covariances times the number of rows; products and squares of sparse
/// rows are those of dense ones.
TYPED_TEST(WeightedStream, HandsOutRowsTimesTheRootsOfTheirWeights) {
  using S = TypeParam;
  RowMatrix<S> rows = gaussian<S>(200, 5, {2, 0});
  rows = (rows.array() > -0.3).select(rows, S(0)).eval();
  rows.array() += (rows.array() != 0).template cast<S>() * S(3);
  std::vector<double> weights;
  for (Index i = 0; i < 200; ++i) weights.push_back(static_cast<double>(i % 5) / 7);
  rows(5, 1) = std::numeric_limits<S>::quiet_NaN();  // of weight 0
  const auto shared = std::make_shared<const RowWeights>("w.csv", weights);
  Matrix<double> expected = Matrix<double>::Zero(5, 5);
  Vector<double> mean = Vector<double>::Zero(5);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const Matrix<double> all = rows.template cast<double>();
  for (Index i = 0; i < 200; ++i)
    if (weights[i] > 0) mean += weights[i] / sum * all.row(i).transpose();
  for (Index i = 0; i < 200; ++i)
    if (weights[i] > 0) {
      const Vector<double> d = all.row(i).transpose() - mean;
      expected += weights[i] / sum * d * d.transpose();
    }
  for (const bool sparse : {false, true}) {
    std::vector<SourcePtr<S>> views;
    views.push_back(std::make_unique<MemorySource<S>>(MemoryFile<S>{.rows = rows, .sparse = sparse}));
    DataStream<S> stream(std::move(views), {.batch = 32, .weights = shared});
    EXPECT_EQ(stream.statistics(0)->rows, 160);
    EXPECT_NEAR(stream.sum_of_weights(), sum, 1e-12 * sum);
    Matrix<S> product = Matrix<S>::Zero(5, 5);
    Vector<double> squares = Vector<double>::Zero(5);
    double weight = 0;
    stream.begin_pass(3);
    while (stream.next()) {
      const CentredBatch<S>& view = stream.view(0);
      Matrix<S> scores(view.rows(), 5);
      view.times(Matrix<S>::Identity(5, 5), scores);
      view.transpose_times(scores, product, 1, 1);
      weight += static_cast<double>(view.roots().squaredNorm());
    }
    const double tolerance = sizeof(S) == 4 ? 2e-5 : 1e-13;
    EXPECT_NEAR(weight, 160, 160 * tolerance);
    EXPECT_LT((product.template cast<double>() / 160 - expected).norm(), tolerance * expected.norm());
  }
}

TEST(WeightedStreams, RefuseWhatTheyCannotWeigh) {
  const auto weights = std::make_shared<const RowWeights>("w.csv", std::vector<double>{1, 2, 3});
  const auto open = [&](MemoryFile<double> file, StreamOptions options = {}) {
    std::vector<SourcePtr<double>> views;
    views.push_back(std::make_unique<MemorySource<double>>(std::move(file)));
    options.weights = weights;
    const DataStream<double> stream(std::move(views), options);
  };
  const RowMatrix<double> three = gaussian<double>(3, 2, {1, 0}), four = gaussian<double>(4, 2, {1, 0}),
                          two = gaussian<double>(2, 2, {1, 0});
  open({.rows = three});
  EXPECT_EQ(sentence([&] { open({.rows = four, .random_access = true}); }),
            "w.csv has 3 weights and left.csv has 4 rows; expected the same number");
  EXPECT_EQ(sentence([&] { open({.rows = two}); }),
            "w.csv has 3 weights and left.csv has 2 rows; expected the same number");
  EXPECT_NE(sentence([&] { open({.rows = four}); }).find("w.csv"), std::string::npos);
  EXPECT_NE(
      message<UsageError>([&] { open({.rows = three, .once = true}); }).find("weights require an extra pass"),
      std::string::npos);
}

}  // namespace
}  // namespace landfall::test
