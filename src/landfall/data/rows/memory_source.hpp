// A matrix in memory as a source; rows are samples.
//
//   landfall::MemorySource<double> owned(left);  // its own copy
//   landfall::MemorySource<double> seen(left.data(), left.rows(), left.cols(), left.cols());  // left stays
#pragma once

#include <landfall/data/rows/random_source.hpp>

namespace landfall {

template <class S>
class MemorySource : public RandomSource<S> {
 public:
  explicit MemorySource(RowMatrix<S> matrix, std::string name = "memory");
  /// Row i begins at data + i stride. The memory must outlive the source.
  MemorySource(const S* data, Index rows, Index cols, Index stride, std::string name = "memory");
  MemorySource(const MemorySource&) = delete;
  MemorySource& operator=(const MemorySource&) = delete;

  std::string_view format() const override { return "memory"; }
  std::string_view element_type() const override { return sizeof(S) == 4 ? "f4" : "f8"; }

 private:
  void fetch(std::span<const Index> rows, Batch<S>& batch) override;

  RowMatrix<S> owned_;
  const S* data_;
  Index stride_;
};

extern template class MemorySource<float>;
extern template class MemorySource<double>;

}  // namespace landfall
