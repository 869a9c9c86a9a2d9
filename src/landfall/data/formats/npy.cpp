#include <landfall/data/formats/npy.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::array<std::string_view, 12> npy_types = {"f4", "f8", "u1", "i1", "i2", "i4",
                                                        "i8", "f2", "b1", "u2", "u4", "u8"};  // as NpyType
constexpr std::string_view known_types = "one of f4 f8 f2 b1 u1 u2 u4 u8 i1 i2 i4 i8";
constexpr std::size_t chunk_bytes = 1 << 18;  // a block of rows stays in the cache while it is transposed

/// Reads the dictionary of the header, a Python literal such as
/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void read(NpyHeader& header) {
    bool type = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        type = true;
        read_type(header);
      } else if (key == "fortran_order") {
        order = true;
        header.order = read_flag() ? NpyOrder::columns_first : NpyOrder::rows_first;
      } else if (key == "shape") {
        shape = true;
        read_shape(header.shape);
      } else {
        fail("an unknown key, expected descr, fortran_order and shape");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!type || !order || !shape) fail("a missing key, expected descr, fortran_order and shape");
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(fmt::format("{}: the .npy header has {}", name_, what));
  }

  void skip_space() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }

  bool accept(char c) {
    skip_space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("no '{}' where one is expected", c));
  }

  std::string_view quoted() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t length = text_.find(quote);
    if (length == std::string_view::npos) fail("a string without its closing quote");
    const std::string_view result = text_.substr(0, length);
    text_.remove_prefix(length + 1);
    return result;
  }

  bool read_flag() {
    skip_space();
    for (const std::string_view word : {"True", "False"})
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return word == "True";
      }
    fail("a fortran_order that is neither True nor False");
  }

  void read_type(NpyHeader& header) {
    if (accept('[')) throw DataError(fmt::format("{}: structured entries, expected {}", name_, known_types));
    const std::string_view given = quoted();
    const std::string_view bare = given.substr(std::min(given.find_first_not_of("<>=|"), given.size()));
    const auto found = std::find(npy_types.begin(), npy_types.end(), bare);
    if (found == npy_types.end() || given.size() > bare.size() + 1)
      throw DataError(fmt::format("{}: entries of type '{}', expected {}", name_, given, known_types));
    header.type = static_cast<NpyType>(found - npy_types.begin());
    header.byte_order = given.starts_with('>')   ? std::endian::big
                        : given.starts_with('<') ? std::endian::little
                                                 : std::endian::native;
  }

  void read_shape(std::vector<Index>& shape) {
    shape.clear();
    expect('(');
    while (!accept(')')) {
      skip_space();
      Index size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error == std::errc::result_out_of_range) fail("a size beyond 2^63");
      if (error != std::errc{}) fail("a shape that is not a tuple of numbers");
      if (size < 0) fail(fmt::format("a negative size, {}", size));
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      if (text_.starts_with('L')) text_.remove_prefix(1);  // a long integer of Python 2
      shape.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  std::string_view text_;
  const std::string& name_;
};

[[noreturn]] void wrong_length(const InputFile& file, std::uint64_t expected) {
  throw DataError(fmt::format("{}: {}: expected {} bytes, found {}", file.name(),
                              file.size() < expected ? "truncated" : "too long", expected, file.size()));
}

/// The bytes the numbers of the header take, if there can be so many.
std::optional<std::uint64_t> data_bytes(const NpyHeader& header) {
  auto bytes = static_cast<std::uint64_t>(header.item_size());
  if (std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end()) return 0;
  for (const Index size : header.shape)
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) return std::nullopt;
  if (bytes > std::uint64_t{1} << 62) return std::nullopt;
  return bytes;
}

/// Whole rows (or columns, when they come first) at a time, through a small buffer.
template <class T, class S>
void read_numbers(const InputFile& file, const NpyHeader& header, Matrix<S>& out) {
  const bool rows_first = header.order == NpyOrder::rows_first;
  const Index lines = rows_first ? out.rows() : out.cols(), width = rows_first ? out.cols() : out.rows();
  const Index block = std::clamp<Index>(static_cast<Index>(chunk_bytes / sizeof(T)) / width, 1, lines);
  std::vector<T> buffer(static_cast<std::size_t>(block * width));
  for (Index first = 0; first < lines; first += block) {
    const Index count = std::min(block, lines - first);
    const auto bytes =
        std::as_writable_bytes(std::span(buffer.data(), static_cast<std::size_t>(count * width)));
    file.read(header.offset + static_cast<std::uint64_t>(first * width) * sizeof(T), bytes);
    if (header.byte_order != std::endian::native)
      for (auto item = bytes.begin(); item != bytes.end(); item += sizeof(T))
        std::reverse(item, item + sizeof(T));
    if (rows_first)
      out.middleRows(first, count) =
          Eigen::Map<const RowMatrix<T>>(buffer.data(), count, width).template cast<S>();
    else
      out.middleCols(first, count) =
          Eigen::Map<const Matrix<T>>(buffer.data(), width, count).template cast<S>();
  }
}

/// Magic, version 1.0, length, dictionary; padded so that the numbers begin at a multiple of 64, and at
/// `least` or later.
template <class S>
std::string header_text(const std::string& shape, std::size_t least = 0) {
  std::string dictionary =
      fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({}), }}",
                  std::endian::native == std::endian::little ? '<' : '>', sizeof(S), shape);
  constexpr std::size_t preamble = 10;
  const std::size_t total = std::max(least, (preamble + dictionary.size() + 1 + 63) / 64 * 64);
  dictionary.append(total - preamble - dictionary.size() - 1, ' ');
  const std::size_t length = dictionary.size() + 1;
  std::string text(magic);
  for (const std::size_t byte : {std::size_t{1}, std::size_t{0}, length & 255, length >> 8})
    text += static_cast<char>(byte);
  return text + dictionary + '\n';
}

std::string shape_text(Index rows, Index cols) {
  return fmt::format("{}, {}", rows, cols);
}

template <class S>
void write_array(const std::filesystem::path& path, In<S> matrix, const std::string& shape) {
  AtomicFile file(path);
  file.write(header_text<S>(shape));
  const Index width = std::max<Index>(matrix.cols(), 1);
  const Index block = std::max<Index>(static_cast<Index>(chunk_bytes / sizeof(S)) / width, 1);
  RowMatrix<S> buffer;
  for (Index first = 0; first < matrix.rows(); first += block) {
    buffer = matrix.middleRows(first, std::min(block, matrix.rows() - first));
    file.write(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(buffer.size()))));
  }
  file.commit();
}

}  // namespace

std::string_view npy_type_name(NpyType type) {
  return npy_types.at(static_cast<std::size_t>(type));
}

Index NpyHeader::item_size() const {
  return with_npy_type(type, [](auto value) { return static_cast<Index>(sizeof(value)); });
}

NpyHeader read_npy_header(const InputFile& file) {
  // "\x93NUMPY", two bytes of version, the length of the dictionary in 2 (version 1) or 4 bytes, little
  // endian.
  std::array<unsigned char, 12> start{};
  const auto head = std::as_writable_bytes(std::span(start));
  if (file.size() < magic.size()) wrong_length(file, 10);
  file.read(0, head.first(magic.size()));
  if (!std::equal(magic.begin(), magic.end(), start.begin(),
                  [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }))
    throw DataError(fmt::format("{}: not an .npy file", file.name()));
  if (file.size() < 10) wrong_length(file, 10);
  file.read(0, head.first(10));
  const unsigned version = start[6];
  if (version < 1 || version > 3)
    throw DataError(
        fmt::format("{}: .npy format {}.{}, expected 1.0, 2.0 or 3.0", file.name(), version, start[7]));
  NpyHeader header;
  header.offset = version == 1 ? 10 : 12;
  if (file.size() < header.offset) wrong_length(file, header.offset);
  file.read(0, head.first(header.offset));
  std::uint64_t length = 0;
  for (std::size_t i = header.offset; i-- > 8;) length = length << 8 | start[i];
  // Longer ones exist, for structured entries with thousands of names.
  constexpr std::uint64_t longest = 65535;
  if (length > longest)
    throw DataError(
        fmt::format("{}: an .npy header of {} bytes, expected at most {}", file.name(), length, longest));
  if (file.size() < header.offset + length) wrong_length(file, header.offset + length);
  std::string text(length, '\0');
  file.read(header.offset, std::as_writable_bytes(std::span(text)));
  Dictionary(text, file.name()).read(header);
  header.offset += length;

  const auto bytes = data_bytes(header);
  if (!bytes)
    throw DataError(
        fmt::format("{}: truncated: expected more than 2^62 bytes, found {}", file.name(), file.size()));
  if (file.size() != header.offset + *bytes) wrong_length(file, header.offset + *bytes);
  return header;
}

NpyHeader read_npy_matrix_header(const InputFile& file) {
  NpyHeader header = read_npy_header(file);
  if (header.shape.empty() || header.shape.size() > 2)
    throw DataError(
        fmt::format("{}: an array of {} dimensions, expected 1 or 2", file.name(), header.shape.size()));
  if (header.rows() == 0 || header.cols() == 0)
    throw DataError(fmt::format("{}: {}x{}, expected at least one row and one column", file.name(),
                                header.rows(), header.cols()));
  return header;
}

template <class S>
Matrix<S> read_npy(const InputFile& file) {
  const NpyHeader header = read_npy_matrix_header(file);
  Matrix<S> out(header.rows(), header.cols());
  with_npy_type(header.type, [&](auto value) { read_numbers<decltype(value)>(file, header, out); });
  return out;
}

template <class S>
Matrix<S> read_npy(const std::filesystem::path& path) {
  return read_npy<S>(InputFile(path));
}

template <class S>
NpyWriter<S>::NpyWriter(const std::filesystem::path& path, Index cols)
    : file_(path), row_(static_cast<std::size_t>(cols)) {
  const std::string longest = header(std::numeric_limits<Index>::max());
  header_bytes_ = longest.size();
  file_.write(longest);
}

template <class S>
std::string NpyWriter<S>::header(Index rows) const {
  return header_text<S>(shape_text(rows, static_cast<Index>(row_.size())), header_bytes_);
}

template <class S>
void NpyWriter<S>::write(const Batch<S>& batch) {
  if (batch.sparse()) {
    for (Index i = 0; i < batch.rows(); ++i) {
      dense_row<S>(batch, i, row_);
      file_.write(std::as_bytes(std::span(row_)));
    }
  } else {
    file_.write(std::as_bytes(batch.values()));  // each row is a column there: contiguous
  }
  rows_ += batch.rows();
}

template <class S>
void NpyWriter<S>::commit() {
  file_.overwrite(0, header(rows_));
  file_.commit();
}

template <class S>
void write_npy(const std::filesystem::path& path, In<S> matrix) {
  write_array<S>(path, matrix, shape_text(matrix.rows(), matrix.cols()));
}

template <class S>
void write_npy_vector(const std::filesystem::path& path, const Vector<S>& vector) {
  write_array<S>(path, vector, fmt::format("{},", vector.size()));
}

LANDFALL_NPY(, float)
LANDFALL_NPY(, double)

}  // namespace landfall
