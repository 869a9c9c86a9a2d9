// A matrix in memory that belongs to someone else, of any numeric type and layout, as a source: rows are
// converted when they are asked for.
//
//   const std::vector<std::int16_t> numbers(12);
//   landfall::StridedSource<float> source({.data = reinterpret_cast<const std::byte*>(numbers.data()),
//                                          .type = landfall::NpyType::i2, .rows = 4, .cols = 3,
//                                          .row_stride = 6, .col_stride = 2});
#pragma once

#include <landfall/data/formats/npy.hpp>
#include <landfall/data/rows/random_source.hpp>

#include <string>
#include <vector>

namespace landfall {

/// Entry (i, j) begins at data + i row_stride + j col_stride, in bytes. Strides may be 0 or negative, and entries
/// need not be aligned.
struct StridedArray {
  const std::byte* data = nullptr;
  NpyType type = NpyType::f8;
  std::endian byte_order = std::endian::native;
  Index rows = 0, cols = 0;
  Index row_stride = 0, col_stride = 0;
  std::string name = "memory";
  std::vector<std::string> column_names = {};  // none, or one for each column
};

template <class S>
class StridedSource : public RandomSource<S> {
 public:
  /// The memory must outlive the source. UsageError for an array without rows or columns.
  explicit StridedSource(StridedArray array);

  std::string_view format() const override { return "memory"; }
  std::string_view element_type() const override { return npy_type_name(array_.type); }
  const std::vector<std::string>& column_names() const override { return array_.column_names; }

 private:
  void fetch(std::span<const Index> rows, Batch<S>& batch) override;

  StridedArray array_;
};

extern template class StridedSource<float>;
extern template class StridedSource<double>;

}  // namespace landfall
