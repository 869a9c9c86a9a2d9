#include <landfall/data/formats/matrix_market_source.hpp>

#include <data/gzip_bytes.hpp>
#include <data/read_all.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

TEST(MatrixMarketSource, GivesRowsOfArraysAndCoordinates) {
  const TemporaryFolder folder;
  const std::string banner = "%%MatrixMarket matrix ";
  MatrixMarketSource<double> dense(
      folder.file("d.mtx", banner + "array real general\n2 3\n1\n2\n3\n4\n5\n6\n"));
  EXPECT_FALSE(dense.sparse());
  EXPECT_EQ(dense.rows(), 2);
  EXPECT_EQ(read_all(dense).rows, (RowMatrix<double>(2, 3) << 1, 3, 5, 2, 4, 6).finished());

  const std::string entries = "coordinate real symmetric\n3 3 3\n3 1 5\n1 1 2\n3 2 -1\n";
  MatrixMarketSource<double> sparse(folder.file("s.mtx.gz", gzip_bytes(banner + entries)));
  EXPECT_TRUE(sparse.sparse());
  const RowMatrix<double> expected = (RowMatrix<double>(3, 3) << 2, 0, 5, 0, 0, -1, 5, -1, 0).finished();
  EXPECT_EQ(read_all(sparse, 2).rows, expected);
  sparse.rewind();
  EXPECT_EQ(read_all(sparse, 100).rows, expected);
}

TEST(MatrixMarketSource, GivesAnyRowsInAnyOrder) {
  const TemporaryFolder folder;
  const Matrix<float> m = gaussian<float>(9, 4, {5, 0});
  write_matrix_market<float>(folder / "d.mtx", m);
  write_matrix_market<float>(folder / "s.mtx", Eigen::SparseMatrix<float>(m.sparseView()));
  const std::vector<Index> wanted = {8, 0, 3, 3, 1};
  for (const auto* name : {"d.mtx", "s.mtx"}) {
    MatrixMarketSource<float> source(folder / name);
    ASSERT_TRUE(source.random_access());
    Batch<float> batch;
    source.read_rows(wanted, batch);
    RowMatrix<float> out(0, 4);
    for (Index i = 0; i < batch.rows(); ++i) {
      out.conservativeResize(i + 1, Eigen::NoChange);
      append_row(batch, i, out);
      EXPECT_EQ(out.row(i), m.row(wanted[static_cast<std::size_t>(i)])) << name;
    }
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), batch.numbers().begin(), batch.numbers().end()));
    EXPECT_EQ(usage_error([&] { source.read_rows(std::vector<Index>{9}, batch); }),
              (folder / name).string() + ": row 9, expected 0 to 8");
  }
  EXPECT_EQ(usage_error([] { MatrixMarketSource<float>("-"); }),
            "standard input: a Matrix Market file must be given by name");
}

}  // namespace
}  // namespace landfall::test
