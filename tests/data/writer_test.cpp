#include <landfall/data/formats/format_table.ipp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/linalg/random.hpp>

#include <data/read_all.hpp>
#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <support.hpp>

namespace landfall::test {
namespace {

/// Rows [first, last) of m as a batch, dense or sparse.
template <class S>
Batch<S> batch_of(const RowMatrix<S>& m, Index first, Index last, bool sparse) {
  Batch<S> batch;
  sparse ? batch.start_sparse(m.cols()) : batch.start_dense(m.cols());
  for (Index i = first; i < last; ++i) {
    if (sparse) {
      batch.add_sparse_row(i);
      for (Index j = 0; j < m.cols(); ++j)
        if (m(i, j) != 0) batch.add_entry(j, m(i, j));
    } else {
      const auto row = batch.add_row(i);
      for (Index j = 0; j < m.cols(); ++j) row[static_cast<std::size_t>(j)] = m(i, j);
    }
  }
  return batch;
}

template <class S>
void write_in_batches(Writer<S>& writer, const RowMatrix<S>& m, Index step, bool sparse) {
  for (Index first = 0; first < m.rows(); first += step)
    writer.write(batch_of<S>(m, first, std::min(first + step, m.rows()), sparse));
}

/// About the given share of entries is not zero, of sizes from 1e-12 to 1e12; some rows have none.
template <class S>
RowMatrix<S> random_rows(Index rows, Index cols, double density, std::uint64_t seed) {
  const Matrix<double> normal = gaussian<double>(rows, cols, {seed, 1});
  return RowMatrix<S>::NullaryExpr(rows, cols, [&](Index i, Index j) {
    const auto at = static_cast<std::uint64_t>(i * cols + j);
    if (uniform({seed, 2}, at) >= density) return S(0);
    return static_cast<S>(normal(i, j) * std::pow(10.0, 24 * uniform({seed, 3}, at) - 12));
  });
}

template <class S>
class WriterTest : public Typed<S> {};
TYPED_TEST_SUITE(WriterTest, Scalars);

TYPED_TEST(WriterTest, WhatIsWrittenIsReadBackBitByBit) {
  using S = TypeParam;
  const TemporaryFolder folder;
  std::uint64_t seed = 0;
  for (const std::string& ending : writer_endings())
    for (const auto& [rows, cols, density] : {std::tuple<Index, Index, double>{1, 1, 1.0},
                                              {1, 7, 0.5},
                                              {9, 1, 1.0},
                                              {40, 13, 0.3},
                                              {40, 13, 0.02},
                                              {17, 300, 0.01},
                                              {5, 4, 0.0}})
      for (const bool sparse : {false, true})
        for (const Index step : {Index{1}, Index{4}, rows}) {
          SCOPED_TRACE(fmt::format("{} {}x{} density {} sparse {} step {}", ending, rows, cols, density,
                                   sparse, step));
          const RowMatrix<S> m = random_rows<S>(rows, cols, density, ++seed);
          const auto path = folder / ("rows" + ending);
          auto writer = open_writer<S>(path, cols);
          write_in_batches(*writer, m, step, sparse);
          writer->finish();
          ASSERT_EQ(folder.names(), std::vector<std::string>{"rows" + ending});
          const auto source = open_source<S>(path);
          ASSERT_EQ(source->cols(), cols);
          EXPECT_TRUE(same_bits<S>(read_all(*source, 6).rows, m));
          std::filesystem::remove(path);
        }
}

TYPED_TEST(WriterTest, WithoutFinishNothingIsLeft) {
  using S = TypeParam;
  const TemporaryFolder folder;
  for (const std::string& ending : writer_endings()) {
    const auto kept = folder.file("kept" + ending, "as it was");
    for (const char* name : {"kept", "new"}) {
      auto writer = open_writer<S>(folder / (name + ending), 3);
      write_in_batches<S>(*writer, RowMatrix<S>::Ones(4, 3), 2, true);
    }
    EXPECT_EQ(content(kept), "as it was");
  }
  EXPECT_EQ(folder.names().size(), writer_endings().size());
}

TEST(Writer, DenseAndSparseRowsMayFollowEachOther) {
  const TemporaryFolder folder;
  const RowMatrix<double> m = random_rows<double>(8, 5, 0.5, 7);
  for (const std::string& ending : writer_endings()) {
    const auto path = folder / ("rows" + ending);
    auto writer = open_writer<double>(path, 5);
    writer->write(batch_of<double>(m, 0, 3, true));
    writer->write(batch_of<double>(m, 3, 3, true));
    writer->write(batch_of<double>(m, 3, 8, false));
    writer->finish();
    EXPECT_TRUE(same_bits<double>(read_all(*open_source<double>(path)).rows, m)) << ending;
  }
}

TEST(Writer, NpyHasTheTypeOfTheScalarAndAnAlignedHeader) {
  const TemporaryFolder folder;
  auto writer = open_writer<float>(folder / "x.NPY", 2);
  write_in_batches<float>(*writer, RowMatrix<float>::Ones(1000, 2), 100, false);
  writer->finish();
  const NpyHeader header = read_npy_header(InputFile(folder / "x.NPY"));
  EXPECT_EQ(header.type, NpyType::f4);
  EXPECT_EQ(header.order, NpyOrder::rows_first);
  EXPECT_EQ(header.shape, (std::vector<Index>{1000, 2}));
  EXPECT_EQ(header.offset % 64, 0U);
}

TEST(Writer, TheHeaderOfAMatrixMarketFileIsFilledIn) {
  const TemporaryFolder folder;
  auto writer = open_writer<double>(folder / "x.mtx", 3);
  RowMatrix<double> m(2, 3);
  m << 0, 0.5, 0, 0, 0, -2;
  write_in_batches<double>(*writer, m, 1, true);
  writer->finish();
  std::istringstream lines(content(folder / "x.mtx"));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of("% ") != std::string::npos) found.push_back(line);
  EXPECT_EQ(found, (std::vector<std::string>{"%%MatrixMarket matrix coordinate real general", "2 3 2",
                                             "1 2 0.5", "2 3 -2"}));
}

TEST(FormatTable, AnExtensionBelongsToOneFormat) {
  std::vector<std::string_view> extensions;
  for (const auto& format : formats<double>()) {
    EXPECT_FALSE(format.title.empty());
    EXPECT_TRUE(format.open != nullptr) << format.title;
    for (const std::string_view extension : format.extensions) {
      EXPECT_TRUE(extension.starts_with('.')) << extension;
      EXPECT_EQ(lower_case(std::string(extension)), extension);
      extensions.push_back(extension);
    }
  }
  std::sort(extensions.begin(), extensions.end());
  EXPECT_EQ(std::adjacent_find(extensions.begin(), extensions.end()), extensions.end());
}

TEST(FormatTable, AWrittenFileIsOfItsFormatUnderAnyName) {
  const TemporaryFolder folder;
  const auto batch = batch_of<double>(RowMatrix<double>::Ones(2, 3), 0, 2, false);
  for (const auto& format : formats<double>()) {
    if (format.create == nullptr) continue;
    const auto path = folder / ("x" + std::string(format.extensions.front()));
    auto writer = format.create(path, 3, {});
    writer->write(batch);
    writer->finish();
    const std::string start = content(path).substr(0, 32);
    for (const auto& other : formats<double>()) {
      if (other.matches == nullptr) continue;
      EXPECT_EQ(other.matches({start, ""}), other.title == format.title)
          << format.title << " taken for " << other.title;
    }
  }
}

TEST(Writer, RefusesNamesSizesAndRowsThatDoNotFit) {
  const TemporaryFolder folder;
  EXPECT_EQ(usage_error([&] { open_writer<float>("x.doc", 3); }),
            "x.doc: unknown extension for writing; supported: " +
                fmt::format("{}", fmt::join(writer_endings(), " ")));
  EXPECT_EQ(usage_error([&] { open_writer<float>("x.npy", 0); }),
            "x.npy: 0 columns to write, expected at least 1");
  for (const std::string& ending : writer_endings()) {
    const auto path = folder / ("x" + ending);
    auto writer = open_writer<float>(path, 3);
    EXPECT_EQ(usage_error([&] { writer->write(batch_of<float>(RowMatrix<float>::Ones(2, 4), 0, 2, false)); }),
              path.string() + ": rows of 4 columns to write, expected 3");
    const auto missing = folder / "missing" / ("x" + ending);
    EXPECT_EQ(data_error(missing, [&] { open_writer<float>(missing, 3); }),
              "cannot be written: No such file or directory");
  }
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace landfall::test
