#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/formats/hdf5_writer.hpp>
#include <landfall/data/formats/open_source.hpp>

#include <data/hdf5_file.hpp>
#include <data/read_all.hpp>
#include <data/source_checks.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class Hdf5 : public Typed<S> {};
TYPED_TEST_SUITE(Hdf5, Scalars);

template <class T, class S>
void check_type(const std::string& name) {
  const TemporaryFolder folder;
  std::uint64_t seed = 0;
  for (const bool big : {false, true})
    for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {1, 9}, {9, 1}, {7, 5}, {40, 13}})
      for (const Hdf5Layout& shape : {Hdf5Layout{},
                                      {.chunk_rows = 1, .chunk_cols = 1},
                                      {.chunk_rows = 4, .chunk_cols = 5},
                                      {.chunk_rows = 6, .chunk_cols = 20}})
        for (const int deflate : {0, 1}) {
          if (deflate > 0 && shape.chunk_rows == 0) continue;
          if (shape.chunk_rows == 1 && rows * cols > 40) continue;
          const auto path = folder / "m.h5";
          std::filesystem::remove(path);
          Hdf5Layout layout = shape;
          layout.big = big;
          layout.deflate = deflate;
          layout.others = deflate > 0 && big;
          layout.chunk_rows = std::min(layout.chunk_rows, static_cast<hsize_t>(rows));
          layout.chunk_cols = std::min(layout.chunk_cols, static_cast<hsize_t>(cols));
          layout.vector = cols == 1 && shape.chunk_cols != 5;
          const Matrix<double> m = whole_numbers(rows, cols, std::is_unsigned_v<T> ? 0 : -128, ++seed);
          add_hdf5<T>(path, "/group/m", m, layout);
          SCOPED_TRACE(fmt::format("{} {} chunks of {}x{} packed {}", name, big ? "big" : "little",
                                   layout.chunk_rows, layout.chunk_cols, deflate));
          for (const std::uint64_t memory : {std::uint64_t{1} << 20, std::uint64_t{0}}) {
            Hdf5Source<S> source(path, {.memory = memory});
            EXPECT_EQ(source.format(), "hdf5");
            EXPECT_EQ(source.element_type(), name);
            EXPECT_EQ(source.random_access(), deflate == 0 || memory > 0);
            expect_rows<S>(source, m.cast<S>(), seed);
          }
        }
}

TYPED_TEST(Hdf5, EveryTypeByteOrderAndLayoutIsWhatWasWritten) {
  using S = TypeParam;
  check_type<float, S>("f4");
  check_type<double, S>("f8");
  check_type<std::uint8_t, S>("u1");
  check_type<std::uint16_t, S>("u2");
  check_type<std::uint32_t, S>("u4");
  check_type<std::uint64_t, S>("u8");
  check_type<std::int8_t, S>("i1");
  check_type<std::int16_t, S>("i2");
  check_type<std::int32_t, S>("i4");
  check_type<std::int64_t, S>("i8");
}

template <class T, class S>
void check_extremes(const TemporaryFolder& folder, const std::vector<T>& numbers) {
  for (const bool big : {false, true}) {
    const auto path = folder / "extreme.h5";
    std::filesystem::remove(path);
    add_hdf5(path, "/x", hdf5_native<T>(), {numbers.size()}, numbers.data(), {.big = big});
    Hdf5Source<S> source(path);
    RowMatrix<S> expected(static_cast<Index>(numbers.size()), 1);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      expected(static_cast<Index>(i)) = static_cast<S>(numbers[i]);
    EXPECT_TRUE(same_bits(read_all(source).rows, expected));
  }
}

TYPED_TEST(Hdf5, NumbersAreRoundedOnceAsInEveryOtherFormat) {
  using S = TypeParam;
  const TemporaryFolder folder;
  using Big = std::numeric_limits<std::int64_t>;
  check_extremes<std::int64_t, S>(folder, {Big::min(), Big::max(), (1LL << 53) + 1, (1 << 24) + 1, -1, 0});
  check_extremes<std::uint64_t, S>(folder, {~std::uint64_t{0}, (std::uint64_t{1} << 63) + 1, 0});
  using Limits = std::numeric_limits<double>;
  check_extremes<double, S>(folder, {0.1, -0.0, Limits::denorm_min(), 1 + Limits::epsilon(), 1 + 0x1p-24,
                                     1e-40, 0x1.fffffefp127, Limits::infinity(), Limits::quiet_NaN()});
}

/// Overwrites every chunk where it lies: from now on only those that were kept can be read.
void spoil_chunks(const std::filesystem::path& path, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
  hsize_t chunks = 0;
  H5Dget_num_chunks(dataset, space, &chunks);
  std::fstream bytes(path, std::ios::binary | std::ios::in | std::ios::out);
  for (hsize_t k = 0; k < chunks; ++k) {
    std::array<hsize_t, 2> start{};
    unsigned skipped = 0;
    haddr_t offset = 0;
    hsize_t size = 0;
    H5Dget_chunk_info(dataset, space, k, start.data(), &skipped, &offset, &size);
    bytes.seekp(static_cast<std::streamoff>(offset))
        .write(std::string(size, '\xff').data(), static_cast<std::streamsize>(size));
  }
  EXPECT_EQ(chunks, 60U);
  EXPECT_TRUE(bytes.flush());
  for (const hid_t id : {space, dataset, file}) H5Idec_ref(id);
}

TEST(Hdf5Chunks, AreKeptOnceTheyAreUnpackedAsFarAsMemoryAllows) {
  const TemporaryFolder folder;
  const auto path = folder / "m.h5";
  const Matrix<float> m = whole_numbers(100, 30, 0, 1).cast<float>();
  const auto write = [&] {
    std::filesystem::remove(path);
    add_hdf5<float>(path, "/m", m,
                    {.chunk_rows = 10, .chunk_cols = 5, .deflate = 1});  // 10 x 6 chunks of 200 bytes
  };
  // The time stays what it was: otherwise the file would be refused because it has changed.
  const auto spoil = [](const std::filesystem::path& file) {
    const auto time = std::filesystem::last_write_time(file);
    spoil_chunks(file, "/m");
    std::filesystem::last_write_time(file, time);
  };
  Batch<float> batch;
  {
    write();
    Hdf5Source<float> source(path, {.memory = 60 * 200});
    while (source.read(3, batch) > 0) continue;
    spoil(path);
    source.rewind();
    expect_rows<float>(source, m, 1);
  }
  {
    write();
    Hdf5Source<float> source(path, {.memory = 4 * 7 * 200});  // for the chunks of ten rows and one more
    EXPECT_FALSE(source.random_access());
    source.read(3, batch);
    spoil(path);
    source.read(7, batch);
    EXPECT_EQ(batch.dense(), m.middleRows(3, 7).transpose());
    EXPECT_THROW(source.read(1, batch), DataError);
  }
  {
    write();
    Hdf5Source<float> source(path, {.memory = 0});  // for two chunks
    source.read(3, batch);
    spoil(path);
    EXPECT_THROW(source.read(1, batch), DataError);
  }
}

TEST(Hdf5Names, AFileWithOneMatrixNeedsNoName) {
  const TemporaryFolder folder;
  const Matrix<double> m = whole_numbers(4, 3, 0, 1), other = whole_numbers(5, 2, 0, 2);
  const auto path = folder / "m.hdf5";
  add_hdf5<float>(path, "/a/b/m", m);
  add_hdf5<float>(path, "/labels", Matrix<double>(m.col(0)), {.vector = true});
  expect_rows<double>(*open_source<double>(path), m, 1);
  add_hdf5<double>(path, "/other", other);
  EXPECT_EQ(data_error(path, [&] { open_source<double>(path); }),
            fmt::format("2 matrices, expected {}:/dataset: it has /a/b/m, /other", path.string()));
  const auto named = open_source<double>(path.string() + ":/a/b/m");
  expect_rows<double>(*named, m, 2);
  EXPECT_EQ(named->name(), path.string() + ":/a/b/m");
  const auto joined = open_source<double>(
      std::vector<std::filesystem::path>{path.string() + ":/a/b/m", path.string() + ":/a/b/m"});
  expect_rows<double>(*joined, m.replicate(2, 1), 3);
}

TEST(Hdf5Names, AFileOfTheWholeNameComesFirst) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "m.h5:");
  const auto text = folder.file("m.h5:/x.csv", "1,2\n3,4\n"), odd = folder.file("a:b.csv", "1,2\n3,4\n");
  const Matrix<double> m = (Matrix<double>(2, 2) << 1, 2, 3, 4).finished();
  for (const auto& path : {text, odd}) {
    const auto source = open_source<double>(path);
    EXPECT_EQ(source->format(), "csv");
    EXPECT_EQ(read_all(*source).rows, m);
  }
  add_hdf5<float>(folder / "a:b", "/x", m);  // no ending: known by what is in it
  for (const std::string name : {"a:b", "a:b:/x"}) {
    const auto source = open_source<double>(folder / name);
    EXPECT_EQ(source->format(), "hdf5");
    expect_rows<double>(*source, m, 2);
  }
}

TYPED_TEST(Hdf5, WhatIsWrittenIsReadBack) {
  using S = TypeParam;
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto draw = [&](std::uint64_t k, double most) {
      return 1 + static_cast<Index>(uniform({seed, 5}, k) * most);
    };
    const Index rows = seed == 1 ? 1 : draw(0, 3000), cols = seed == 2 ? 1 : draw(1, 200);
    RowMatrix<S> m = gaussian<S>(rows, cols, {seed, 0});
    if (seed % 2 == 0) m = (m.array() > S(1)).select(m, S(0));
    const std::string name = seed % 3 == 0 ? "m.h5" : "m.h5:/deep/er/m";
    Hdf5Writer<S> writer(folder / name, cols);
    Batch<S> batch;
    for (Index row = 0, k = 2; row < rows; ++k) {
      const Index end = std::min(rows, row + draw(static_cast<std::uint64_t>(k), 700));
      seed % 2 == 0 ? batch.start_sparse(cols) : batch.start_dense(cols);
      for (; row < end; ++row)
        if (batch.sparse()) {
          batch.add_sparse_row(row);
          for (Index j = 0; j < cols; ++j)
            if (m(row, j) != 0) batch.add_entry(j, m(row, j));
        } else {
          std::copy_n(m.data() + row * cols, cols, batch.add_row(row).begin());
        }
      writer.write(batch);
    }
    writer.finish();
    EXPECT_EQ(folder.names(), std::vector<std::string>{"m.h5"});
    const auto source = open_source<S>(folder / "m.h5");
    EXPECT_EQ(source->element_type(), sizeof(S) == 4 ? "f4" : "f8");
    EXPECT_TRUE(same_bits(read_all(*source, 500).rows, m));
    const auto named = open_source<S>(folder / (seed % 3 == 0 ? "m.h5:/data" : name));
    EXPECT_TRUE(same_bits(read_all(*named, 499).rows, m));
  }
}

TEST(Hdf5Writing, HappensWholeOrNotAtAll) {
  const TemporaryFolder folder;
  Batch<double> batch;
  batch.start_dense(2);
  batch.add_row(0)[1] = 7;
  const auto write = [&] {
    Hdf5Writer<double> writer(folder / "m.h5", 2);
    writer.write(batch);
    writer.finish();
    return content(folder / "m.h5");
  };
  {
    Hdf5Writer<double> writer(folder / "m.h5", 2);
    writer.write(batch);
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
  const std::string bytes = write();
  EXPECT_EQ(write(), bytes);
  {
    Hdf5Writer<double> writer(folder / "m.h5:/other", 2);
    writer.write(batch);
    EXPECT_EQ(content(folder / "m.h5"), bytes);
    batch.start_dense(3);
    EXPECT_EQ(usage_error([&] { writer.write(batch); }),
              (folder / "m.h5:/other").string() + ": rows of 3 columns to write, expected 2");
  }
  EXPECT_EQ(content(folder / "m.h5"), bytes);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"m.h5"});
  EXPECT_EQ(usage_error([&] { Hdf5Writer<double>(folder / "m.h5", 0); }),
            (folder / "m.h5").string() + ": 0 columns to write, expected at least 1");
  const std::string text = data_error(folder / "m.h5:/", [&] { Hdf5Writer<double>(folder / "m.h5:/", 1); });
  EXPECT_EQ(text.substr(0, 19), "cannot be written: ");
  EXPECT_EQ(data_error(folder.path(), [&] { Hdf5Writer<double>(folder.path(), 1); }),
            "a folder, expected a file");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"m.h5"});
}

}  // namespace
}  // namespace landfall::test
