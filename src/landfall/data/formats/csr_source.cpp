#include <landfall/data/formats/array_source.hpp>
#include <landfall/data/formats/csr_source.hpp>
#include <landfall/errors.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {
namespace {

Index integer_at(const void* data, bool wide, Index i) {
  return wide ? static_cast<const std::int64_t*>(data)[i] : static_cast<const std::int32_t*>(data)[i];
}

}  // namespace

template <class S>
CsrSource<S>::CsrSource(CsrArray array) : array_(std::move(array)) {
  if (array_.rows < 1 || array_.cols < 1)
    throw UsageError(fmt::format("{}: {}x{}, expected at least one row and one column", array_.name,
                                 array_.rows, array_.cols));
  for (Index i = 0; i < array_.rows; ++i)
    if (start(i) < 0 || start(i + 1) < start(i))
      throw DataError(fmt::format("{}: entries of row {} begin at {} and end at {}", array_.name, i, start(i),
                                  start(i + 1)));
  if (array_.entries >= 0 && start(array_.rows) > array_.entries)
    throw DataError(fmt::format("{}: rows have {} entries, but {} are stored", array_.name,
                                start(array_.rows), array_.entries));
}

template <class S>
Index CsrSource<S>::start(Index row) const {
  return integer_at(array_.starts, array_.wide_starts, row);
}

template <class S>
Index CsrSource<S>::column(Index entry) const {
  return integer_at(array_.columns, array_.wide_columns, entry);
}

template <class S>
void CsrSource<S>::append(Index row, Batch<S>& batch) {
  const Index begin = start(row), end = start(row + 1);
  values_.resize(static_cast<std::size_t>(end - begin));
  with_npy_type(array_.type, [&](auto example) {
    const auto* from = static_cast<const std::byte*>(array_.values) + begin * Index{sizeof example};
    convert_numbers(from, array_.type, std::endian::native, std::span(values_));
  });
  entries_.clear();
  bool ascending = true;
  for (Index k = begin; k < end; ++k) {
    const Index col = column(k);
    if (col < 0 || col >= array_.cols)
      throw DataError(fmt::format("{}: row {} has an entry in column {}, expected 0 to {}", array_.name, row,
                                  col, array_.cols - 1));
    ascending = ascending && (entries_.empty() || entries_.back().first < col);
    entries_.emplace_back(col, values_[static_cast<std::size_t>(k - begin)]);
  }
  if (!ascending) {
    std::ranges::stable_sort(entries_, {}, &std::pair<Index, S>::first);
    std::size_t last = 0;
    for (std::size_t k = 1; k < entries_.size(); ++k)
      if (entries_[k].first == entries_[last].first)
        entries_[last].second += entries_[k].second;
      else
        entries_[++last] = entries_[k];
    entries_.resize(last + 1);
  }
  batch.add_sparse_row(row);
  for (const auto& [col, value] : entries_) batch.add_entry(col, value);
}

template <class S>
Index CsrSource<S>::read(Index count, Batch<S>& batch) {
  if (count < 1) throw UsageError(fmt::format("a batch of {} rows, expected at least 1", count));
  count = std::min(count, array_.rows - next_);
  batch.start_sparse(array_.cols);
  for (Index i = 0; i < count; ++i) append(next_++, batch);
  return count;
}

template <class S>
void CsrSource<S>::read_rows(std::span<const Index> rows, Batch<S>& batch) {
  batch.start_sparse(array_.cols);
  for (const Index row : rows) {
    if (row < 0 || row >= array_.rows)
      throw UsageError(fmt::format("{}: row {}, expected 0 to {}", array_.name, row, array_.rows - 1));
    append(row, batch);
  }
}

template class CsrSource<float>;
template class CsrSource<double>;

}  // namespace landfall
