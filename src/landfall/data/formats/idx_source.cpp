#include <landfall/data/formats/array_source.hpp>
#include <landfall/data/formats/idx_source.hpp>
#include <landfall/data/io/gzip.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

/// The bytes of the file from the first on, unpacked where it is packed.
class Bytes {
 public:
  explicit Bytes(const InputFile& file) : file_(file) {
    if (is_gzip(file)) gzip_ = std::make_unique<GzipReader>(file);
  }

  bool packed() const { return gzip_ != nullptr; }

  std::size_t read(std::span<std::byte> out) {
    if (gzip_) return gzip_->read(out);
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), file_.size() - position_));
    file_.read(position_, out.first(count));
    position_ += count;
    return count;
  }

  /// All of out, or DataError; `before` bytes came earlier.
  void fill(std::span<std::byte> out, std::uint64_t before, std::uint64_t expected) {
    const std::size_t count = read(out);
    if (count < out.size()) truncated(expected, before + count);
  }

  [[noreturn]] void truncated(std::uint64_t expected, std::uint64_t found) const {
    throw DataError(fmt::format("{}: truncated: expected {} bytes{}, found {}", file_.name(), expected,
                                packed() ? " when unpacked" : "", found));
  }

  /// Nothing may follow; for packed data this also compares the checksum.
  void expect_end(std::uint64_t expected) {
    std::array<std::byte, 1> more{};
    if (read(more) > 0)
      throw DataError(fmt::format("{}: too long: expected {} bytes{}", file_.name(), expected,
                                  packed() ? " when unpacked" : fmt::format(", found {}", file_.size())));
  }

  void rewind() {
    position_ = 0;
    if (gzip_) gzip_->rewind();
  }

 private:
  const InputFile& file_;
  std::unique_ptr<GzipReader> gzip_;
  std::uint64_t position_ = 0;
};

/// Two zeros, the type, the number of dimensions; then each dimension in four bytes, most significant first.
/// The shape is that of a matrix; the dimensions as they are go to `all`.
NpyHeader read_idx_header(const InputFile& file, Bytes& bytes, std::vector<Index>* all = nullptr) {
  std::array<std::byte, 4> start{};
  const std::size_t found = bytes.read(start);
  const std::array<int, 4> magic = {std::to_integer<int>(start[0]), std::to_integer<int>(start[1]),
                                    std::to_integer<int>(start[2]), std::to_integer<int>(start[3])};
  if (found < start.size() || magic[0] != 0 || magic[1] != 0)
    throw DataError(fmt::format("{}: not an IDX file", file.name()));
  NpyHeader layout;
  layout.byte_order = std::endian::big;
  switch (magic[2]) {
    case 0x08:
      layout.type = NpyType::u1;
      break;
    case 0x09:
      layout.type = NpyType::i1;
      break;
    case 0x0b:
      layout.type = NpyType::i2;
      break;
    case 0x0c:
      layout.type = NpyType::i4;
      break;
    case 0x0d:
      layout.type = NpyType::f4;
      break;
    case 0x0e:
      layout.type = NpyType::f8;
      break;
    default:
      throw DataError(fmt::format("{}: IDX entries of type {:#04x}, expected 0x08, 0x09 or 0x0b to 0x0e",
                                  file.name(), magic[2]));
  }
  const auto dimensions = static_cast<std::size_t>(magic[3]);
  if (dimensions == 0)
    throw DataError(fmt::format("{}: an array of 0 dimensions, expected 1 or more", file.name()));
  layout.offset = 4 + 4 * dimensions;
  std::vector<std::byte> sizes(4 * dimensions);
  bytes.fill(sizes, 4, layout.offset);

  std::uint64_t rows = 0, cols = 1;
  bool empty = false, overflow = false;
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | std::to_integer<std::uint64_t>(sizes[4 * d + i]);
    empty = empty || size == 0;
    if (all != nullptr) all->push_back(static_cast<Index>(size));
    if (d == 0)
      rows = size;
    else
      overflow = overflow || __builtin_mul_overflow(cols, size, &cols);
  }
  if (empty)
    throw DataError(
        fmt::format("{}: an IDX file of no entries, expected at least one row and one column", file.name()));
  std::uint64_t length = 0;
  const auto size = static_cast<std::uint64_t>(layout.item_size());
  overflow = overflow || __builtin_mul_overflow(rows * size, cols, &length);
  if (overflow || length > std::uint64_t{1} << 62)
    throw DataError(
        fmt::format("{}: truncated: expected more than 2^62 bytes, found {}", file.name(), file.size()));
  layout.shape = {static_cast<Index>(rows), static_cast<Index>(cols)};

  const std::uint64_t expected = layout.offset + length;
  if (!bytes.packed() && file.size() < expected) bytes.truncated(expected, file.size());
  if (!bytes.packed() && file.size() > expected)
    throw DataError(
        fmt::format("{}: too long: expected {} bytes, found {}", file.name(), expected, file.size()));
  // A byte of gzip data stands for at most 1032 bytes: a forged size is found before memory is taken for it.
  constexpr std::uint64_t best_ratio = 1032;
  if (bytes.packed() && expected / best_ratio > file.size())
    throw DataError(
        fmt::format("{}: truncated: expected {} bytes when unpacked, more than {} bytes of gzip data hold",
                    file.name(), expected, file.size()));
  return layout;
}

std::uint64_t data_length(const NpyHeader& layout) {
  return static_cast<std::uint64_t>(layout.rows()) * static_cast<std::uint64_t>(layout.cols()) *
         static_cast<std::uint64_t>(layout.item_size());
}

/// Packed data too large for memory: in order only.
template <class S>
class PackedIdxSource : public Source<S> {
 public:
  explicit PackedIdxSource(const std::filesystem::path& path) : file_(path), bytes_(file_) {
    layout_ = read_idx_header(file_, bytes_);
    row_.resize(static_cast<std::size_t>(layout_.cols() * layout_.item_size()));
  }

  const std::string& name() const override { return file_.name(); }
  std::string_view format() const override { return "idx"; }
  std::string_view element_type() const override { return npy_type_name(layout_.type); }
  std::optional<Index> rows() const override { return layout_.rows(); }
  Index cols() const override { return layout_.cols(); }

  Index read(Index count, Batch<S>& batch) override {
    if (count < 1) throw UsageError(fmt::format("a batch of {} rows, expected at least 1", count));
    count = std::min(count, layout_.rows() - next_);
    const std::uint64_t expected = layout_.offset + data_length(layout_);
    batch.start_dense(layout_.cols());
    for (Index i = 0; i < count; ++i, ++next_) {
      bytes_.fill(row_, layout_.offset + static_cast<std::uint64_t>(next_) * row_.size(), expected);
      convert_numbers(row_.data(), layout_.type, layout_.byte_order, batch.add_row(next_));
    }
    if (count > 0 && next_ == layout_.rows()) bytes_.expect_end(expected);
    return count;
  }

  void rewind() override {
    bytes_.rewind();
    std::vector<std::byte> header(layout_.offset);
    bytes_.fill(header, 0, layout_.offset);
    next_ = 0;
  }

 private:
  InputFile file_;
  Bytes bytes_;
  NpyHeader layout_;
  std::vector<std::byte> row_;
  Index next_ = 0;
};

}  // namespace

template <class S>
SourcePtr<S> open_idx(const std::filesystem::path& path, const IdxOptions& options) {
  const InputFile file(path);
  Bytes bytes(file);
  const NpyHeader layout = read_idx_header(file, bytes);
  if (!bytes.packed()) return std::make_unique<ArraySource<S>>(file, "idx", layout);
  if (data_length(layout) > options.memory) return std::make_unique<PackedIdxSource<S>>(path);
  std::vector<std::byte> numbers(data_length(layout));
  bytes.fill(numbers, layout.offset, layout.offset + numbers.size());
  bytes.expect_end(layout.offset + numbers.size());
  return std::make_unique<ArraySource<S>>(file.name(), std::move(numbers), "idx", layout);
}

std::vector<Index> idx_sizes(const std::filesystem::path& path) {
  const InputFile file(path);
  Bytes bytes(file);
  std::vector<Index> sizes;
  read_idx_header(file, bytes, &sizes);
  return sizes;
}

template SourcePtr<float> open_idx<float>(const std::filesystem::path&, const IdxOptions&);
template SourcePtr<double> open_idx<double>(const std::filesystem::path&, const IdxOptions&);

}  // namespace landfall
