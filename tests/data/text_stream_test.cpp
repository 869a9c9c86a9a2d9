#include <landfall/data/formats/text_stream.hpp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>

#include <data/standard_input.hpp>
#include <data/temporary_folder.hpp>
#include <gtest/gtest.h>

namespace landfall::test {
namespace {

TEST(ByteStream, WhatIsPutBackOrCopiedIsReadAgain) {
  const TemporaryFolder folder;
  const auto path = folder.file("file", "some bytes in order");
  auto bytes = open_bytes(path);
  EXPECT_EQ(read_up_to(*bytes, 10), "some bytes");
  bytes = put_back("some bytes", std::move(bytes));
  EXPECT_EQ(bytes->most_left(), 19U);
  for (const char* piece : {"some", " byt", "es i"}) EXPECT_EQ(read_up_to(*bytes, 4), piece);
  EXPECT_EQ(bytes->most_left(), 7U);
  const SpooledFile copy("the rest", *bytes);
  EXPECT_EQ(shown_name(copy.path()), "the rest");
  bytes = open_bytes(copy.path());
  EXPECT_EQ(bytes->name(), "the rest");
  for (int reading = 0; reading < 2; ++reading) {
    EXPECT_EQ(bytes->most_left(), 7U);
    EXPECT_EQ(read_up_to(*bytes, 3), "n o");
    EXPECT_EQ(read_up_to(*bytes, 100), "rder");
    EXPECT_EQ(read_up_to(*bytes, 1), "");
    bytes->rewind();
  }
  bytes = put_back("", open_bytes(path));
  read_up_to(*bytes, 5);
  bytes->rewind();
  EXPECT_EQ(read_up_to(*bytes, 5), "some ");
}

TEST(LineReader, GivesLinesWithTheirNumbersAndTheBytesLeft) {
  const TemporaryFolder folder;
  const InputFile file(folder.file("file", "one\r\n\nthree"));
  LineReader lines(file);
  EXPECT_EQ(lines.bytes_left(), 11U);
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.bytes_left(), 6U);
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), "three");
  EXPECT_EQ(lines.number(), 3);
  EXPECT_EQ(lines.bytes_left(), 0U);
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_EQ(lines.number(), 3);
}

TEST(LineReader, LinesMayBeLongerThanTheBuffer) {
  const TemporaryFolder folder;
  std::vector<std::string> expected;
  std::string text;
  for (const std::size_t length : {3, 1 << 20, 0, 2500000, (1 << 20) - 1, 17}) {
    expected.push_back(std::string(length, static_cast<char>('a' + expected.size())));
    text += expected.back() + '\n';
  }
  const InputFile file(folder.file("file", text));
  LineReader lines(file);
  for (const std::string& line : expected) EXPECT_TRUE(lines.next() == line) << lines.number();
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(LineReader, AnEmptyFileHasNoLine) {
  const TemporaryFolder folder;
  const InputFile file(folder.file("file", ""));
  EXPECT_EQ(LineReader(file).next(), std::nullopt);
}

TEST(LineReader, ALineMayBeExtendedPutBackAndLookedAtAhead) {
  const TemporaryFolder folder;
  LineReader lines(folder.file("file", "\xEF\xBB\xBFone\ntwo\r\nthree\nfour"));
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.ahead(5), "two\r\nthree\nfour");
  EXPECT_EQ(lines.next(), "two");
  EXPECT_EQ(lines.extend(), "two\r\nthree");
  EXPECT_EQ(lines.number(), 3);
  lines.put_back();
  EXPECT_EQ(lines.number(), 1);
  EXPECT_EQ(lines.next(), "two");
  EXPECT_EQ(lines.next(), "three");
  EXPECT_EQ(lines.next(), "four");
  EXPECT_EQ(lines.extend(), std::nullopt);
  EXPECT_EQ(lines.number(), 4);
  lines.rewind();
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.number(), 1);
}

TEST(LineReader, ALineGrowsOverTheEndOfTheBuffer) {
  const TemporaryFolder folder;
  const std::string part(700000, 'x');
  LineReader lines(folder.file("file", "first\n" + part + '\n' + part + '\n' + part + "\nlast"));
  lines.next();
  EXPECT_TRUE(lines.next() == part);
  EXPECT_TRUE(lines.extend() == part + '\n' + part);
  EXPECT_TRUE(lines.extend() == part + '\n' + part + '\n' + part);
  EXPECT_EQ(lines.number(), 4);
  lines.put_back();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(lines.next() == part) << lines.number();
  EXPECT_EQ(lines.next(), "last");
  EXPECT_EQ(lines.number(), 5);
}

TEST(LineReader, Utf16IsReadByItsByteOrderMark) {
  const TemporaryFolder folder;
  // a, e acute, the euro sign, a character beyond 2^16 as a pair, a half pair, a line break.
  const std::vector<int> units = {'a', 0xE9, 0x20AC, 0xD83D, 0xDE00, 0xDC00, '\n', '1'};
  for (const bool big : {false, true}) {
    std::string bytes;
    const auto add = [&](int unit) {
      const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 255);
      bytes += big ? std::string{high, low} : std::string{low, high};
    };
    add(0xFEFF);
    for (const int unit : units) add(unit);
    LineReader lines(folder.file("t.csv", bytes));
    for (int reading = 0; reading < 2; ++reading) {
      EXPECT_EQ(lines.next(), "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80?");
      EXPECT_EQ(lines.next(), "1");
      EXPECT_EQ(lines.next(), std::nullopt);
      lines.rewind();
    }
  }
}

TEST(LineReader, StandardInputIsReadOnce) {
  const StandardInput input("one\ntwo\n");
  LineReader lines("-");
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "two");
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_FALSE(lines.rewindable());
  try {
    lines.rewind();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "standard input: cannot be read twice; expected a file");
  }
}

}  // namespace
}  // namespace landfall::test
