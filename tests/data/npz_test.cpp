// .npz archives, stored and deflated, and the types that only NumPy writes.
#include <landfall/data/formats/npz.hpp>
#include <landfall/data/formats/open_source.hpp>

#include <data/file_bytes.hpp>
#include <data/read_all.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>
#include <zlib.h>

namespace landfall::test {
namespace {

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
  return text;
}

std::string deflated(const std::string& text) {
  z_stream state{};
  if (deflateInit2(&state, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&state, text.size()), '\0');
  std::string in = text;
  state.next_in = reinterpret_cast<Bytef*>(in.data());
  state.avail_in = static_cast<uInt>(in.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

/// A zip archive as numpy.savez (stored) and numpy.savez_compressed (packed) write it.
std::string zip(const std::vector<std::pair<std::string, std::string>>& files, bool packed,
                unsigned method = 99) {
  std::string archive, directory;
  for (const auto& [name, bytes] : files) {
    const std::string data = packed ? deflated(bytes) : bytes;
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const std::string common = little(0, 2) +
                               little(method < 99 ? method
                                      : packed    ? 8
                                                  : 0,
                                      2) +
                               little(0, 4) + little(sum, 4) + little(data.size(), 4) +
                               little(bytes.size(), 4) + little(name.size(), 2);
    directory += "PK\1\2" + little(20, 2) + little(20, 2) + common + little(0, 2) + little(0, 2) +
                 little(0, 2) + little(0, 2) + little(0, 4) + little(archive.size(), 4) + name;
    archive += "PK\3\4" + little(20, 2) + common + little(4, 2) + name + "\x07\x07" + little(0, 2) + data;
  }
  return archive + directory + "PK\5\6" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) +
         little(directory.size(), 4) + little(archive.size(), 4) + little(0, 2);
}

class Npz : public ::testing::Test {
 protected:
  std::string error(const std::string& bytes) const {
    const auto path = folder_.file("a.npz", bytes);
    return data_error(path, [&] { open_source<double>(path); });
  }

  TemporaryFolder folder_;
  const Matrix<double> m_ = gaussian<double>(500, 7, {3});
  const std::string array_ = npy_file<double>("f8", m_, false, false);
  const std::string other_ = npy_file<std::int32_t>("i4", Matrix<double>::Constant(4, 2, 7), false, false);
};

TEST_F(Npz, ArraysAreReadStoredAndDeflated) {
  for (const bool packed : {false, true}) {
    const auto one = open_source<double>(folder_.file("one.npz", zip({{"x.npy", array_}}, packed)));
    EXPECT_EQ(one->name(), (folder_ / "one.npz").string() + ":x");
    EXPECT_TRUE(one->random_access());
    EXPECT_EQ(read_all(*one).rows, m_);
    const auto two = folder_.file("two.npz", zip({{"x.npy", array_}, {"y.npy", other_}}, packed)).string();
    EXPECT_EQ(read_all(*open_source<double>(two + ":x")).rows, m_);
    EXPECT_EQ(read_all(*open_source<double>(two + ":y")).rows, (RowMatrix<double>::Constant(4, 2, 7)));
    EXPECT_EQ(data_error(two, [&] { open_source<double>(two); }),
              fmt::format("2 arrays (x, y), expected the name of one, as in {}:x", two));
    EXPECT_EQ(data_error(two, [&] { open_source<double>(two + ":z"); }), "no array 'z', expected x or y");
  }
}

TEST_F(Npz, DamagedArchivesAreNamed) {
  const std::string whole = zip({{"x.npy", array_}}, false), packed = zip({{"x.npy", array_}}, true);
  EXPECT_EQ(error(whole.substr(0, whole.size() - 10)), "damaged .npz file: no directory at its end");
  std::string flipped = whole;
  flipped[2000] ^= 1;
  EXPECT_EQ(error(flipped), "damaged .npz file: the checksum of 'x.npy' does not match");
  std::string broken = packed;
  for (std::size_t k = 100; k < 200; ++k) broken[k] = '\xFF';
  EXPECT_NE(error(broken).find("damaged .npz file: "), std::string::npos);
  EXPECT_EQ(error(zip({{"x.txt", "1 2"}}, false)), "a zip archive without arrays, expected .npz");
  const auto strange = folder_.file("s.npz", zip({{"x.npy", array_}}, false, 12));
  EXPECT_EQ(data_error(strange.string() + ":x", [&] { open_source<double>(strange); }),
            "packed by method 12, expected stored or deflated data");
}

/// Changes bytes of the entry of the directory, which begins with PK\1\2.
std::string with_entry(std::string archive, std::size_t offset, const std::string& bytes) {
  return archive.replace(archive.rfind("PK\1\2") + offset, bytes.size(), bytes);
}

TEST_F(Npz, DirectoriesThatLieAreNamed) {
  for (const bool packed : {false, true}) {
    const std::string whole = zip({{"x.npy", array_}}, packed);
    EXPECT_EQ(error(with_entry(whole, 0, "PK\1\3")), "damaged .npz file: in its directory");
    EXPECT_EQ(error(with_entry(whole, 28, little(9999, 2))), "damaged .npz file: in its directory");
    EXPECT_EQ(error(with_entry(whole, 20, little(99999999, 4))), "damaged .npz file: it ends too early");
    EXPECT_EQ(error(with_entry(whole, 42, little(1, 4))), "damaged .npz file: 'x.npy' is not where it should be");
    EXPECT_EQ(error(with_entry(whole, 42, little(whole.size() - 5, 4))), "damaged .npz file: it ends too early");
    EXPECT_NE(error(with_entry(whole, 24, little(array_.size() - 1, 4))).find("damaged .npz file: "),
              std::string::npos);
    EXPECT_NE(error(with_entry(whole, 24, little(array_.size() + 1, 4))).find("damaged .npz file: "),
              std::string::npos);
    std::string count = whole;
    count.replace(count.size() - 12, 2, little(2, 2));  // of entries
    EXPECT_EQ(error(count), "damaged .npz file: in its directory");
    std::string start = whole;
    start.replace(start.size() - 6, 4, little(whole.size(), 4));  // of the directory
    EXPECT_EQ(error(start), "damaged .npz file: it ends too early");
  }
  const auto secret = folder_.file("s.npz", with_entry(zip({{"x.npy", array_}}, false), 8, little(1, 2)));
  EXPECT_EQ(data_error(secret.string() + ":x", [&] { open_source<double>(secret); }),
            "encrypted, expected stored or deflated data");
}

/// As NumPy writes an array of unknown length: sizes of 64 bits in an extra field and in a second end of the archive.
TEST_F(Npz, SizesOf64Bits) {
  const std::string plain = zip({{"x.npy", array_}}, false);
  const std::size_t at = plain.rfind("PK\1\2"), end = plain.rfind("PK\5\6");
  const std::string unknown = little(0xFFFFFFFF, 4);
  const auto archive = [&](const std::string& extra) {
    std::string entry = plain.substr(at, end - at);
    entry.replace(20, 4, unknown).replace(24, 4, unknown).replace(42, 4, unknown);
    entry.replace(30, 2, little(extra.size(), 2));
    entry += extra;
    const std::string wide = "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
                             little(1, 8) + little(1, 8) + little(entry.size(), 8) + little(at, 8);
    const std::string where = "PK\6\7" + little(0, 4) + little(at + entry.size(), 8) + little(1, 4);
    return plain.substr(0, at) + entry + wide + where + "PK\5\6" + little(0, 4) + little(0xFFFF, 2) +
           little(0xFFFF, 2) + unknown + unknown + little(0, 2);
  };
  const std::string sizes = little(array_.size(), 8) + little(array_.size(), 8) + little(0, 8);
  const std::string field = little(1, 2) + little(sizes.size(), 2) + sizes;
  const std::string other = little(7, 2) + little(2, 2) + "ab";
  EXPECT_EQ(read_all(*open_source<double>(folder_.file("w.npz", archive(other + field)))).rows, m_);
  EXPECT_NE(error(archive(other)).find("damaged .npz file: "), std::string::npos);
  EXPECT_NE(error(archive(field.substr(0, 20))).find("damaged .npz file: "), std::string::npos);
}

TEST(NpyTypes, HalvesBooleansAndUnsignedNumbers) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& type, const std::string& data) {
    const auto path = folder.file("t.npy", npy_bytes(1, npy_dictionary(type, false, "(2, 2)"), data));
    const auto source = open_source<double>(path);
    EXPECT_EQ(source->element_type(), type.substr(1));
    return RowMatrix<double>(read_all(*source).rows);
  };
  // 1, -2, 65504 (the largest) and 2^-24 (the smallest) in half precision.
  EXPECT_EQ(read("<f2", std::string("\x00\x3c\x00\xc0\xff\x7b\x01\x00", 8)),
            (RowMatrix<double>(2, 2) << 1, -2, 65504, 0x1p-24).finished());
  EXPECT_EQ(read(">f2", std::string("\x3c\x00\xc0\x00\x7b\xff\x00\x01", 8)),
            (RowMatrix<double>(2, 2) << 1, -2, 65504, 0x1p-24).finished());
  EXPECT_EQ(read("|b1", std::string("\1\0\0\1", 4)), (RowMatrix<double>(2, 2) << 1, 0, 0, 1).finished());
  EXPECT_EQ(read("<u2", std::string("\xff\xff\1\0\0\1\2\0", 8)),
            (RowMatrix<double>(2, 2) << 65535, 1, 256, 2).finished());
}

}  // namespace
}  // namespace landfall::test
