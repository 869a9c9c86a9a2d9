// The same numbers through every text format, plain and compressed, are the same bits.
#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/matrix_market_source.hpp>
#include <landfall/data/formats/svmlight_source.hpp>

#include <data/gzip_bytes.hpp>
#include <data/read_all.hpp>
#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class TextFormats : public Typed<S> {};
TYPED_TEST_SUITE(TextFormats, Scalars);

/// Numbers over all magnitudes of the scalar, the extreme ones among them; some rows are zero. Zeros are +0,
/// as a sparse format does not list them.
template <class S>
RowMatrix<S> random_rows(Index rows, Index cols, std::uint64_t seed) {
  using Limits = std::numeric_limits<S>;
  const S extremes[] = {Limits::max(),        Limits::lowest(), Limits::min(),
                        Limits::denorm_min(), S(0.1),           S(-1) / 3};
  RowMatrix<S> m = RowMatrix<S>::Zero(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    if (uniform({seed, 1}, static_cast<std::uint64_t>(i)) < 0.3) continue;
    for (Index j = 0; j < cols; ++j) {
      const auto at = static_cast<std::uint64_t>(i * cols + j);
      const double u = uniform({seed, 2}, at), v = uniform({seed, 3}, at);
      if (u < 0.1)
        m(i, j) = extremes[static_cast<std::size_t>(6 * v)];
      else if (u < 0.6)
        m(i, j) = static_cast<S>((v - 0.5) * std::pow(2.0, Limits::max_exponent * (2 * u - 0.9)));
    }
  }
  return m;
}

TYPED_TEST(TextFormats, AgreeBitByBitPlainAndCompressed) {
  using S = TypeParam;
  const TemporaryFolder folder;
  std::uint64_t seed = 0;
  for (const auto& [rows, cols] :
       {std::pair<Index, Index>{1, 1}, {1, 9}, {9, 1}, {5, 3}, {60, 17}, {200, 40}}) {
    SCOPED_TRACE(fmt::format("{}x{}", rows, cols));
    const RowMatrix<S> m = random_rows<S>(rows, cols, ++seed);
    const Eigen::SparseMatrix<S, Eigen::RowMajor> sparse = m.sparseView(S(1), S(0));
    std::vector<double> labels;
    std::vector<Index> qids;
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(uniform({seed, 4}, static_cast<std::uint64_t>(i)));
      qids.push_back(i / 2);
    }
    write_csv<S>(folder / "m.csv", m);
    write_csv<S>(folder / "m.tsv", m, {.separator = '\t'});
    write_svmlight<S>(folder / "m.svm", sparse, labels, qids);
    write_matrix_market<S>(folder / "m.mtx", m);
    write_matrix_market<S>(folder / "s.mtx", Eigen::SparseMatrix<S>(sparse));
    for (const std::string end : {"", ".gz"}) {
      if (!end.empty())
        for (const std::string& name : folder.names())
          if (!name.ends_with(".gz")) folder.file(name + end, gzip_bytes(content(folder / name)));
      CsvSource<S> csv(folder / ("m.csv" + end), {.separator = ','}),
          tsv(folder / ("m.tsv" + end), {.separator = '\t'});
      SvmlightSource<S> svm(folder / ("m.svm" + end), {.cols = cols, .first_index = 1});
      MatrixMarketSource<S> array(folder / ("m.mtx" + end)), coordinates(folder / ("s.mtx" + end));
      EXPECT_TRUE(same_bits(read_all(csv).rows, m)) << end;
      EXPECT_TRUE(same_bits(read_all(tsv, 1).rows, m)) << end;
      const auto all = read_all(svm, 7);
      EXPECT_TRUE(same_bits(all.rows, m)) << end;
      EXPECT_EQ(all.labels, labels);
      EXPECT_TRUE(same_bits(read_all(array).rows, m)) << end;
      EXPECT_TRUE(same_bits(read_all(coordinates).rows, m)) << end;
      svm.rewind();
      Batch<S> batch;
      svm.read(rows, batch);
      EXPECT_EQ(std::vector<Index>(svm.qids().begin(), svm.qids().end()), qids);
      EXPECT_EQ(batch.values().size(), static_cast<std::size_t>(sparse.nonZeros()));
    }
  }
}

TYPED_TEST(TextFormats, BatchesCanBeWrittenDenseAndSparse) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const RowMatrix<S> m = random_rows<S>(30, 6, 77);
  write_csv<S>(folder / "m.csv", m);
  CsvWriter<S> csv(folder / "copy.csv");
  SvmlightWriter<S> svm(folder / "copy.svm");
  CsvSource<S> source(folder / "m.csv");
  Batch<S> batch;
  while (source.read(7, batch) > 0) svm.write(batch);
  svm.commit();
  SvmlightSource<S> sparse(folder / "copy.svm", {.cols = 6});
  while (sparse.read(11, batch) > 0) csv.write(batch);
  csv.commit();
  EXPECT_EQ(content(folder / "copy.csv"), content(folder / "m.csv"));
}

TYPED_TEST(TextFormats, SpecialValuesComeBack) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const S infinity = std::numeric_limits<S>::infinity(), nan = std::numeric_limits<S>::quiet_NaN();
  const RowMatrix<S> m = (RowMatrix<S>(2, 2) << infinity, -infinity, nan, S(-0.0)).finished();
  write_csv<S>(folder / "m.csv", m);
  CsvSource<S> csv(folder / "m.csv");
  EXPECT_TRUE(same_bits(read_all(csv).rows, m));
}

}  // namespace
}  // namespace landfall::test
