#include <landfall/data/io/gzip.hpp>
#include <landfall/linalg/random.hpp>

#include <data/gzip_bytes.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

/// Half of it hard to compress, half of it easy.
std::string some_text(std::size_t length, std::uint64_t seed) {
  std::string text(length, 'a');
  for (std::size_t i = 0; i < length / 2; ++i) text[i] = static_cast<char>(uniform({seed, 3}, i) * 256);
  return text;
}

std::string read_pieces(GzipReader& reader, std::size_t piece) {
  std::string text, buffer(piece, '\0');
  while (const std::size_t count = reader.read(std::as_writable_bytes(std::span(buffer))))
    text.append(buffer, 0, count);
  return text;
}

std::string unpacked(const std::filesystem::path& path, std::size_t piece = 1000) {
  const InputFile file(path);
  GzipReader reader(file);
  return read_pieces(reader, piece);
}

TEST(Gzip, WhatWasPackedIsReadInPiecesOfAnySize) {
  const TemporaryFolder folder;
  std::uint64_t seed = 0;
  for (const std::size_t length : {0, 1, 2, 999, 1000, 1001, 65536, 300000}) {
    const std::string text = some_text(length, ++seed);
    const auto path = folder.file("a.gz", gzip_bytes(text));
    for (const std::size_t piece : {1, 7, 1000, 65536, 1 << 20}) {
      if (piece == 1 && length > 2000) continue;
      EXPECT_TRUE(unpacked(path, piece) == text) << length << " bytes in pieces of " << piece;
    }
  }
}

TEST(Gzip, EachReadFillsWhatItIsGivenUntilTheEnd) {
  const TemporaryFolder folder;
  const InputFile file(folder.file("a.gz", gzip_bytes(some_text(200000, 1)) + gzip_bytes("end")));
  GzipReader reader(file);
  std::vector<std::byte> buffer(150000);
  EXPECT_EQ(reader.read(buffer), 150000U);
  EXPECT_EQ(reader.read(buffer), 50003U);
  EXPECT_EQ(reader.read(buffer), 0U);
  EXPECT_EQ(reader.read(buffer), 0U);
}

TEST(Gzip, SeveralMembersAreOneText) {
  const TemporaryFolder folder;
  for (const std::size_t length : {0, 1, 65000, 70000}) {
    const std::string a = some_text(length, 1), b = some_text(5, 2), c = some_text(90000, 3);
    EXPECT_TRUE(unpacked(folder.file("a.gz", gzip_bytes(a) + gzip_bytes(b) + gzip_bytes(c))) == a + b + c);
  }
}

TEST(Gzip, RewindStartsAgainFromAnywhere) {
  const TemporaryFolder folder;
  const std::string text = some_text(200000, 4);
  const InputFile file(folder.file("a.gz", gzip_bytes(text)));
  GzipReader reader(file);
  std::vector<std::byte> buffer(1000);
  for (int i = 0; i < 3; ++i) {
    reader.read(buffer);
    reader.rewind();
    EXPECT_TRUE(read_pieces(reader, 4096) == text);
    reader.rewind();
  }
}

TEST(Gzip, DamageIsFound) {
  const TemporaryFolder folder;
  const std::string good = gzip_bytes(some_text(3000, 5));
  const auto error = [&](const std::string& bytes) {
    const auto path = folder.file("bad.gz", bytes);
    return data_error(path, [&] { unpacked(path); });
  };
  std::string bad = good;
  bad[good.size() - 6] ^= 1;
  EXPECT_EQ(error(bad), "damaged gzip data: checksum does not match");
  bad = good;
  bad[good.size() - 2] ^= 1;
  EXPECT_EQ(error(bad), "damaged gzip data: length does not match");
  bad = good;
  bad[500] ^= 16;  // in the middle of the stored half
  EXPECT_EQ(error(bad).substr(0, 19), "damaged gzip data: ");
  bad = good;
  bad[2] = 7;
  EXPECT_EQ(error(bad), "damaged gzip data: unknown compression method");
  EXPECT_EQ(error(good + "x"), "too long: 1 bytes after the end of the gzip data");
  EXPECT_EQ(error(good + std::string(70000, '\0')), "too long: 70000 bytes after the end of the gzip data");
  EXPECT_EQ(error("plain text"), "not gzip data");
  EXPECT_EQ(error(""), "not gzip data");
  EXPECT_EQ(error("\x1f"), "not gzip data");
  for (const std::size_t length : {2UL, 9UL, 10UL, 11UL, 700UL, good.size() - 8, good.size() - 1})
    EXPECT_EQ(error(good.substr(0, length)),
              "truncated: the gzip data ends after " + std::to_string(length) + " bytes");
}

}  // namespace
}  // namespace landfall::test
