#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/npy_source.hpp>

#include <data/file_bytes.hpp>
#include <data/source_checks.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>
#include <unistd.h>

namespace landfall::test {
namespace {

template <class S>
class NpySource : public Typed<S> {};
TYPED_TEST_SUITE(NpySource, Scalars);

template <class T, class S>
void check_type(const TemporaryFolder& folder, const std::string& type) {
  std::uint64_t seed = 0;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {1, 6}, {9, 1}, {20, 13}, {150, 90}}) {
    const Matrix<double> m = whole_numbers(rows, cols, std::is_unsigned_v<T> ? 0 : -128, ++seed);
    for (const bool big : {false, true})
      for (const bool fortran : {false, true}) {
        SCOPED_TRACE(fmt::format("{} big {} fortran {}", type, big, fortran));
        const auto path = folder.file("m.npy", npy_file<T>(type, m, fortran, big));
        const auto source = open_npy<S>(path);
        EXPECT_EQ(source->format(), "npy");
        EXPECT_EQ(source->element_type(), type);
        EXPECT_EQ(source->name(), path.string());
        expect_rows<S>(*source, m.cast<S>(), seed);
        expect_rows<S>(*source, read_npy<S>(path), seed);
      }
  }
}

TYPED_TEST(NpySource, EveryTypeOrderAndByteOrderIsReadLikeTheWholeFile) {
  using S = TypeParam;
  const TemporaryFolder folder;
  check_type<float, S>(folder, "f4");
  check_type<double, S>(folder, "f8");
  check_type<std::uint8_t, S>(folder, "u1");
  check_type<std::int8_t, S>(folder, "i1");
  check_type<std::int16_t, S>(folder, "i2");
  check_type<std::int32_t, S>(folder, "i4");
  check_type<std::int64_t, S>(folder, "i8");
}

TYPED_TEST(NpySource, AVectorIsOneColumn) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const Vector<S> v = gaussian<S>(17, 1, {3, 0}).col(0);
  write_npy_vector<S>(folder / "v.npy", v);
  expect_rows<S>(*open_npy<S>(folder / "v.npy"), v, 1);
}

TYPED_TEST(NpySource, RandomShapes) {
  using S = TypeParam;
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto size = [&](std::uint64_t k) { return 1 + static_cast<Index>(uniform({seed, 9}, k) * 60); };
    const Matrix<double> m = gaussian<double>(size(0), size(1), {seed, 0});
    const bool fortran = seed % 2 == 0, big = seed % 3 == 0;
    expect_rows<S>(*open_npy<S>(folder.file("m.npy", npy_file<double>("f8", m, fortran, big))), m.cast<S>(),
                   seed);
  }
}

/// Bytes of this process that are in memory.
double resident() {
  double total = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> total >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

TEST(NpySourceMemory, FourGibibytesNeedLittle) {
  using S = float;
  const TemporaryFolder folder;
  constexpr double allowed = 200.0 * (1 << 20);
  constexpr Index cols = 1024, rows = Index{1} << 20;
  for (const bool fortran : {false, true}) {
    // Zeros that take no place on the disk; one number at the end of the file, the last of both orders.
    const std::string dictionary = fmt::format("{{'descr': '<f4', 'fortran_order': {}, 'shape': ({}, {}), }}",
                                               fortran ? "True" : "False", rows, cols);
    const auto path = folder.file("big.npy", std::string("\x93NUMPY\x01\0\x76\0", 10) + dictionary +
                                                 std::string(117 - dictionary.size(), ' ') + '\n');
    std::filesystem::resize_file(path, 128 + std::uintmax_t{4} * rows * cols);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-4, std::ios::end) << number_bytes(2.5f, false);
    file.close();

    const auto source = open_npy<S>(path);
    Batch<S> batch;
    double most = 0;
    const double before = resident();
    const auto look = [&] { most = std::max(most, resident() - before); };
    // In order from the beginning, 256 MiB where rows come first; from there and to the end, anywhere.
    const Index steps = fortran ? 2 : 128;
    for (Index i = 0; i < steps; ++i) {
      ASSERT_EQ(source->read(512, batch), 512);
      look();
    }
    std::vector<Index> wanted(fortran ? 3 : 256);
    for (std::uint64_t pass = 0; pass < (fortran ? 1 : 3); ++pass) {
      for (std::uint64_t i = 0; i < wanted.size(); ++i)
        wanted[i] = static_cast<Index>(uniform({pass, 5}, i) * rows);
      wanted.back() = rows - 1;
      wanted.front() = rows / 2;
      source->read_rows(wanted, batch);
      EXPECT_EQ(batch.dense()(cols - 1, batch.rows() - 1), S(2.5));
      EXPECT_EQ(batch.dense().sum(), S(2.5));
      look();
    }
    EXPECT_LT(most, allowed);
    EXPECT_GT(most, 1 << 20);  // it was measured
  }
}

TEST(NpySourceErrors, AreThoseOfTheWholeFile) {
  const TemporaryFolder folder;
  const std::string good = npy_file<float>("f4", whole_numbers(3, 4, 0, 1), false, false);
  const auto error = [&](const std::string& bytes) {
    const auto path = folder.file("bad.npy", bytes);
    const std::string text = data_error(path, [&] { open_npy<double>(path); });
    EXPECT_EQ(text, data_error(path, [&] { read_npy<double>(path); }));
    return text;
  };
  const auto shaped = [&](const std::string& shape) {
    std::string bytes = good;
    const std::size_t position = bytes.find("(3, 4), }");
    bytes.replace(position, 9, shape + ", }");
    bytes[8] = static_cast<char>(bytes[8] + static_cast<char>(shape.size()) - 6);
    return bytes;
  };
  const std::size_t size = good.size();
  EXPECT_EQ(error(good.substr(0, size - 1)),
            fmt::format("truncated: expected {} bytes, found {}", size, size - 1));
  EXPECT_EQ(error(good + "x"), fmt::format("too long: expected {} bytes, found {}", size, size + 1));
  EXPECT_EQ(error("PK" + good), "not an .npy file");
  EXPECT_EQ(error(shaped("(3, -4)")), "the .npy header has a negative size, -4");
  EXPECT_EQ(error(shaped("(4611686018427387904, 4)")).substr(0, 42),
            "truncated: expected more than 2^62 bytes, ");
  EXPECT_EQ(error(shaped("(99999999999, 99)")).substr(0, 20), "truncated: expected ");
  EXPECT_EQ(error(shaped("(3, 2, 2)")), "an array of 3 dimensions, expected 1 or 2");
  EXPECT_EQ(data_error(folder.path(), [&] { open_npy<float>(folder.path()); }), "a folder, expected a file");
  EXPECT_EQ(data_error(folder / "no.npy", [&] { open_npy<float>(folder / "no.npy"); }), "no such file");
}

}  // namespace
}  // namespace landfall::test
