#include <landfall/data/formats/array_source.hpp>
#include <landfall/data/formats/strided_source.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class T>
T number_at(const std::byte* from, bool swapped) {
  std::byte bytes[sizeof(T)];
  if (swapped)
    std::reverse_copy(from, from + sizeof(T), bytes);
  else
    std::memcpy(bytes, from, sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Rows that are not contiguous. Columns outside, in tiles, so that an array stored by columns is read along them.
template <class S>
void gather(const StridedArray& array, std::span<const Index> rows, std::span<S> out) {
  constexpr Index kTile = 16;
  const bool swapped = array.byte_order != std::endian::native;
  with_npy_type(array.type, [&](auto example) {
    using T = decltype(example);
    for (Index begin = 0; begin < array.cols; begin += kTile) {
      const Index end = std::min(begin + kTile, array.cols);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::byte* row = array.data + rows[i] * array.row_stride;
        S* to = out.data() + static_cast<Index>(i) * array.cols;
        for (Index j = begin; j < end; ++j)
          to[j] = static_cast<S>(number_at<T>(row + j * array.col_stride, swapped));
      }
    }
  });
}

}  // namespace

template <class S>
StridedSource<S>::StridedSource(StridedArray array)
    : RandomSource<S>(array.name, array.rows, array.cols), array_(std::move(array)) {
  if (array_.rows < 1 || array_.cols < 1)
    throw UsageError(fmt::format("{}: {}x{}, expected at least one row and one column", array_.name,
                                 array_.rows, array_.cols));
  if (array_.data == nullptr) throw UsageError(fmt::format("{}: a null pointer, expected rows", array_.name));
}

template <class S>
void StridedSource<S>::fetch(std::span<const Index> rows, Batch<S>& batch) {
  const std::span<S> out = batch.add_rows(rows);
  const Index item = with_npy_type(array_.type, [](auto value) { return Index{sizeof value}; });
  if (array_.col_stride != item) return gather(array_, rows, out);
  const auto length = static_cast<std::size_t>(array_.cols);
  for (std::size_t i = 0, next = 1; i < rows.size(); i = next++) {
    // Rows that lie one after the other are converted together.
    while (next < rows.size() && rows[next] == rows[next - 1] + 1 && array_.row_stride == array_.cols * item)
      ++next;
    convert_numbers(array_.data + rows[i] * array_.row_stride, array_.type, array_.byte_order,
                    out.subspan(i * length, (next - i) * length));
  }
}

template class StridedSource<float>;
template class StridedSource<double>;

}  // namespace landfall
