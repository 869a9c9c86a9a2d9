#include <landfall/data/formats/idx_source.hpp>

#include <data/file_bytes.hpp>
#include <data/gzip_bytes.hpp>
#include <data/source_checks.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class Idx : public Typed<S> {};
TYPED_TEST_SUITE(Idx, Scalars);

template <class T, class S>
void check_type(const TemporaryFolder& folder, int type, const std::string& name) {
  using Sizes = std::vector<std::uint32_t>;
  std::uint64_t seed = 0;
  for (const Sizes& sizes : {Sizes{1}, Sizes{9}, Sizes{1, 1, 1}, Sizes{1, 5}, Sizes{7, 3}, Sizes{30, 4, 6}}) {
    Index cols = 1;
    for (std::size_t d = 1; d < sizes.size(); ++d) cols *= sizes[d];
    const Matrix<double> m = whole_numbers(sizes[0], cols, std::is_unsigned_v<T> ? 0 : -128, ++seed);
    const std::string bytes = idx_file<T>(type, m, sizes);
    const auto plain = folder.file("plain", bytes), packed = folder.file("packed", gzip_bytes(bytes));
    const auto whole = open_idx<S>(plain), unpacked = open_idx<S>(packed);
    const auto streamed = open_idx<S>(packed, {.memory = 0});
    for (Source<S>* source : {whole.get(), unpacked.get(), streamed.get()}) {
      EXPECT_EQ(source->format(), "idx");
      EXPECT_EQ(source->element_type(), name);
      EXPECT_EQ(source->random_access(), source != streamed.get());
      expect_rows<S>(*source, m.cast<S>(), seed);
    }
  }
}

TYPED_TEST(Idx, EveryTypePlainAndPackedIsWhatWasWritten) {
  using S = TypeParam;
  const TemporaryFolder folder;
  check_type<std::uint8_t, S>(folder, 8, "u1");
  check_type<std::int8_t, S>(folder, 9, "i1");
  check_type<std::int16_t, S>(folder, 11, "i2");
  check_type<std::int32_t, S>(folder, 12, "i4");
  check_type<float, S>(folder, 13, "f4");
  check_type<double, S>(folder, 14, "f8");
}

std::string idx_error(const std::filesystem::path& path) {
  return data_error(path, [&] { open_idx<float>(path); });
}

TEST(IdxErrors, APlainFileIsCheckedBeforeItIsUsed) {
  const TemporaryFolder folder;
  const std::string good = idx_file<std::uint8_t>(8, whole_numbers(3, 4, 0, 1), {3, 2, 2});
  const auto error = [&](const std::string& bytes) { return idx_error(folder.file("bad", bytes)); };
  EXPECT_EQ(error(""), "not an IDX file");
  EXPECT_EQ(error(good.substr(0, 3)), "not an IDX file");
  EXPECT_EQ(error("x" + good), "not an IDX file");
  EXPECT_EQ(error(idx_header(10, {3, 2, 2})),
            "IDX entries of type 0x0a, expected 0x08, 0x09 or 0x0b to 0x0e");
  EXPECT_EQ(error(idx_header(8, {})), "an array of 0 dimensions, expected 1 or more");
  EXPECT_EQ(error(good.substr(0, 10)), "truncated: expected 16 bytes, found 10");
  EXPECT_EQ(error(good.substr(0, 27)), "truncated: expected 28 bytes, found 27");
  EXPECT_EQ(error(good + "xy"), "too long: expected 28 bytes, found 30");
  EXPECT_EQ(error(idx_header(8, {3, 0})),
            "an IDX file of no entries, expected at least one row and one column");
  EXPECT_EQ(error(idx_header(8, {4294967295, 100})), "truncated: expected 429496729512 bytes, found 12");
  EXPECT_EQ(error(idx_header(14, {4294967295, 4294967295})),
            "truncated: expected more than 2^62 bytes, found 12");
  EXPECT_EQ(error(idx_header(8, std::vector<std::uint32_t>(255, 4294967295))),
            "truncated: expected more than 2^62 bytes, found 1024");
  EXPECT_EQ(idx_error(folder.path()), "a folder, expected a file");
  EXPECT_EQ(idx_error(folder / "none"), "no such file");
}

TEST(IdxErrors, APackedFileIsCheckedWhereverItIsUnpacked) {
  const TemporaryFolder folder;
  const std::string good = idx_file<std::uint8_t>(8, whole_numbers(30, 40, 0, 1), {30, 40});
  const auto error = [&](const std::string& packed) {
    const auto path = folder.file("bad.gz", packed);
    const std::string text = idx_error(path);
    EXPECT_EQ(text, data_error(path, [&] {
                const auto source = open_idx<float>(path, {.memory = 0});
                Batch<float> batch;
                while (source->read(7, batch) > 0) continue;
              }));
    return text;
  };
  EXPECT_EQ(error(gzip_bytes(good.substr(0, 1000))),
            "truncated: expected 1212 bytes when unpacked, found 1000");
  EXPECT_EQ(error(gzip_bytes(good + "x")), "too long: expected 1212 bytes when unpacked");
  EXPECT_EQ(error(gzip_bytes("no")), "not an IDX file");
  std::string bad = gzip_bytes(good);
  bad[bad.size() - 6] ^= 1;
  EXPECT_EQ(error(bad), "damaged gzip data: checksum does not match");
  EXPECT_EQ(error(gzip_bytes(good) + "tail"), "too long: 4 bytes after the end of the gzip data");
  const std::string forged = gzip_bytes(idx_header(8, {1 << 20, 200}));
  EXPECT_EQ(error(forged),
            fmt::format("truncated: expected {} bytes when unpacked, more than {} bytes of gzip data "
                        "hold",
                        200 * (1 << 20) + 12, forged.size()));
}

}  // namespace
}  // namespace landfall::test
