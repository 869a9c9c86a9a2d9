#include <landfall/data/formats/matrix_market.hpp>
#include <landfall/data/formats/text.ipp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace landfall {
namespace {

using namespace text;

[[noreturn]] void fail(const LineReader& lines, const std::string& what) {
  throw DataError(fmt::format("{}: line {}: {}", lines.name(), lines.number(), what));
}

template <class S>
S number(const LineReader& lines, std::string_view word, MarketField field) {
  S value = 0;
  if (!parse(word, value)) fail(lines, fmt::format("expected a number, found '{}'", shown(word)));
  if (field == MarketField::integer && value != std::trunc(value))
    fail(lines, fmt::format("expected an integer, found '{}'", shown(word)));
  return value;
}

/// Which of the names the word is, in upper or lower case; the number of names if none.
template <std::size_t N>
std::size_t which(std::string_view word, const std::array<std::string_view, N>& names) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto same = [&](std::string_view name) {
    return std::equal(word.begin(), word.end(), name.begin(), name.end(),
                      [&](char a, char b) { return lower(a) == b; });
  };
  return static_cast<std::size_t>(std::find_if(names.begin(), names.end(), same) - names.begin());
}

/// %%MatrixMarket matrix array|coordinate real|integer|pattern general|symmetric|skew-symmetric
void read_banner(LineReader& lines, MarketHeader& header) {
  constexpr std::array<std::string_view, 2> layouts = {"array", "coordinate"};
  constexpr std::array<std::string_view, 4> fields = {"real", "integer", "pattern", "complex"};
  constexpr std::array<std::string_view, 4> symmetries = {"general", "symmetric", "skew-symmetric",
                                                          "hermitian"};
  const auto line = lines.next();
  if (!line || !line->starts_with("%%MatrixMarket"))
    throw DataError(fmt::format("{}: not a Matrix Market file", lines.name()));
  std::string_view rest = *line;
  const std::string_view banner = take_word(rest), object = take_word(rest);
  const std::size_t layout = which(take_word(rest), layouts), field = which(take_word(rest), fields),
                    symmetry = which(take_word(rest), symmetries);
  if (banner != "%%MatrixMarket" || which<1>(object, {"matrix"}) != 0 || layout == layouts.size() ||
      field == fields.size() || symmetry == symmetries.size() || !blank(rest))
    fail(lines, fmt::format("expected '%%MatrixMarket matrix array|coordinate real|integer|pattern "
                            "general|symmetric|skew-symmetric', found '{}'",
                            shown(*line)));
  if (fields[field] == "complex") fail(lines, "complex entries, expected real, integer or pattern");
  if (symmetries[symmetry] == "hermitian")
    fail(lines, "a hermitian matrix, expected general, symmetric or skew-symmetric");
  header.layout = static_cast<MarketLayout>(layout);
  header.field = static_cast<MarketField>(field);
  header.symmetry = static_cast<MarketSymmetry>(symmetry);
  if (header.layout == MarketLayout::array && header.field == MarketField::pattern)
    fail(lines, "a pattern as an array, expected real or integer entries");
}

/// How many entries an array lists: all, or one triangle with or without its diagonal. False if beyond
/// counting.
bool count_array(MarketHeader& header) {
  Index other = header.cols;
  if (header.symmetry == MarketSymmetry::symmetric) ++other;
  if (header.symmetry == MarketSymmetry::skew_symmetric) --other;
  if (__builtin_mul_overflow(header.rows, other, &header.entries)) return false;
  if (header.symmetry != MarketSymmetry::general) header.entries /= 2;
  return true;
}

void check_sizes(const LineReader& lines, MarketHeader& header) {
  if (header.rows < 1 || header.cols < 1)
    fail(lines, fmt::format("{}x{}, expected at least one row and one column", header.rows, header.cols));
  if (header.symmetry != MarketSymmetry::general && header.rows != header.cols)
    fail(lines, fmt::format("{}x{} and symmetric, expected a square matrix", header.rows, header.cols));
  const auto left = static_cast<Index>(std::min<std::uint64_t>(lines.bytes_left(), std::uint64_t{1} << 62));
  if (header.layout == MarketLayout::array) {
    // An entry takes a digit and a space; the last one no space.
    if (header.rows > left + 1 || header.cols > left + 1 || !count_array(header) ||
        header.entries > (left + 1) / 2)
      fail(lines,
           fmt::format("{}x{} is more than the remaining {} bytes can hold", header.rows, header.cols, left));
    return;
  }
  const Index shortest = header.field == MarketField::pattern ? 4 : 6;  // "1 1\n" and "1 1 1\n"
  if (header.entries < 0 || header.entries > (left + 1) / shortest)
    fail(lines,
         fmt::format("{} entries are more than the remaining {} bytes can hold", header.entries, left));
  // Memory for a sparse matrix grows with its columns as well, which the file need not hold. Far more of them
  // than bytes is no matrix anyone has.
  const Index most = std::min<Index>(std::max<Index>(left, Index{1} << 22), std::numeric_limits<int>::max());
  if (header.rows > most || header.cols > most)
    fail(lines, fmt::format("{}x{}, expected at most {} rows and columns in a file of this length",
                            header.rows, header.cols, most));
  if (header.entries > std::numeric_limits<int>::max() / 2)
    fail(lines,
         fmt::format("{} entries, expected at most {}", header.entries, std::numeric_limits<int>::max() / 2));
}

[[noreturn]] void too_few(const LineReader& lines, Index found, Index expected) {
  fail(lines, fmt::format("the file ends after {} entries, expected {}", found, expected));
}

[[noreturn]] void too_many(const LineReader& lines, Index expected) {
  fail(lines, fmt::format("more entries than the {} expected", expected));
}

/// Column by column; of a symmetric matrix the part from the diagonal (skew: below it) down.
template <class M>
M read_array(LineReader& lines, const MarketHeader& header) {
  using S = typename M::Scalar;
  M out = M::Zero(header.rows, header.cols);
  const auto first_row = [&](Index column) {
    if (header.symmetry == MarketSymmetry::general) return Index{0};
    return header.symmetry == MarketSymmetry::symmetric ? column : column + 1;
  };
  const S mirrored = header.symmetry == MarketSymmetry::skew_symmetric ? S(-1) : S(1);
  Index found = 0, i = first_row(0), j = 0;
  while (auto line = lines.next()) {
    for (std::string_view word = take_word(*line); !word.empty(); word = take_word(*line)) {
      if (found == header.entries) too_many(lines, header.entries);
      const S value = number<S>(lines, word, header.field);
      out(i, j) = value;
      if (header.symmetry != MarketSymmetry::general && i != j) out(j, i) = mirrored * value;
      ++found;
      if (++i == header.rows) i = first_row(++j);
    }
  }
  if (found < header.entries) too_few(lines, found, header.entries);
  return out;
}

/// "row column value", counted from 1; of a symmetric matrix the part from the diagonal (skew: below it)
/// down.
template <class S>
Eigen::Triplet<S> read_entry(const LineReader& lines, std::string_view line, const MarketHeader& header) {
  const bool pattern = header.field == MarketField::pattern;
  std::string_view rest = line;
  const std::string_view row = take_word(rest), column = take_word(rest),
                         value = pattern ? "1" : take_word(rest);
  Index i = 0, j = 0;
  if (!parse(row, i) || !parse(column, j) || value.empty() || !blank(rest))
    fail(lines,
         fmt::format("expected '{}', found '{}'", pattern ? "row column" : "row column value", shown(line)));
  if (i < 1 || i > header.rows || j < 1 || j > header.cols)
    fail(lines, fmt::format("row {}, column {} is outside the {}x{} matrix; both count from 1", i, j,
                            header.rows, header.cols));
  if (header.symmetry == MarketSymmetry::symmetric && i < j)
    fail(lines,
         fmt::format("row {}, column {} is above the diagonal; a symmetric file lists the other triangle", i,
                     j));
  if (header.symmetry == MarketSymmetry::skew_symmetric && i <= j)
    fail(lines,
         fmt::format("row {}, column {} is not below the diagonal; a skew-symmetric file lists that triangle",
                     i, j));
  return {static_cast<int>(i - 1), static_cast<int>(j - 1), number<S>(lines, value, header.field)};
}

template <class M>
M read_coordinate(LineReader& lines, const MarketHeader& header) {
  using S = typename M::Scalar;
  std::vector<Eigen::Triplet<S>> entries;
  entries.reserve(static_cast<std::size_t>(header.entries) *
                  (header.symmetry == MarketSymmetry::general ? 1 : 2));
  Index found = 0;
  while (const auto line = lines.next()) {
    if (blank(*line)) continue;
    if (found == header.entries) too_many(lines, header.entries);
    const auto entry = read_entry<S>(lines, *line, header);
    ++found;
    entries.push_back(entry);
    if (header.symmetry == MarketSymmetry::general || entry.row() == entry.col()) continue;
    const S mirrored = header.symmetry == MarketSymmetry::skew_symmetric ? -entry.value() : entry.value();
    entries.emplace_back(entry.col(), entry.row(), mirrored);
  }
  if (found < header.entries) too_few(lines, found, header.entries);
  M out(header.rows, header.cols);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

template <class S>
bool equals_transpose(In<S> m) {
  if (m.rows() != m.cols()) return false;
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = 0; i < j; ++i)
      if (m(i, j) != m(j, i)) return false;
  return true;
}

/// Pattern and values. Transposing sorts the entries of each column, so that those of two matrices can be
/// compared.
template <class S>
bool equals_transpose(const Eigen::SparseMatrix<S>& m) {
  if (m.rows() != m.cols()) return false;
  const Eigen::SparseMatrix<S> once = m.transpose(), twice = once.transpose();
  const Index n = m.cols(), count = once.nonZeros();
  return std::equal(once.outerIndexPtr(), once.outerIndexPtr() + n + 1, twice.outerIndexPtr()) &&
         std::equal(once.innerIndexPtr(), once.innerIndexPtr() + count, twice.innerIndexPtr()) &&
         std::equal(once.valuePtr(), once.valuePtr() + count, twice.valuePtr());
}

template <class Dense, class Sparse>
std::variant<Dense, Sparse> read_all(LineReader& lines) {
  const MarketHeader header = read_matrix_market_header(lines);
  if (header.layout == MarketLayout::array) return read_array<Dense>(lines, header);
  return read_coordinate<Sparse>(lines, header);
}

/// Of the same length whatever the counts: a comment takes what they leave.
std::string rows_header(Index rows, Index cols, Index entries) {
  constexpr std::size_t longest = 3 * std::numeric_limits<Index>::digits10 + 5;
  const std::string sizes = fmt::format("{} {} {}", rows, cols, entries);
  return fmt::format("%%MatrixMarket matrix coordinate real general\n%{}\n{}\n",
                     std::string(longest - sizes.size(), ' '), sizes);
}

std::string_view symmetry_name(bool symmetric) {
  return symmetric ? "symmetric" : "general";
}

}  // namespace

MarketHeader read_matrix_market_header(LineReader& lines) {
  MarketHeader header;
  read_banner(lines, header);
  auto line = lines.next();
  while (line && (line->starts_with('%') || blank(*line))) line = lines.next();
  const bool array = header.layout == MarketLayout::array;
  std::string_view rest = line.value_or("");
  if (!parse(take_word(rest), header.rows) || !parse(take_word(rest), header.cols) ||
      (!array && !parse(take_word(rest), header.entries)) || !blank(rest))
    fail(lines, fmt::format("expected '{}', found {}", array ? "rows columns" : "rows columns entries",
                            line ? "'" + shown(*line) + "'" : "the end of the file"));
  check_sizes(lines, header);
  return header;
}

template <class S>
MatrixFile<S> read_matrix_market(const InputFile& file) {
  LineReader lines(file);
  return read_all<Matrix<S>, Eigen::SparseMatrix<S>>(lines);
}

template <class S>
MatrixFile<S> read_matrix_market(const std::filesystem::path& path) {
  return read_matrix_market<S>(InputFile(path));
}

template <class S>
MatrixRows<S> read_matrix_market_rows(LineReader& lines) {
  return read_all<RowMatrix<S>, Eigen::SparseMatrix<S, Eigen::RowMajor>>(lines);
}

template <class S>
void write_matrix_market(const std::filesystem::path& path, In<S> matrix) {
  const bool symmetric = equals_transpose<S>(matrix);
  TextFile file(path);
  file.print("%%MatrixMarket matrix array real {}\n{} {}\n", symmetry_name(symmetric), matrix.rows(),
             matrix.cols());
  for (Index j = 0; j < matrix.cols(); ++j)
    for (Index i = symmetric ? j : 0; i < matrix.rows(); ++i) file.print("{}\n", matrix(i, j));
  file.commit();
}

template <class S>
void write_matrix_market(const std::filesystem::path& path, const Eigen::SparseMatrix<S>& matrix) {
  const bool symmetric = equals_transpose<S>(matrix);
  const auto each = [&](auto use) {
    for (Index j = 0; j < matrix.outerSize(); ++j)
      for (typename Eigen::SparseMatrix<S>::InnerIterator entry(matrix, j); entry; ++entry)
        if (!symmetric || entry.row() >= entry.col()) use(entry);
  };
  Index count = 0;
  each([&](const auto&) { ++count; });
  TextFile file(path);
  file.print("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n", symmetry_name(symmetric), matrix.rows(),
             matrix.cols(), count);
  each([&](const auto& entry) { file.print("{} {} {}\n", entry.row() + 1, entry.col() + 1, entry.value()); });
  file.commit();
}

template <class S>
struct MatrixMarketWriter<S>::File {
  explicit File(const std::filesystem::path& path) : text(path) {}
  TextFile text;
};

template <class S>
MatrixMarketWriter<S>::MatrixMarketWriter(const std::filesystem::path& path, Index cols)
    : file_(std::make_unique<File>(path)), cols_(cols) {
  file_->text.print("{}", rows_header(0, cols, 0));
}

template <class S>
MatrixMarketWriter<S>::~MatrixMarketWriter() = default;

template <class S>
void MatrixMarketWriter<S>::write(const Batch<S>& batch) {
  for (Index i = 0; i < batch.rows(); ++i) {
    ++rows_;
    each_entry(batch, i, [&](Index col, S value) {
      ++entries_;
      file_->text.print("{} {} {}\n", rows_, col + 1, value);
    });
  }
}

template <class S>
void MatrixMarketWriter<S>::commit() {
  file_->text.overwrite_start(rows_header(rows_, cols_, entries_));
  file_->text.commit();
}

LANDFALL_MATRIX_MARKET(, float)
LANDFALL_MATRIX_MARKET(, double)

}  // namespace landfall
