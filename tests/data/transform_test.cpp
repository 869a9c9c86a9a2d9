#include <landfall/data/rows/transform.hpp>
#include <landfall/errors.hpp>

#include <cmath>
#include <limits>

#include <data/memory_source.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class TransformRows : public Typed<S> {};
TYPED_TEST_SUITE(TransformRows, Scalars);

/// Half of it zeros; column 1 is constant, column 3 is zero.
template <class S>
RowMatrix<S> half_empty(Index rows) {
  RowMatrix<S> data = gaussian<S>(rows, 6, {1, 0});
  for (Index i = 0; i < data.size(); ++i)
    if (uniform({1, 1}, static_cast<std::uint64_t>(i)) < 0.5) data.data()[i] = 0;
  data.col(1).setConstant(S(0.3));
  data.col(3).setZero();
  data.col(4).array() += S(10);
  return data;
}

template <class S>
Batch<S> read_transformed(const RowMatrix<S>& data, bool sparse) {
  MemorySource<S> source({.rows = data, .sparse = sparse});
  Batch<S> batch;
  source.read(data.rows(), batch);
  return batch;
}

template <class S>
Transform<S> learned(const RowMatrix<S>& data, TransformOptions options) {
  MemorySource<S> source({.rows = data});
  Transform<S> transform("left.csv", data.cols(), options);
  transform.learn(column_statistics<S>(source));
  return transform;
}

TYPED_TEST(TransformRows, ColumnsHaveMeanZeroAndVarianceOne) {
  using S = TypeParam;
  const RowMatrix<S> data = half_empty<S>(500);
  const auto transform = learned<S>(data, {.scaling = Scaling::deviation});
  Batch<S> batch = read_transformed<S>(data, false);
  CentredBatch<S> centred;
  transform.apply(batch, centred);
  ASSERT_EQ(centred.cols(), 4);
  const Matrix<double> rows = centred.batch.dense().template cast<double>();
  const double tolerance = rounding<S>(10);
  EXPECT_LE(rows.rowwise().mean().cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LE((rows.rowwise().squaredNorm() / 500 - Vector<double>::Ones(4)).cwiseAbs().maxCoeff(), tolerance);
}

TYPED_TEST(TransformRows, SparseAndDenseProductsAgree) {
  using S = TypeParam;
  const RowMatrix<S> data = half_empty<S>(200);
  for (const auto centring : {Centring::none, Centring::exact})
    for (const bool unit_variance : {false, true}) {
      const auto transform = learned<S>(data, {.centring = centring, .scaling = unit_variance ? Scaling::deviation : Scaling::none});
      Batch<S> dense_rows = read_transformed<S>(data, false), sparse_rows = read_transformed<S>(data, true);
      CentredBatch<S> dense, sparse;
      transform.apply(dense_rows, dense);
      transform.apply(sparse_rows, sparse);
      EXPECT_TRUE(sparse.batch.sparse());
      EXPECT_LE(sparse.batch.values().size(), 200u * 4);
      ASSERT_EQ(sparse.cols(), dense.cols());
      const Matrix<S> x = gaussian<S>(dense.cols(), 3, {2, 0}), w = gaussian<S>(200, 3, {2, 1});

      Matrix<S> expected(200, 3), got(200, 3);
      dense.times(x, expected);
      sparse.times(x, got);
      // Terms of up to 10 (the mean of a column) are summed, five of them.
      EXPECT_LE((expected - got).cwiseAbs().maxCoeff(), rounding<S>(10));

      const Matrix<S> before = gaussian<S>(dense.cols(), 3, {2, 2});
      for (const S beta : {S(0), S(0.5)}) {
        Matrix<S> expected_t = before, got_t = before;
        if (beta == 0) got_t.setConstant(std::numeric_limits<S>::quiet_NaN());  // must not be read
        dense.transpose_times(w, expected_t, S(2), beta);
        sparse.transpose_times(w, got_t, S(2), beta);
        const Matrix<S> plain = S(2) * dense.batch.dense() * w + beta * before;
        EXPECT_LE((expected_t - plain).cwiseAbs().maxCoeff(), rounding<S>(200));
        EXPECT_LE((expected_t - got_t).cwiseAbs().maxCoeff(), rounding<S>(10 * 2 * 20));  // sums of 200 terms
      }
    }
}

TYPED_TEST(TransformRows, ConstantColumnsAreDroppedAndRestored) {
  using S = TypeParam;
  const RowMatrix<S> data = half_empty<S>(50);
  for (const bool sparse : {false, true}) {
    const auto transform = learned<S>(data, {});
    EXPECT_EQ(transform.dropped(), (std::vector<Index>{1, 3}));
    EXPECT_EQ(transform.kept(), (std::vector<Index>{0, 2, 4, 5}));
    Batch<S> batch = read_transformed<S>(data, sparse);
    CentredBatch<S> centred;
    transform.apply(batch, centred);
    // All columns, with zeros for weights, give the same scores as those kept.
    const Matrix<S> weights = gaussian<S>(4, 2, {3, 0}), all = transform.restore_rows(weights);
    ASSERT_EQ(all.rows(), 6);
    EXPECT_EQ(all.row(1), Matrix<S>::Zero(1, 2));
    EXPECT_EQ(all.row(3), Matrix<S>::Zero(1, 2));
    Matrix<S> scores(50, 2);
    centred.times(weights, scores);
    const Matrix<S> expected = (data.rowwise() - data.colwise().mean()) * all;
    EXPECT_LE((scores - expected).cwiseAbs().maxCoeff(), rounding<S>(20));
    EXPECT_EQ(sentence([&] { transform.restore_rows(all); }), "left.csv: weights for 6 columns, expected 4");
  }
  // Without centring a constant column is no zero.
  EXPECT_EQ(learned<S>(data, {.centring = Centring::none}).dropped(), std::vector<Index>{3});
}

TYPED_TEST(TransformRows, ALargeMeanCostsNoDigits) {
  using S = TypeParam;
  RowMatrix<S> data(4, 1);
  const S large = std::is_same_v<S, float> ? S(8388608) : S(4503599627370496);  // the next number is one more
  data << large, large + 1, large + 2, large + 5;
  const auto transform = learned<S>(data, {});
  Batch<S> batch = read_transformed<S>(data, false);
  CentredBatch<S> centred;
  transform.apply(batch, centred);
  if (std::is_same_v<S, float>) {
    EXPECT_EQ(Matrix<S>(centred.batch.dense()), (Matrix<S>(1, 4) << -2, -1, 0, 3).finished());
  } else {
    EXPECT_LE((Matrix<S>(centred.batch.dense()) - (Matrix<S>(1, 4) << -2, -1, 0, 3).finished()).norm(), 1);
  }
}

TYPED_TEST(TransformRows, MissingValuesAreNamedDroppedOrReplaced) {
  using S = TypeParam;
  constexpr S nan = std::numeric_limits<S>::quiet_NaN(), inf = std::numeric_limits<S>::infinity();
  const std::string precision = std::is_same_v<S, float> ? " in single precision" : "";
  for (const bool sparse : {false, true}) {
    RowMatrix<S> data = half_empty<S>(20);
    const auto error = [&](S value) {
      data(16, 2) = value;
      std::vector<char> drop(20, 0);
      return sentence(
          [&] { Transform<S>("left.csv", 6, {}).check(read_transformed<S>(data, sparse), drop); });
    };
    EXPECT_EQ(error(0), "no error");
    EXPECT_EQ(error(inf), "left.csv: row 17, column 3 is Inf" + precision + "; every entry must be finite");
    EXPECT_EQ(error(-inf), "left.csv: row 17, column 3 is -Inf" + precision + "; every entry must be finite");
    EXPECT_EQ(error(nan), "left.csv: row 17, column 3 is NaN; every entry must be finite");

    std::vector<char> drop(20, 0), expected(20, 0);
    expected[16] = 1;
    learned<S>(data, {.missing = Missing::drop}).check(read_transformed<S>(data, sparse), drop);
    EXPECT_EQ(drop, expected);

    const auto transform = learned<S>(data, {.missing = Missing::mean});
    drop.assign(20, 0);
    transform.check(read_transformed<S>(data, sparse), drop);
    EXPECT_EQ(drop, std::vector<char>(20, 0));
    Batch<S> batch = read_transformed<S>(data, sparse);
    CentredBatch<S> centred;
    transform.apply(batch, centred);
    Matrix<S> scores(20, 1);
    centred.times(Vector<S>::Unit(4, 1), scores);  // column 2 of the source is the second of those kept
    EXPECT_TRUE(scores.allFinite());
    EXPECT_LE(std::abs(scores(16)), rounding<S>(1));
  }
}

TEST(TransformRows, SaysWhatIsWrong) {
  Batch<double> batch;
  batch.start_dense(3);
  CentredBatch<double> centred;
  EXPECT_EQ(sentence([&] { Transform<double>("left.csv", 4, {}).apply(batch, centred); }),
            "left.csv: a batch of 3 columns, expected 4");
  RowMatrix<double> huge(2, 1);
  huge << 1e300, -1e300;
  EXPECT_EQ(sentence([&] { learned<double>(huge, {.scaling = Scaling::deviation}); }),
            "left.csv: column 1 has numbers too large for their mean or variance");
}

}  // namespace
}  // namespace landfall::test
