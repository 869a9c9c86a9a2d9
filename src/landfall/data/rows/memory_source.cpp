#include <landfall/data/rows/memory_source.hpp>
#include <landfall/errors.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {

template <class S>
MemorySource<S>::MemorySource(RowMatrix<S> matrix, std::string name)
    : MemorySource(matrix.data(), matrix.rows(), matrix.cols(), matrix.cols(), std::move(name)) {
  owned_ = std::move(matrix);
  data_ = owned_.data();
}

template <class S>
MemorySource<S>::MemorySource(const S* data, Index rows, Index cols, Index stride, std::string name)
    : RandomSource<S>(std::move(name), rows, cols), data_(data), stride_(stride) {
  if (rows < 1 || cols < 1)
    throw UsageError(
        fmt::format("{}: {}x{}, expected at least one row and one column", this->name(), rows, cols));
  if (stride < cols)
    throw UsageError(
        fmt::format("{}: a stride of {}, expected at least the {} columns", this->name(), stride, cols));
  if (data == nullptr) throw UsageError(fmt::format("{}: a null pointer, expected rows", this->name()));
}

template <class S>
void MemorySource<S>::fetch(std::span<const Index> rows, Batch<S>& batch) {
  for (const Index row : rows) std::copy_n(data_ + row * stride_, this->cols(), batch.add_row(row).begin());
}

template class MemorySource<float>;
template class MemorySource<double>;

}  // namespace landfall
