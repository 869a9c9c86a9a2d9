#include <landfall/data/formats/array_source.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace landfall {
namespace {

/// memcpy in pieces: large ones are a string instruction on some processors, which takes several times as
/// long for some alignments.
void copy_bytes(const std::byte* from, std::byte* to, std::size_t count) {
  constexpr std::size_t piece = 4096;
  for (; count > piece; count -= piece, from += piece, to += piece) std::memcpy(to, from, piece);
  std::memcpy(to, from, count);
}

template <class T, class S>
void convert_as(const std::byte* from, std::endian order, std::span<S> out) {
  if (order != std::endian::native && sizeof(T) > 1) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::array<std::byte, sizeof(T)> bytes{};
      std::reverse_copy(from + i * sizeof(T), from + (i + 1) * sizeof(T), bytes.begin());
      out[i] = static_cast<S>(std::bit_cast<T>(bytes));
    }
  } else if constexpr (std::is_same_v<T, S>) {
    copy_bytes(from, std::as_writable_bytes(out).data(), out.size_bytes());
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) {
      T value;
      std::memcpy(&value, from + i * sizeof(T), sizeof(T));
      out[i] = static_cast<S>(value);
    }
  }
}

bool consecutive(std::span<const Index> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i] != rows[i - 1] + 1) return false;
  return !rows.empty();
}

}  // namespace

template <class S>
void convert_numbers(const std::byte* from, NpyType type, std::endian order, std::span<S> out) {
  with_npy_type(type, [&](auto value) { convert_as<decltype(value)>(from, order, out); });
}

template <class S>
ArraySource<S>::ArraySource(const InputFile& file, std::string_view format, const NpyHeader& layout)
    : RandomSource<S>(file.name(), layout.rows(), layout.cols()),
      format_(format),
      layout_(layout),
      mapped_(std::make_unique<MappedFile>(file)) {}

template <class S>
ArraySource<S>::ArraySource(std::string name, std::vector<std::byte> bytes, std::string_view format,
                            const NpyHeader& layout)
    : RandomSource<S>(std::move(name), layout.rows(), layout.cols()),
      format_(format),
      layout_(layout),
      bytes_(std::move(bytes)) {}

/// The numbers of the array from the first-th on, as they lie in the file.
template <class S>
void ArraySource<S>::convert(Index first, std::span<S> out) const {
  const auto size = static_cast<std::uint64_t>(layout_.item_size());
  const std::uint64_t begin = static_cast<std::uint64_t>(first) * size;
  const std::byte* from =
      mapped_ ? mapped_->piece(layout_.offset + begin, out.size() * size).data() : bytes_.data() + begin;
  convert_numbers(from, layout_.type, layout_.byte_order, out);
}

template <class S>
void ArraySource<S>::expect(Index first, std::size_t count) const {
  const auto size = static_cast<std::uint64_t>(layout_.item_size());
  if (mapped_) mapped_->expect(layout_.offset + static_cast<std::uint64_t>(first) * size, count * size);
}

template <class S>
void ArraySource<S>::fetch(std::span<const Index> rows, Batch<S>& batch) {
  const Index height = layout_.rows(), width = layout_.cols();
  const std::span<S> out = batch.add_rows(rows);
  if (layout_.order == NpyOrder::rows_first) {
    const auto length = static_cast<std::size_t>(width);
    for (std::size_t i = 0, next = 1; i < rows.size(); i = next++) {
      while (next < rows.size() && rows[next] == rows[next - 1] + 1) ++next;
      if (i + 2 < rows.size() && rows[i + 2] != rows[i] + 2) expect(rows[i + 2] * width, length);
      convert(rows[i] * width, out.subspan(i * length, (next - i) * length));
    }
    if (mapped_) mapped_->require_unchanged();
    return;
  }
  column_.resize(rows.size());
  const bool together = consecutive(rows);
  for (Index j = 0; j < width; ++j) {
    if (together)
      convert(j * height + rows[0], std::span(column_));
    else
      for (std::size_t i = 0; i < rows.size(); ++i)
        convert(j * height + rows[i], std::span(column_).subspan(i, 1));
    for (std::size_t i = 0; i < rows.size(); ++i) batch.dense()(j, static_cast<Index>(i)) = column_[i];
  }
  if (mapped_) mapped_->require_unchanged();
}

template void convert_numbers<float>(const std::byte*, NpyType, std::endian, std::span<float>);
template void convert_numbers<double>(const std::byte*, NpyType, std::endian, std::span<double>);
template class ArraySource<float>;
template class ArraySource<double>;

}  // namespace landfall
