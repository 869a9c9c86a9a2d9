#include <landfall/data/formats/text.ipp>
#include <landfall/data/formats/without_column.hpp>
#include <landfall/errors.hpp>

#include <algorithm>

namespace landfall {

template <class S>
WithoutColumn<S>::WithoutColumn(SourcePtr<S> whole, const std::string& column)
    : whole_(std::move(whole)), names_(whole_->column_names()) {
  const auto named = std::find(names_.begin(), names_.end(), column);
  if (named != names_.end()) {
    column_ = named - names_.begin();
  } else if (Index number = 0; text::parse(column, number) && number >= 1 && number <= whole_->cols()) {
    column_ = number - 1;
  } else {
    throw UsageError(fmt::format("{}: no column '{}', expected {}a number from 1 to {}", name(), column,
                                 names_.empty() ? "" : "a name of one or ", whole_->cols()));
  }
  if (whole_->cols() == 1)
    throw DataError(fmt::format("{}: only the label column, expected at least one other column", name()));
  if (!names_.empty()) names_.erase(names_.begin() + column_);
}

/// rows_ without the column goes to the batch, the column to the labels.
template <class S>
void WithoutColumn<S>::split(Batch<S>& batch) {
  labels_.clear();
  sparse() ? batch.start_sparse(cols()) : batch.start_dense(cols());
  for (Index i = 0; i < rows_.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index number = rows_.numbers()[at];
    if (!sparse()) {
      const auto row = rows_.dense().col(i);
      const auto out = batch.add_row(number);
      std::copy_n(row.begin(), column_, out.begin());
      std::copy(row.begin() + column_ + 1, row.end(), out.begin() + column_);
      labels_.push_back(static_cast<double>(row(column_)));
      continue;
    }
    batch.add_sparse_row(number);
    labels_.push_back(0);
    for (auto k = static_cast<std::size_t>(rows_.starts()[at]);
         k < static_cast<std::size_t>(rows_.starts()[at + 1]); ++k) {
      const Index j = rows_.columns()[k];
      if (j == column_)
        labels_.back() = static_cast<double>(rows_.values()[k]);
      else
        batch.add_entry(j < column_ ? j : j - 1, rows_.values()[k]);
    }
  }
}

template <class S>
Index WithoutColumn<S>::read(Index count, Batch<S>& batch) {
  whole_->read(count, rows_);
  split(batch);
  return batch.rows();
}

template <class S>
void WithoutColumn<S>::read_rows(std::span<const Index> rows, Batch<S>& batch) {
  whole_->read_rows(rows, rows_);
  split(batch);
}

template class WithoutColumn<float>;
template class WithoutColumn<double>;

}  // namespace landfall
