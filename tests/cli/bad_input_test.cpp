// Whatever is wrong with a file: one sentence with its name, exit code 3, and no more memory than a good one
// takes.
#include <cstdint>
#include <ostream>

#include "program.hpp"
#include <data/file_bytes.hpp>
#include <data/gzip_bytes.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace landfall::test {
namespace {

struct BadFile {
  std::string name;
  std::string bytes;
  std::string sentence;  // a part of it
};

void PrintTo(const BadFile& file, std::ostream* out) {
  *out << file.name << ": " << file.sentence;
}

const Words limited = sanitized() ? Words{} : Words{"OPENBLAS_NUM_THREADS=1", "prlimit", "--as=1073741824"};

/// Refused with code 3 and one line that names the file and says this.
void expect_refusal(const Outcome& run, const std::string& name, const std::string& sentence) {
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.find("landfall: " + name + ": "), 0U) << run.err;
  EXPECT_NE(run.err.find(sentence), std::string::npos) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_TRUE(run.err.ends_with('\n'));
}

class BadInput : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadInput, IsOneSentenceAndThree) {
  const TemporaryFolder folder;
  const BadFile& file = GetParam();
  folder.file(file.name, file.bytes);
  expect_refusal(run_program(folder.path(), {"data", "info", file.name}, limited), file.name, file.sentence);
}

const std::string npy = npy_bytes(1, npy_dictionary("<f8", false, "(3, 4)"), std::string(96, '\1'));

std::string npy_of(const std::string& shape, const std::string& type = "<f8") {
  return npy_bytes(1, npy_dictionary(type, false, shape), std::string(96, '\1'));
}

INSTANTIATE_TEST_SUITE_P(
    Npy, BadInput,
    ::testing::Values(
        BadFile{"a.npy", "", "truncated: expected 10 bytes, found 0"},
        BadFile{"a.npy", npy.substr(0, npy.size() - 1), "truncated: expected "},
        BadFile{"a.npy", npy.substr(0, 30), "truncated: expected "},
        BadFile{"a.npy", npy + '\0', "too long: expected "},
        BadFile{"a.npy", "NUMPY" + npy, "not an .npy file"},
        BadFile{"a.npy", npy_of("(3000000000, 4)"), "truncated: expected 96000000079 bytes, found "},
        BadFile{"a.npy", npy_of("(-3, -4)"), "a negative size, -3"},
        BadFile{"a.npy", npy_of("(4611686018427387904, 4)"), "truncated: expected more than 2^62 bytes"},
        BadFile{"a.npy", npy_of("(99999999999999999999, 4)"), "a size beyond 2^63"},
        BadFile{"a.npy", npy_bytes(1, npy_dictionary("<f8", false, "(0, 4)"), ""),
                "expected at least one row and one column"},
        BadFile{"a.npy", npy_of("(3, 2, 2)"), "an array of 3 dimensions, expected 1 or 2"},
        BadFile{"a.npy", npy_of("(3, 4)", "<c16"), "entries of type '<c16', expected one of f4 f8 f2 b1 u1"},
        BadFile{"a.npy", npy_of("(3, 4)", "|O"), "entries of type '|O', expected one of f4 f8"},
        BadFile{"a.npy", npy_of("(3, four)"), "a shape that is not a tuple of numbers"},
        BadFile{"a.npy", std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12), "expected at most 65535"},
        BadFile{"a.npy", npy_bytes(9, "", ""), ".npy format 9.0, expected 1.0, 2.0 or 3.0"},
        BadFile{"a.npy.gz", gzip_bytes(npy), "a compressed .npy file; decompress it first"}));

const std::string idx = idx_header(8, {3, 2, 2}) + std::string(12, '\1');

INSTANTIATE_TEST_SUITE_P(
    Idx, BadInput,
    ::testing::Values(
        BadFile{"a.idx", "", "not an IDX file"}, BadFile{"a.idx", "words of text", "not an IDX file"},
        BadFile{"a.idx", idx.substr(0, idx.size() - 1), "truncated: expected 28 bytes, found 27"},
        BadFile{"a.idx", idx.substr(0, 9), "truncated: expected 16 bytes, found 9"},
        BadFile{"a.idx", idx + '\0', "too long: expected 28 bytes, found 29"},
        BadFile{"a.idx", idx_header(7, {3}) + "abc", "IDX entries of type 0x07"},
        BadFile{"a.idx", idx_header(8, {}) + "abc", "an array of 0 dimensions, expected 1 or more"},
        BadFile{"a.idx", idx_header(8, {0, 4}), "expected at least one row and one column"},
        BadFile{"a.idx", idx_header(14, {0xffffffff, 100}) + "abc",
                "truncated: expected 3435973836012 bytes"},
        BadFile{"a.idx", idx_header(8, {0xffffffff, 0xffffffff, 0xffffffff}) + "abc",
                "truncated: expected more than 2^62 bytes"},
        BadFile{"a.idx.gz", gzip_bytes(idx.substr(0, idx.size() - 1)),
                "truncated: expected 28 bytes when unpacked, found 27"},
        BadFile{"a.idx.gz", gzip_bytes(idx + '\0'), "too long: expected 28 bytes when unpacked"},
        BadFile{"a.idx.gz", gzip_bytes(idx_header(8, {4000000, 1000})), "more than "}));

INSTANTIATE_TEST_SUITE_P(
    Csv, BadInput,
    ::testing::Values(BadFile{"a.csv", "", "empty, expected rows of numbers"},
                      BadFile{"a.csv", "\n \n", "empty, expected rows of numbers"},
                      BadFile{"a.csv", "a,b\n", "a header but no rows"},
                      BadFile{"a.csv", "1,2\n3,4\n5\n", "line 3: 1 fields, expected 2"},
                      BadFile{"a.csv", "1,2\n3,4,5\n", "line 2: 3 fields, expected 2"},
                      BadFile{"a.csv", "1,2\n3,\"4\n5,6\n", "line 2: unterminated quoted field"},
                      BadFile{"a.csv", "1,2\n\"3\"3,4\n", "line 2: '3' after a quoted field"},
                      BadFile{"a.tsv", "1\t2\n3\n", "line 2: 1 fields, expected 2"}));

INSTANTIATE_TEST_SUITE_P(
    Svmlight, BadInput,
    ::testing::Values(
        BadFile{"a.svm", "", "empty, expected lines 'label index:value ...'"},
        BadFile{"a.svm", "# nothing\n", "empty, expected lines 'label index:value ...'"},
        BadFile{"a.svm", "1\n2\n", "no entry in any row"},
        BadFile{"a.svm", "1 1:1\nx 1:1\n", "line 2: label 'x' is not a number"},
        BadFile{"a.svm", "1 1:1\n1 1:one\n", "line 2, entry 1: 'one' is not a number"},
        BadFile{"a.svm", "1 1:1\n1 2:1 word\n", "line 2, entry 2: 'word', expected 'index:value'"},
        BadFile{"a.svm", "1 1:1 3:1\n1 3:1 2:1\n", "line 2, entry 2: index 2 after 3, expected ascending"},
        BadFile{"a.svm", "1 1:1 1:1\n", "line 1, entry 2: index 1 twice"},
        BadFile{"a.svm", "1 -1:1\n", "line 1, entry 1: '-1:1', expected 'index:value'"},
        BadFile{"a.svm", "1 99999999999999999999:1\n", "index 99999999999999999999, expected "},
        BadFile{"a.svm", "1 2147483648:1\n", "index 2147483648, expected "},
        BadFile{"a.svm", "1 qid:x 1:1\n", "line 1: 'qid:x', expected 'qid:' and a number from 0"}));

const std::string market = "%%MatrixMarket matrix ";

INSTANTIATE_TEST_SUITE_P(
    MatrixMarket, BadInput,
    ::testing::Values(
        BadFile{"a.mtx", "", "not a Matrix Market file"},
        BadFile{"a.mtx", "1 2\n3 4\n", "not a Matrix Market file"},
        BadFile{"a.mtx", "%%MatrixMarket tensor\n", "line 1: expected '%%MatrixMarket matrix"},
        BadFile{"a.mtx", market + "array complex general\n1 1\n1 1\n", "line 1: complex entries"},
        BadFile{"a.mtx", market + "array real general\n", "found the end of the file"},
        BadFile{"a.mtx", market + "array real general\n2 two\n",
                "line 2: expected 'rows columns', found '2 two'"},
        BadFile{"a.mtx", market + "array real general\n-2 2\n1\n", "line 2: -2x2, expected at least one row"},
        BadFile{"a.mtx", market + "array real general\n2 2\n1\n2\n3.5\n",
                "line 5: the file ends after 3 entries, expected 4"},
        BadFile{"a.mtx", market + "array real general\n2 2\n1 2 3 4\n5\n",
                "line 4: more entries than the 4 expected"},
        BadFile{"a.mtx", market + "array real general\n1 2\n1\nx\n", "line 4: expected a number, found 'x'"},
        BadFile{"a.mtx", market + "array real general\n100000 100000\n1\n",
                "more than the remaining 2 bytes can hold"},
        BadFile{"a.mtx", market + "array real general\n9223372036854775807 9\n1\n",
                "more than the remaining 2 bytes"},
        BadFile{"a.mtx", market + "array real general\n99999999999999999999 9\n1\n",
                "line 2: expected 'rows columns'"},
        BadFile{"a.mtx", market + "array real symmetric\n2 3\n1\n", "expected a square matrix"},
        BadFile{"a.mtx", market + "coordinate real general\n2 2 1\n3 1 5\n",
                "line 3: row 3, column 1 is outside the 2x2"},
        BadFile{"a.mtx", market + "coordinate real general\n2 2 9\n1 1 5\n",
                "9 entries are more than the remaining"},
        BadFile{"a.mtx", market + "coordinate real general\n2 2 -1\n1 1 5\n", "-1 entries are more than"},
        BadFile{"a.mtx", market + "coordinate real general\n2000000000 2000000000 1\n1 1 5\n",
                "expected at most "},
        BadFile{"a.mtx", market + "coordinate real general\n2 2 2\n1 1 5000000000000\n",
                "line 3: the file ends after 1 entries"}));

std::string with_bit_flipped(std::string bytes, std::size_t from_end) {
  bytes[bytes.size() - from_end] ^= 1;
  return bytes;
}

const std::string packed = gzip_bytes("1,2\n3,4\n");

INSTANTIATE_TEST_SUITE_P(
    Gzip, BadInput,
    ::testing::Values(
        BadFile{"a.csv.gz", packed.substr(0, packed.size() - 1), "truncated: the gzip data ends after "},
        BadFile{"a.csv.gz", packed.substr(0, 5), "truncated: the gzip data ends after 5 bytes"},
        BadFile{"a.csv.gz", with_bit_flipped(packed, 6), "damaged gzip data: checksum does not match"},
        BadFile{"a.csv.gz", with_bit_flipped(packed, 2), "damaged gzip data: length does not match"},
        BadFile{"a.csv.gz", packed + "xyz", "too long: 3 bytes after the end of the gzip data"},
        BadFile{"a.csv.gz", gzip_bytes("1,2\n3\n"), "line 2: 1 fields, expected 2"},
        BadFile{"a.svm.gz", gzip_bytes("1 1:x\n"), "line 1, entry 1: 'x' is not a number"},
        BadFile{"a.mtx.gz", gzip_bytes(market + "array real general\n90000 90000\n1\n"),
                "more than the remaining "}));

INSTANTIATE_TEST_SUITE_P(
    NoFormat, BadInput,
    ::testing::Values(BadFile{"words", "some words", "unknown file format (tried content and extension)"},
                      BadFile{"empty", "", "unknown file format (tried content and extension)"},
                      BadFile{"a.gz", gzip_bytes(""), "unknown file format (tried content and extension)"}));

TEST(BadInput, WhatIsNoFile) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& sentence) {
    SCOPED_TRACE(name);
    expect_refusal(run_program(folder.path(), {"data", "info", name}, limited), name, sentence);
  };
  refused("none.csv", "no such file");
  refused("/dev/null", "not a regular file");
  std::filesystem::create_directory(folder / "hollow.npy");
  refused("hollow.npy", "the folder contains no files");
  std::filesystem::create_directory(folder / "parts");
  folder.file("parts/1.csv", "1,2\n");
  folder.file("parts/2.csv", "1,2,3\n");
  expect_refusal(run_program(folder.path(), {"data", "info", "parts"}, limited), "parts/2.csv",
                 "3 columns, but parts/1.csv has 2");
  // A matrix is one file.
  const Outcome gevp = run_program(folder.path(), {"gevp", "parts", "parts", "-p", "1"}, limited);
  expect_refusal(gevp, "parts", "a folder, expected a file");
}

TEST(BadInput, WhatMustNotBeRead) {
  const TemporaryFolder folder;
  const auto path = folder.file("locked.csv", "1,2\n");
  std::filesystem::create_directory(folder / "shut");
  const auto none = std::filesystem::perms::none;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(path, none);
  std::filesystem::permissions(folder / "shut", none);
  if (run_program(folder.path(), {"--version"}, as_nobody()).code != 0)
    GTEST_SKIP() << "root may read everything, and nobody may not run the program";
  for (const std::string name : {"locked.csv", "shut"})
    expect_refusal(run_program(folder.path(), {"data", "info", name}, as_nobody()), name,
                   "cannot be opened: Permission denied");
  std::filesystem::permissions(folder / "shut", std::filesystem::perms(0755));
}

Outcome info(const TemporaryFolder& folder, const std::string& bytes) {
  Words words = limited;
  words.insert(words.end(), {"sh", "-c", "exec \"$@\" <\"$0\"", folder.file("input", bytes)});
  return run_program(folder.path(), {"data", "info", "-"}, words);
}

TEST(StandardInput, IsReadByItsContent) {
  const TemporaryFolder folder;
  const auto shape = [](const Outcome& run) { return run.out.substr(0, run.out.find("element")); };
  const auto expected = [](std::string_view format, int rows, int cols) {
    return fmt::format("file            -\nformat          {}\nrows            {}\ncolumns         {}\n",
                       format, rows, cols);
  };
  EXPECT_EQ(shape(info(folder, "x,y\n1,2\n3,4\n5,6\n")), expected("csv", 3, 2));
  EXPECT_EQ(shape(info(folder, "# comment\n3\n1 2:5 7:1\n")), expected("svmlight", 2, 7));
  EXPECT_EQ(shape(info(folder, packed)), expected("csv", 2, 2));
  EXPECT_EQ(shape(info(folder, gzip_bytes("1 1:1\n2 2:2\n"))), expected("svmlight", 2, 2));
  EXPECT_EQ(shape(info(folder, npy)), expected("npy", 3, 4));
  EXPECT_EQ(shape(info(folder, gzip_bytes(idx))), expected("idx", 3, 4));
  std::string large;  // more than is looked at, and than a buffer holds
  for (int i = 0; i < 300000; ++i) large += fmt::format("{},{}\n", i, -i);
  EXPECT_EQ(shape(info(folder, large)), expected("csv", 300000, 2));
}

TEST(StandardInput, IsRefusedLikeAFile) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes, const std::string& sentence) {
    expect_refusal(info(folder, bytes), "standard input", sentence);
  };
  refused("", "empty, expected rows of numbers");
  refused("1,2\n3\n", "line 2: 1 fields, expected 2");
  refused("1 1:1\n1 1:x\n", "line 2, entry 1: 'x' is not a number");
  refused(with_bit_flipped(packed, 6), "damaged gzip data: checksum does not match");
  refused(packed.substr(0, 12), "truncated: the gzip data ends after 12 bytes");
  refused(packed + "x", "too long: 1 bytes after the end of the gzip data");
  refused(npy.substr(0, 100), "truncated: expected ");
  refused(std::string("\1\2\0\3", 4), "not text, expected rows of numbers");
}

}  // namespace
}  // namespace landfall::test
