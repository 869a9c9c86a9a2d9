#include <landfall/data/hdf5_source.hpp>
#include <landfall/data/hdf5_writer.hpp>
#include <landfall/data/open_source.hpp>

#include <data/gzip_bytes.hpp>
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

// A filter that changes nothing and counts, where it reads, which chunks pass.
constexpr H5Z_filter_t counting = 300;
int passed = 0;

std::size_t count_chunks(unsigned flags, std::size_t, const unsigned*, std::size_t size, std::size_t*,
                         void**) {
  if ((flags & H5Z_FLAG_REVERSE) != 0) ++passed;
  return size;
}

class CountingFilter {
 public:
  CountingFilter() {
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, counting, 1,       1,
                                 "counting",       nullptr,  nullptr, count_chunks};
    H5Zregister(&filter);
    passed = 0;
  }
  ~CountingFilter() { H5Zunregister(counting); }
};

TEST(Hdf5Chunks, AreUnpackedOnceWhereTheyFitAndOncePerBatchWhereTheyDoNot) {
  const TemporaryFolder folder;
  const CountingFilter filter;
  const Matrix<double> m = whole_numbers(100, 30, 0, 1);
  add_hdf5<float>(folder / "m.h5", "/m", m,
                  {.chunk_rows = 10, .chunk_cols = 5, .filter = counting});  // 10 x 6 chunks of 200 bytes
  Batch<float> batch;
  std::vector<Index> order(100);
  for (Index i = 0; i < 100; ++i) order[static_cast<std::size_t>(i)] = (37 * i) % 100;
  {
    Hdf5Source<float> source(folder / "m.h5", {.memory = 60 * 200});
    passed = 0;
    for (std::size_t i = 0; i < 100; i += 10) source.read_rows(std::span(order).subspan(i, 10), batch);
    while (source.read(3, batch) > 0) continue;
    EXPECT_EQ(passed, 60);
  }
  {
    Hdf5Source<float> source(folder / "m.h5",
                             {.memory = 4 * 7 * 200});  // the chunks of ten rows and one more
    EXPECT_FALSE(source.random_access());
    passed = 0;
    while (source.read(3, batch) > 0) continue;
    EXPECT_EQ(passed, 60);
  }
  {
    Hdf5Source<float> source(folder / "m.h5", {.memory = 0});
    passed = 0;
    while (source.read(5, batch) > 0) continue;
    EXPECT_EQ(passed, 120);
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

std::string open_error(const std::filesystem::path& path) {
  testing::internal::CaptureStderr();
  const std::string text = data_error(path, [&] {
    const auto source = open_source<float>(path);
    Batch<float> batch;
    while (source->read(7, batch) > 0) continue;
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  return text;
}

TEST(Hdf5Errors, ADatasetMustBeAMatrixOfNumbers) {
  const TemporaryFolder folder;
  const auto path = folder / "m.h5";
  const auto error = [&](const std::string& name) { return open_error(path.string() + ":" + name); };
  const Matrix<double> m = whole_numbers(4, 3, 0, 1);
  add_hdf5<float>(path, "/a/m", m);
  EXPECT_EQ(error("/m"), "no such dataset, expected one of /a/m");
  EXPECT_EQ(error("/a/m/x"), "no such dataset, expected one of /a/m");
  EXPECT_EQ(error("/a"), "a group, expected a dataset, one of /a/m");
  EXPECT_EQ(error("/"), "a group, expected a dataset, one of /a/m");
  const std::string numbers = ", expected numbers of type f4, f8, u1, u2, u4, u8, i1, i2, i4, i8";
  add_hdf5(path, "/strings", H5T_C_S1, {4, 3}, "abcdefghijkl");
  EXPECT_EQ(error("/strings"), "a dataset of strings" + numbers);
  const hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(pair, "r", 0, H5T_NATIVE_FLOAT);
  H5Tinsert(pair, "i", 4, H5T_NATIVE_FLOAT);
  add_hdf5(path, "/complex", pair, {2, 3}, m.data());
  H5Tclose(pair);
  EXPECT_EQ(error("/complex"), "a dataset of compound entries" + numbers);
  add_hdf5(path, "/long", H5T_NATIVE_LDOUBLE, {1, 1}, nullptr);
  EXPECT_EQ(error("/long"), "a dataset of floating-point numbers of 16 bytes" + numbers);
  add_hdf5(path, "/cube", H5T_NATIVE_DOUBLE, {2, 3, 2}, m.data());
  EXPECT_EQ(error("/cube"), "a dataset of 3 dimensions, expected 1 or 2");
  add_hdf5(path, "/scalar", H5T_NATIVE_DOUBLE, {}, m.data());
  EXPECT_EQ(error("/scalar"), "a dataset of 0 dimensions, expected 1 or 2");
  add_hdf5(path, "/empty", H5T_NATIVE_DOUBLE, {0, 3}, nullptr);
  EXPECT_EQ(error("/empty"), "0 x 3, expected at least one row and one column");
  add_hdf5(path, "/none", H5T_NATIVE_DOUBLE, {0}, nullptr);
  EXPECT_EQ(error("/none"), "0 x 1, expected at least one row and one column");
}

TEST(Hdf5Errors, WhatIsNotStoredIsNotRead) {
  const TemporaryFolder folder;
  const auto path = folder / "m.h5";
  const auto error = [&](const std::string& name) { return open_error(path.string() + ":" + name); };
  constexpr hsize_t huge = hsize_t{1} << 40;
  add_hdf5(path, "/late", H5T_NATIVE_FLOAT, {huge, 1000}, nullptr);
  EXPECT_EQ(error("/late"), "truncated: 1099511627776 x 1000 takes 4398046511104000 bytes, found 0");
  add_hdf5(path, "/chunks", H5T_NATIVE_FLOAT, {huge, 1000}, nullptr,
           {.chunk_rows = 1024, .chunk_cols = 1000});
  EXPECT_EQ(error("/chunks"), "truncated: 1099511627776 x 1000 takes 1073741824 chunks, found 0");
  add_hdf5(path, "/large", H5T_NATIVE_DOUBLE, {huge, huge}, nullptr, {.chunk_rows = 8, .chunk_cols = 8});
  EXPECT_EQ(error("/large"), "1099511627776 x 1099511627776, more than 2^62 bytes");

  const CountingFilter* filter = new CountingFilter;
  add_hdf5<float>(path, "/filter", whole_numbers(4, 3, 0, 1),
                  {.chunk_rows = 2, .chunk_cols = 3, .filter = counting});
  delete filter;
  EXPECT_EQ(error("/filter"), "packed by the filter 300 (counting), which this HDF5 library does not have");

  folder.file("numbers", std::string(48, 'x'));
  const hid_t file = hdf5_file(path), creation = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 2> sizes = {4, 3};
  H5Pset_external(creation, (folder / "numbers").c_str(), 0, 48);
  const hid_t space = H5Screate_simple(2, sizes.data(), nullptr);
  const hid_t dataset =
      H5Dcreate2(file, "/outside", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  for (const hid_t id : {dataset, space, creation, file}) H5Idec_ref(id);
  EXPECT_EQ(error("/outside"), "data in other files, expected it in this one");
}

TEST(Hdf5Errors, AFileThatIsNoneOrCutShortIsToldSo) {
  const TemporaryFolder folder;
  EXPECT_EQ(open_error(folder / "none.h5"), "no such file");
  EXPECT_EQ(
      data_error(folder / "none.h5", [&] { open_source<float>((folder / "none.h5").string() + ":/x"); }),
      "no such file");
  EXPECT_EQ(open_error(folder.file("bad.h5", "text")), "not an HDF5 file");
  EXPECT_EQ(open_error(folder.file("empty.h5", "")), "not an HDF5 file");
  std::filesystem::create_directory(folder / "folder.h5");
  EXPECT_EQ(data_error(folder / "folder.h5", [&] { Hdf5Source<float>(folder / "folder.h5"); }),
            "a folder, expected a file");
  EXPECT_EQ(data_error(folder / "bad.h5", [&] { open_source<float>((folder / "bad.h5").string() + ":/x"); }),
            "not an HDF5 file");

  add_hdf5<float>(folder / "m.h5", "/m", whole_numbers(40, 30, 0, 1),
                  {.chunk_rows = 10, .chunk_cols = 30, .deflate = 6});
  const std::string good = content(folder / "m.h5");
  EXPECT_EQ(open_error(folder.file("packed.h5", gzip_bytes(good))),
            "a packed HDF5 file, expected it unpacked");
  EXPECT_EQ(open_error(folder.file("cut.h5", good.substr(0, good.size() - 100))).substr(0, 36),
            "damaged HDF5 file: truncated file: e");
  for (std::size_t length = 8; length < good.size(); length += 13)
    EXPECT_NE(open_error(folder.file("cut.h5", good.substr(0, length))), "no error") << length;
  const std::size_t deflated = good.find("\x78\x9c");  // how zlib begins at level 6
  ASSERT_NE(deflated, good.npos);
  std::string bad = good;
  std::fill_n(bad.begin() + static_cast<std::ptrdiff_t>(deflated) + 2, 20, '\xff');
  const auto path = folder.file("bad.h5", bad);
  const std::string text = open_error(path.string() + ":/m");
  EXPECT_NE(text.find("cannot be read: inflate() failed"), text.npos) << text;
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

TEST(Hdf5Library, KeepsItsWayToPrintErrorsForOthers) {
  const TemporaryFolder folder;
  H5E_auto2_t before = nullptr, after = nullptr;
  void *data_before = nullptr, *data_after = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
  EXPECT_EQ(open_error(folder.file("bad.h5", "text")), "not an HDF5 file");
  H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
  EXPECT_NE(before, nullptr);
  EXPECT_EQ(before, after);
  EXPECT_EQ(data_before, data_after);
}

}  // namespace
}  // namespace landfall::test
