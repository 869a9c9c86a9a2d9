#include <landfall/data/formats/matrix_market.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/random.hpp>

#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
Matrix<S> dense(const MatrixFile<S>& m) {
  return std::visit([](const auto& any) { return Matrix<S>(any); }, m);
}

/// About a quarter of the entries of a Gaussian matrix, over many magnitudes.
template <class S>
Eigen::SparseMatrix<S> random_sparse(Index rows, Index cols, std::uint64_t seed) {
  Matrix<S> m = gaussian<S>(rows, cols, {seed, 2});
  for (Index k = 0; k < m.size(); ++k) {
    const double u = uniform({seed, 3}, static_cast<std::uint64_t>(k));
    m.data()[k] *= u < 0.25 ? static_cast<S>(std::pow(10.0, 200 * u - 25)) : S(0);
  }
  return m.sparseView();
}

template <class S>
class MatrixMarket : public Typed<S> {
 protected:
  Matrix<S> read(const std::string& text) const {
    return dense(read_matrix_market<S>(folder_.file("m.mtx", text)));
  }

  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(MatrixMarket, Scalars);

TYPED_TEST(MatrixMarket, WhatIsWrittenIsReadBackExactly) {
  using S = TypeParam;
  std::uint64_t seed = 0;
  for (const auto& [rows, cols] :
       {std::pair<Index, Index>{1, 1}, {1, 7}, {7, 1}, {3, 4}, {40, 30}, {300, 300}}) {
    const auto path = this->folder_ / "m.mtx";
    const Matrix<S> m = gaussian<S>(rows, cols, {++seed, 0});
    write_matrix_market<S>(path, m);
    EXPECT_TRUE(std::get<Matrix<S>>(read_matrix_market<S>(path)) == m) << rows << "x" << cols;

    const Eigen::SparseMatrix<S> sparse = random_sparse<S>(rows, cols, seed);
    write_matrix_market<S>(path, sparse);
    const auto back = std::get<Eigen::SparseMatrix<S>>(read_matrix_market<S>(path));
    EXPECT_EQ(back.nonZeros(), sparse.nonZeros());
    EXPECT_TRUE(Matrix<S>(back) == Matrix<S>(sparse)) << rows << "x" << cols;
  }
  EXPECT_EQ(this->folder_.names(), std::vector<std::string>{"m.mtx"});
}

TYPED_TEST(MatrixMarket, ASymmetricMatrixIsWrittenAsOneTriangle) {
  using S = TypeParam;
  const auto path = this->folder_ / "m.mtx";
  const auto header = [&] {
    const InputFile file(path);
    LineReader lines(file);
    return read_matrix_market_header(lines);
  };
  for (const Index n : {2, 5, 31}) {
    const Matrix<S> m = random_symmetric<S>(n, 7);
    write_matrix_market<S>(path, m);
    EXPECT_EQ(header().symmetry, MarketSymmetry::symmetric);
    EXPECT_EQ(header().entries, n * (n + 1) / 2);
    EXPECT_EQ(dense(read_matrix_market<S>(path)), m);

    const Eigen::SparseMatrix<S> half = random_sparse<S>(n, n, 8);
    const Eigen::SparseMatrix<S> sparse = half + Eigen::SparseMatrix<S>(half.transpose());
    write_matrix_market<S>(path, sparse);
    EXPECT_EQ(header().symmetry, MarketSymmetry::symmetric);
    EXPECT_LT(header().entries, sparse.nonZeros());
    EXPECT_EQ(dense(read_matrix_market<S>(path)), Matrix<S>(sparse));
  }
  Matrix<S> nearly = random_symmetric<S>(5, 7);
  nearly(1, 3) *= 1 + std::numeric_limits<S>::epsilon();
  write_matrix_market<S>(path, nearly);
  EXPECT_EQ(header().symmetry, MarketSymmetry::general);
  EXPECT_EQ(dense(read_matrix_market<S>(path)), nearly);
}

TYPED_TEST(MatrixMarket, WritesPlainText) {
  using S = TypeParam;
  Matrix<S> m(2, 2);
  m << 1, S(-2.5), S(0.1), S(1e30);
  write_matrix_market<S>(this->folder_ / "m.mtx", m);
  EXPECT_EQ(content(this->folder_ / "m.mtx"),
            "%%MatrixMarket matrix array real general\n2 2\n1\n0.1\n-2.5\n1e+30\n");
  write_matrix_market<S>(this->folder_ / "m.mtx", Eigen::SparseMatrix<S>(m.sparseView()));
  EXPECT_EQ(content(this->folder_ / "m.mtx"),
            "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n2 1 0.1\n1 2 -2.5\n2 2 1e+30\n");
}

TYPED_TEST(MatrixMarket, EverySymmetryAndFieldOfArrays) {
  using S = TypeParam;
  Matrix<S> expected(3, 3);
  expected << 1, 4, 7, 2, 5, 8, 3, 6, 9;
  EXPECT_EQ(this->read("%%MatrixMarket matrix array real general\n3 3\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
            expected);
  EXPECT_EQ(this->read("%%MatrixMarket MATRIX Array Integer General\r\n% a note\r\n\r\n 3\t3 \r\n1 2 3\r\n"
                       "\r\n+4 5 6 7\r\n8 9"),
            expected);
  expected << 1, 2, 3, 2, 4, 5, 3, 5, 6;
  EXPECT_EQ(this->read("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"), expected);
  expected << 0, -1, -2, 1, 0, -3, 2, 3, 0;
  EXPECT_EQ(this->read("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"), expected);
  EXPECT_EQ(this->read("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), (Matrix<S>::Zero(1, 1)));
}

TYPED_TEST(MatrixMarket, EverySymmetryAndFieldOfCoordinates) {
  using S = TypeParam;
  Matrix<S> expected(2, 3);
  expected << 0, S(1.5), 0, -2, 0, 3;
  EXPECT_EQ(this->read("%%MatrixMarket matrix coordinate real general\n2 3 3\n2 3 3\n1 2 1.5\n2 1 -2e0\n"),
            expected);
  expected << 1, 0, 0, 0, 0, 1;
  EXPECT_EQ(this->read("%%MatrixMarket matrix coordinate pattern general\n% note\n2 3 2\n\n1 1\n2 3"),
            expected);
  expected.setZero();
  EXPECT_EQ(this->read("%%MatrixMarket matrix coordinate integer general\n2 3 0\n"), expected);
  Matrix<S> square(2, 2);
  square << 5, 7, 7, 0;
  EXPECT_EQ(this->read("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 5\n2 1 7\n"), square);
  square << 0, 1, 1, 1;
  EXPECT_EQ(this->read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 2\n2 1\n"), square);
  square << 0, -7, 7, 0;
  EXPECT_EQ(this->read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n"), square);
}

TYPED_TEST(MatrixMarket, EntriesListedTwiceAreAdded) {
  using S = TypeParam;
  Matrix<S> expected(2, 2);
  expected << 4, 5, 5, 0;
  EXPECT_EQ(
      this->read("%%MatrixMarket matrix coordinate real symmetric\n2 2 4\n1 1 1\n2 1 2\n1 1 3\n2 1 3\n"),
      expected);
}

TYPED_TEST(MatrixMarket, NumbersBeyondTheScalarAreInfiniteOrZero) {
  using S = TypeParam;
  const Matrix<S> m = this->read("%%MatrixMarket matrix array real general\n3 1\n1e400\n-1e400\n1e-400\n");
  EXPECT_EQ(m(0), std::numeric_limits<S>::infinity());
  EXPECT_EQ(m(1), -std::numeric_limits<S>::infinity());
  EXPECT_EQ(m(2), S(0));
}

class MatrixMarketErrors : public ::testing::Test {
 protected:
  std::string error(const std::string& text) const {
    const auto path = folder_.file("m.mtx", text);
    return data_error(path, [&] { read_matrix_market<double>(path); });
  }
  std::string array_error(const std::string& rest) const {
    return error("%%MatrixMarket matrix array real general\n" + rest);
  }
  std::string coordinate_error(const std::string& rest, const std::string& symmetry = "general") const {
    return error("%%MatrixMarket matrix coordinate real " + symmetry + "\n" + rest);
  }

  TemporaryFolder folder_;
};

TEST_F(MatrixMarketErrors, FirstLine) {
  EXPECT_EQ(error(""), "not a Matrix Market file");
  EXPECT_EQ(error("1 2 3\n"), "not a Matrix Market file");
  for (const std::string line :
       {"%%MatrixMarket", "%%MatrixMarket vector array real general",
        "%%MatrixMarket matrix dense real general", "%%MatrixMarket matrix array quaternion general",
        "%%MatrixMarket matrix array real lower", "%%MatrixMarket matrix array real general 7",
        "%%MatrixMarketing matrix array real general"})
    EXPECT_EQ(error(line + "\n1 1\n1\n"),
              "line 1: expected '%%MatrixMarket matrix array|coordinate real|integer|pattern "
              "general|symmetric|skew-symmetric', found '" +
                  line + "'");
  EXPECT_EQ(error("%%MatrixMarket matrix array complex general\n1 1\n1 0\n"),
            "line 1: complex entries, expected real, integer or pattern");
  EXPECT_EQ(error("%%MatrixMarket matrix array real hermitian\n1 1\n1\n"),
            "line 1: a hermitian matrix, expected general, symmetric or skew-symmetric");
  EXPECT_EQ(error("%%MatrixMarket matrix array pattern general\n1 1\n"),
            "line 1: a pattern as an array, expected real or integer entries");
}

TEST_F(MatrixMarketErrors, Sizes) {
  EXPECT_EQ(array_error(""), "line 1: expected 'rows columns', found the end of the file");
  EXPECT_EQ(array_error("% only\n% notes\n"), "line 3: expected 'rows columns', found the end of the file");
  EXPECT_EQ(array_error("%\n\n2\n"), "line 4: expected 'rows columns', found '2'");
  EXPECT_EQ(array_error("2 2 4\n1\n1\n1\n1\n"), "line 2: expected 'rows columns', found '2 2 4'");
  EXPECT_EQ(array_error("2 x\n"), "line 2: expected 'rows columns', found '2 x'");
  EXPECT_EQ(array_error("2 99999999999999999999\n"),
            "line 2: expected 'rows columns', found '2 99999999999999999999'");
  EXPECT_EQ(coordinate_error("2 2\n1 1 1\n"), "line 2: expected 'rows columns entries', found '2 2'");
  EXPECT_EQ(array_error("0 3\n"), "line 2: 0x3, expected at least one row and one column");
  EXPECT_EQ(array_error("-2 3\n"), "line 2: -2x3, expected at least one row and one column");
  EXPECT_EQ(coordinate_error("3 4 1\n1 1 1\n", "symmetric"),
            "line 2: 3x4 and symmetric, expected a square matrix");
}

// Nothing may be allocated for these: the test would die of it.
TEST_F(MatrixMarketErrors, ForgedSizes) {
  EXPECT_EQ(array_error("1152921504606846976 1\n1\n"),
            "line 2: 1152921504606846976x1 is more than the remaining 2 bytes can hold");
  EXPECT_EQ(array_error("4294967296 4294967296\n1\n"),
            "line 2: 4294967296x4294967296 is more than the remaining 2 bytes can hold");
  EXPECT_EQ(array_error("2 2\n1\n1\n1"), "line 2: 2x2 is more than the remaining 5 bytes can hold");
  EXPECT_EQ(error("%%MatrixMarket matrix array real symmetric\n9223372036854775807 9223372036854775807\n1\n"),
            "line 2: 9223372036854775807x9223372036854775807 is more than the remaining 2 bytes can hold");
  EXPECT_EQ(coordinate_error("3 3 1152921504606846976\n1 1 1\n"),
            "line 2: 1152921504606846976 entries are more than the remaining 6 bytes can hold");
  EXPECT_EQ(coordinate_error("3 3 -1\n1 1 1\n"),
            "line 2: -1 entries are more than the remaining 6 bytes can hold");
  EXPECT_EQ(
      coordinate_error("3 1152921504606846976 1\n1 1 1\n"),
      "line 2: 3x1152921504606846976, expected at most 4194304 rows and columns in a file of this length");
  EXPECT_EQ(coordinate_error("2000000000 3 1\n1 1 1\n"),
            "line 2: 2000000000x3, expected at most 4194304 rows and columns in a file of this length");
}

TEST_F(MatrixMarketErrors, EntriesOfArrays) {
  EXPECT_EQ(array_error("2 2\n1\n2\nabc\n4\n"), "line 5: expected a number, found 'abc'");
  EXPECT_EQ(array_error("2 2\n1\n2\n1.5x\n4\n"), "line 5: expected a number, found '1.5x'");
  EXPECT_EQ(array_error("2 2\n1\n2\n+-3\n4\n"), "line 5: expected a number, found '+-3'");
  EXPECT_EQ(array_error("2 1\n1\n\n% late\n"), "line 5: expected a number, found '%'");
  EXPECT_EQ(array_error("2 1\n1\n\x01\x80\n"),
            "line 4: expected a number, found '" + std::string(2, '?') + "'");
  EXPECT_EQ(array_error("1 1\n" + std::string(100, 'a') + "\n"),
            "line 3: expected a number, found '" + std::string(60, 'a') + "...'");
  EXPECT_EQ(array_error("2 2\n10\n20\n30\n"), "line 5: the file ends after 3 entries, expected 4");
  EXPECT_EQ(array_error("2 2\n1\n2\n3\n4\n\n5\n"), "line 8: more entries than the 4 expected");
  EXPECT_EQ(error("%%MatrixMarket matrix array integer general\n1 1\n1.5\n"),
            "line 3: expected an integer, found '1.5'");
}

TEST_F(MatrixMarketErrors, EntriesOfCoordinates) {
  EXPECT_EQ(coordinate_error("3 4 1\n4 1 1\n"),
            "line 3: row 4, column 1 is outside the 3x4 matrix; both count from 1");
  EXPECT_EQ(coordinate_error("3 4 1\n0 1 1\n"),
            "line 3: row 0, column 1 is outside the 3x4 matrix; both count from 1");
  EXPECT_EQ(coordinate_error("3 4 1\n3 5 1\n"),
            "line 3: row 3, column 5 is outside the 3x4 matrix; both count from 1");
  EXPECT_EQ(coordinate_error("3 4 1\n1 -1 1\n"),
            "line 3: row 1, column -1 is outside the 3x4 matrix; both count from 1");
  EXPECT_EQ(coordinate_error("3 4 1\n1 1   \n"), "line 3: expected 'row column value', found '1 1   '");
  EXPECT_EQ(coordinate_error("3 4 1\n1 1 2 3\n"), "line 3: expected 'row column value', found '1 1 2 3'");
  EXPECT_EQ(coordinate_error("3 4 1\n1.0 1 2\n"), "line 3: expected 'row column value', found '1.0 1 2'");
  EXPECT_EQ(coordinate_error("3 4 1\n1 1 x\n"), "line 3: expected a number, found 'x'");
  EXPECT_EQ(coordinate_error("3 4 2\n1 1 10000000\n"), "line 3: the file ends after 1 entries, expected 2");
  EXPECT_EQ(coordinate_error("3 4 1\n1 1 1\n2 2 2\n"), "line 4: more entries than the 1 expected");
  EXPECT_EQ(error("%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 1 1\n"),
            "line 3: expected 'row column', found '1 1 1'");
  EXPECT_EQ(coordinate_error("3 3 1\n1 2 1\n", "symmetric"),
            "line 3: row 1, column 2 is above the diagonal; a symmetric file lists the other triangle");
  EXPECT_EQ(coordinate_error("3 3 1\n2 2 1\n", "skew-symmetric"),
            "line 3: row 2, column 2 is not below the diagonal; a skew-symmetric file lists that triangle");
}

// Any bytes at all give a matrix or a DataError: error() lets no other exception through.
TEST_F(MatrixMarketErrors, DamagedFilesAreRefusedOrRead) {
  const std::string whole =
      "%%MatrixMarket matrix coordinate real symmetric\n% note\n3 3 4\n1 1 1.5\n2 1 -2\n3 3 1e3\n3 1 7\n";
  for (std::size_t length = 0; length + 1 < whole.size(); ++length)
    EXPECT_NE(error(whole.substr(0, length)), "no error") << length;
  for (std::uint64_t k = 0; k < 500; ++k) {
    const auto words = random_words({11, 0}, k);
    std::string damaged = whole;
    damaged[words[0] % whole.size()] = static_cast<char>(words[1] & 255);
    damaged[words[2] % whole.size()] = static_cast<char>(' ' + words[3] % 32);
    error(damaged);
  }
}

TEST_F(MatrixMarketErrors, WritingWhereNothingCanBeWritten) {
  const Matrix<double> m = Matrix<double>::Ones(2, 2);
  const auto path = folder_ / "missing" / "m.mtx";
  EXPECT_EQ(data_error(path, [&] { write_matrix_market<double>(path, m); }),
            "cannot be written: No such file or directory");
  EXPECT_EQ(
      data_error(path,
                 [&] { write_matrix_market<double>(path, Eigen::SparseMatrix<double>(m.sparseView())); }),
      "cannot be written: No such file or directory");
}

}  // namespace
}  // namespace landfall::test
