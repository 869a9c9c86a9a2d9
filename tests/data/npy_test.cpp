#include <landfall/data/formats/npy.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/random.hpp>

#include <data/file_bytes.hpp>
#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class Npy : public Typed<S> {};
TYPED_TEST_SUITE(Npy, Scalars);

TYPED_TEST(Npy, WhatIsWrittenIsReadBackExactly) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const std::pair<Index, Index> shapes[] = {{1, 1}, {1, 7},   {7, 1},     {3, 4},
                                            {4, 3}, {64, 64}, {700, 130}, {3, 40000}};
  std::uint64_t seed = 0;
  for (const auto& [rows, cols] : shapes) {
    const Matrix<S> m = gaussian<S>(rows, cols, {++seed, 0});
    write_npy<S>(folder / "m.npy", m);
    EXPECT_TRUE(read_npy<S>(folder / "m.npy") == m) << rows << "x" << cols;
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"m.npy"});
}

TYPED_TEST(Npy, ABlockIsWrittenLikeItsCopy) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const Matrix<S> m = gaussian<S>(9, 8, {1, 0});
  write_npy<S>(folder / "block.npy", m.block(2, 1, 5, 4));
  EXPECT_EQ(read_npy<S>(folder / "block.npy"), m.block(2, 1, 5, 4));
}

TYPED_TEST(Npy, TheHeaderIsWhatNumpyWrites) {
  using S = TypeParam;
  const TemporaryFolder folder;
  Matrix<S> m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  write_npy<S>(folder / "m.npy", m);
  std::string header =
      fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': (2, 3), }}", sizeof(S));
  header.resize(128 - 10 - 1, ' ');
  EXPECT_EQ(content(folder / "m.npy"), npy_bytes(1, header + '\n', array_bytes<S>(m, false, false)));

  write_npy_vector<S>(folder / "v.npy", Vector<S>(m.col(1)));
  const NpyHeader vector = read_npy_header(InputFile(folder / "v.npy"));
  EXPECT_EQ(vector.shape, std::vector<Index>{2});
  EXPECT_EQ(vector.type, sizeof(S) == 4 ? NpyType::f4 : NpyType::f8);
  EXPECT_EQ(read_npy<S>(folder / "v.npy"), m.col(1));
}

template <class T, class S>
void check_npy_type(const TemporaryFolder& folder, const std::string& type) {
  // The last is read in more than one piece, whatever the type.
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {1, 5}, {5, 1}, {6, 4}, {600, 450}}) {
    const Matrix<S> m = whole_numbers(rows, cols, std::is_unsigned_v<T> ? 0 : -128, 5).template cast<S>();
    for (const bool big : {false, true})
      for (const bool fortran : {false, true})
        for (const int version : {1, 2, 3}) {
          if (m.size() > 100 && version > 1) continue;
          const std::string shape = fmt::format("({}, {})", rows, cols);
          const auto path = folder.file(
              "m.npy", npy_bytes(version, npy_dictionary((big ? ">" : "<") + type, fortran, shape),
                                 array_bytes<T>(m, fortran, big)));
          EXPECT_TRUE(read_npy<S>(path) == m)
              << type << (big ? " big" : " little") << (fortran ? " Fortran " : " C ") << rows << "x" << cols
              << " version " << version;
        }
  }
}

TYPED_TEST(Npy, EveryTypeOrderAndVersion) {
  using S = TypeParam;
  const TemporaryFolder folder;
  check_npy_type<float, S>(folder, "f4");
  check_npy_type<double, S>(folder, "f8");
  check_npy_type<std::uint8_t, S>(folder, "u1");
  check_npy_type<std::int8_t, S>(folder, "i1");
  check_npy_type<std::int16_t, S>(folder, "i2");
  check_npy_type<std::int32_t, S>(folder, "i4");
  check_npy_type<std::int64_t, S>(folder, "i8");
}

TYPED_TEST(Npy, TheExtremesOfEachTypeAreKept) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const auto read = [&](const std::string& type, const std::string& bytes) {
    return read_npy<S>(folder.file("m.npy", npy_bytes(1, npy_dictionary(type, false, "(1,)"), bytes)))(0, 0);
  };
  EXPECT_EQ(read("|u1", "\xff"), S(255));
  EXPECT_EQ(read("|i1", "\x80"), S(-128));
  EXPECT_EQ(read("<i2", number_bytes<std::int16_t>(-32768, false)), S(-32768));
  EXPECT_EQ(read(">i4", number_bytes<std::int32_t>(-2147483648, true)), S(-2147483648.0));
  EXPECT_EQ(read("<i8", number_bytes<std::int64_t>(std::int64_t{1} << 62, false)), S(0x1p62));
  EXPECT_EQ(read("=f8", number_bytes(0x1p-100, std::endian::native == std::endian::big)), S(0x1p-100));
}

TEST(NpyHeader, IsReadWhateverItsSpacingQuotesAndOrderOfKeys) {
  const TemporaryFolder folder;
  for (const std::string text :
       {"{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\">i2\"}",
        "  { 'fortran_order' : True ,'shape' : ( 2L , 3L, ) , 'descr' : '>i2' , }  \n"}) {
    const InputFile file(folder.file("m.npy", npy_bytes(1, text, std::string(12, '\0'))));
    const NpyHeader header = read_npy_header(file);
    EXPECT_EQ(header.type, NpyType::i2);
    EXPECT_EQ(header.byte_order, std::endian::big);
    EXPECT_EQ(header.order, NpyOrder::columns_first);
    EXPECT_EQ(header.shape, (std::vector<Index>{2, 3}));
    EXPECT_EQ(header.offset, 10 + text.size());
    EXPECT_EQ(header.item_size(), 2);
  }
}

class NpyErrors : public ::testing::Test {
 protected:
  std::string error(const std::string& bytes) const {
    const auto path = folder_.file("m.npy", bytes);
    return data_error(path, [&] { read_npy<double>(path); });
  }
  std::string header_error(const std::string& text) const { return error(npy_bytes(1, text, "")); }
  std::string shape_error(const std::string& shape, std::size_t data = 0) const {
    return error(npy_bytes(1, npy_dictionary("<f8", false, shape), std::string(data, '\0')));
  }

  TemporaryFolder folder_;
};

TEST_F(NpyErrors, WrongLength) {
  const std::string whole = npy_bytes(1, npy_dictionary("<f8", false, "(3, 4)"), std::string(96, '\0'));
  const std::size_t length = whole.size();
  EXPECT_EQ(error(whole), "no error");
  EXPECT_EQ(error(whole.substr(0, length - 1)),
            fmt::format("truncated: expected {} bytes, found {}", length, length - 1));
  EXPECT_EQ(error(whole + "x"), fmt::format("too long: expected {} bytes, found {}", length, length + 1));
  const std::size_t header = length - 96;
  EXPECT_EQ(error(whole.substr(0, header)),
            fmt::format("truncated: expected {} bytes, found {}", length, header));
  EXPECT_EQ(error(whole.substr(0, 20)), fmt::format("truncated: expected {} bytes, found 20", header));
  EXPECT_EQ(error(whole.substr(0, 9)), "truncated: expected 10 bytes, found 9");
  EXPECT_EQ(error(whole.substr(0, 3)), "truncated: expected 10 bytes, found 3");
  EXPECT_EQ(error(npy_bytes(2, "", "").substr(0, 11)), "truncated: expected 12 bytes, found 11");
}

TEST_F(NpyErrors, EveryPrefixOfAFileIsRefused) {
  const std::string whole = npy_bytes(2, npy_dictionary("<f4", true, "(2, 2)"), std::string(16, '\0'));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(error(whole.substr(0, length)), "no error") << length;
}

// Any bytes at all give a matrix or a DataError: error() lets no other exception through.
TEST_F(NpyErrors, DamagedFilesAreRefusedOrRead) {
  const std::string whole = npy_bytes(1, npy_dictionary("<i2", false, "(2, 3)"), std::string(12, '\1'));
  for (std::uint64_t k = 0; k < 500; ++k) {
    const auto words = random_words({12, 0}, k);
    std::string damaged = whole;
    damaged[words[0] % whole.size()] = static_cast<char>(words[1] & 255);
    damaged[10 + words[2] % (whole.size() - 10)] = static_cast<char>(' ' + words[3] % 32);
    error(damaged);
  }
}

// Nothing may be allocated for these: the test would die of it.
TEST_F(NpyErrors, ForgedSizes) {
  EXPECT_EQ(shape_error("(1152921504606846976,)"), "truncated: expected more than 2^62 bytes, found 86");
  EXPECT_EQ(shape_error("(1152921504606846976, 1)", 8), "truncated: expected more than 2^62 bytes, found 96");
  EXPECT_EQ(shape_error("(4294967296, 4294967296)"), "truncated: expected more than 2^62 bytes, found 88");
  EXPECT_EQ(shape_error("(1099511627776,)"), "truncated: expected 8796093022288 bytes, found 80");
  EXPECT_EQ(shape_error("(99999999999999999999, 2)"), "the .npy header has a size beyond 2^63");
  EXPECT_EQ(shape_error("(-3, 4)"), "the .npy header has a negative size, -3");
  EXPECT_EQ(shape_error("(1152921504606846976, 0)"),
            "1152921504606846976x0, expected at least one row and one column");
  EXPECT_EQ(error(std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12)),
            "an .npy header of 2147483647 bytes, expected at most 65535");
}

TEST_F(NpyErrors, Shapes) {
  EXPECT_EQ(shape_error("()", 8), "an array of 0 dimensions, expected 1 or 2");
  EXPECT_EQ(shape_error("(1, 2, 3)", 48), "an array of 3 dimensions, expected 1 or 2");
  EXPECT_EQ(shape_error("(0,)"), "0x1, expected at least one row and one column");
  EXPECT_EQ(shape_error("(3, 0)"), "3x0, expected at least one row and one column");
}

TEST_F(NpyErrors, Types) {
  const std::string expected = ", expected one of f4 f8 f2 b1 u1 u2 u4 u8 i1 i2 i4 i8";
  for (const std::string type : {"<c16", "<f16", "|O", "<U8", "<M8[ns]", "<u3", "|b8", "<<f8", "", "<"})
    EXPECT_EQ(header_error(npy_dictionary(type, false, "(3,)")), "entries of type '" + type + "'" + expected);
  EXPECT_EQ(header_error("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3,), }"),
            "structured entries" + expected);
}

TEST_F(NpyErrors, Headers) {
  const std::string has = "the .npy header has ";
  EXPECT_EQ(header_error("nothing"), has + "no '{' where one is expected");
  EXPECT_EQ(header_error("{}"), has + "a missing key, expected descr, fortran_order and shape");
  EXPECT_EQ(header_error("{'shape': (3,)}"), has + "a missing key, expected descr, fortran_order and shape");
  EXPECT_EQ(header_error("{'extra': 1}"), has + "an unknown key, expected descr, fortran_order and shape");
  EXPECT_EQ(header_error("{'shape': (3,"), has + "a shape that is not a tuple of numbers");
  EXPECT_EQ(header_error("{'shape': (3 4)}"), has + "no ')' where one is expected");
  EXPECT_EQ(header_error("{'shape': 3}"), has + "no '(' where one is expected");
  EXPECT_EQ(header_error("{'shape': (x,)}"), has + "a shape that is not a tuple of numbers");
  EXPECT_EQ(header_error("{'shape' (3,)}"), has + "no ':' where one is expected");
  EXPECT_EQ(header_error("{'shape': (3,) 'descr': '<f8'}"), has + "no '}' where one is expected");
  EXPECT_EQ(header_error("{'descr': '<f8"), has + "a string without its closing quote");
  EXPECT_EQ(header_error("{'fortran_order': 1}"), has + "a fortran_order that is neither True nor False");
  EXPECT_EQ(error(npy_bytes(4, "{}", "")), ".npy format 4.0, expected 1.0, 2.0 or 3.0");
  EXPECT_EQ(error("PK\3\4 an .npz archive"), "not an .npy file");
}

TEST_F(NpyErrors, WritingWhereNothingCanBeWritten) {
  const Matrix<double> m = Matrix<double>::Ones(2, 2);
  const auto write = [&](const std::filesystem::path& path) {
    return data_error(path, [&] { write_npy<double>(path, m); });
  };
  EXPECT_EQ(write(folder_ / "missing" / "m.npy"), "cannot be written: No such file or directory");
  EXPECT_EQ(write(folder_.file("file", "") / "m.npy"), "cannot be written: Not a directory");
  EXPECT_EQ(write(folder_.path()), "a folder, expected a file");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"file"});
}

}  // namespace
}  // namespace landfall::test
