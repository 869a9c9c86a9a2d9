#include <landfall/data/rows/joined_source.hpp>
#include <landfall/errors.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {

template <class S>
JoinedSource<S>::JoinedSource(std::vector<SourcePtr<S>> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) throw UsageError("no sources to join, expected at least one");
  share_indices();
  const Source<S>& first = *parts_.front();
  name_ = parts_.size() == 1 ? first.name() : fmt::format("{} and {} more", first.name(), parts_.size() - 1);
  format_ = first.format();
  element_type_ = first.element_type();
  for (const auto& part : parts_) {
    if (part->cols() != first.cols())
      throw DataError(fmt::format("{}: {} columns, but {} has {}", part->name(), part->cols(), first.name(),
                                  first.cols()));
    const auto &names = part->column_names(), &expected = first.column_names();
    if (!names.empty() && !expected.empty() && names != expected) {
      const auto [name, other] = std::mismatch(names.begin(), names.end(), expected.begin(), expected.end());
      throw DataError(fmt::format("{}: column {} is '{}', but '{}' in {}", part->name(),
                                  name - names.begin() + 1, *name, *other, first.name()));
    }
    if (part->format() != format_) format_ = "mixed";
    if (part->element_type() != element_type_) element_type_ = "mixed";
    sparse_ = sparse_ && part->sparse();
  }
  warnings_.assign(first.warnings().begin(), first.warnings().end());
}

/// One width for all parts whose indices leave it open: that of the widest of these, or of the others.
template <class S>
void JoinedSource<S>::share_indices() {
  std::optional<IndexRange> shared;
  Index widest = 0;
  for (const auto& part : parts_) {
    if (const auto range = part->indices()) {
      if (!shared) shared = range;
      shared = {std::min(shared->first, range->first), std::max(shared->last, range->last)};
    } else {
      widest = std::max(widest, part->cols());
    }
  }
  if (!shared) return;
  shared->last = std::max(shared->last, shared->first + widest - 1);
  for (const auto& part : parts_)
    if (part->indices()) part->set_indices(*shared);
}

template <class S>
std::optional<IndexRange> JoinedSource<S>::indices() const {
  for (const auto& part : parts_)
    if (!part->indices()) return std::nullopt;
  return parts_.front()->indices();
}

template <class S>
void JoinedSource<S>::set_indices(IndexRange indices) {
  for (const auto& part : parts_) part->set_indices(indices);
}

template <class S>
std::optional<Index> JoinedSource<S>::rows() const {
  Index sum = 0;
  for (const auto& part : parts_) {
    const auto rows = part->rows();
    if (!rows) return std::nullopt;
    sum += *rows;
  }
  return sum;
}

template <class S>
void JoinedSource<S>::start(Batch<S>& batch) {
  labels_.clear();
  if (sparse_)
    batch.start_sparse(cols());
  else
    batch.start_dense(cols());
}

/// piece_, which is of this part, goes to the end of the batch.
template <class S>
void JoinedSource<S>::append(std::size_t part, Index first_row, Batch<S>& batch) {
  for (Index i = 0; i < piece_.rows(); ++i) {
    const Index number = first_row + piece_.numbers()[static_cast<std::size_t>(i)];
    if (!piece_.sparse()) {
      std::copy_n(piece_.dense().col(i).data(), cols(), batch.add_row(number).begin());
      continue;
    }
    const std::span<S> dense = sparse_ ? std::span<S>() : batch.add_row(number);
    if (sparse_) batch.add_sparse_row(number);
    const auto begin = static_cast<std::size_t>(piece_.starts()[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(piece_.starts()[static_cast<std::size_t>(i) + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      if (sparse_)
        batch.add_entry(piece_.columns()[k], piece_.values()[k]);
      else
        dense[static_cast<std::size_t>(piece_.columns()[k])] = piece_.values()[k];
    }
  }
  const auto labels = parts_[part]->labels();
  labels_.insert(labels_.end(), labels.begin(), labels.end());
}

template <class S>
Index JoinedSource<S>::read(Index count, Batch<S>& batch) {
  if (count < 1) throw UsageError(fmt::format("a batch of {} rows, expected at least 1", count));
  start(batch);
  while (batch.rows() < count && current_ < parts_.size()) {
    const Index found = parts_[current_]->read(count - batch.rows(), piece_);
    if (found > 0) {
      append(current_, before_, batch);
      read_in_part_ += found;
    } else {
      before_ += read_in_part_;
      read_in_part_ = 0;
      ++current_;
    }
  }
  labelled_ = static_cast<Index>(labels_.size()) == batch.rows();
  return batch.rows();
}

template <class S>
void JoinedSource<S>::rewind() {
  for (const auto& part : parts_) part->rewind();
  current_ = 0;
  before_ = 0;
  read_in_part_ = 0;
}

template <class S>
bool JoinedSource<S>::rewindable() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->rewindable(); });
}

template <class S>
bool JoinedSource<S>::random_access() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->random_access(); });
}

template <class S>
void JoinedSource<S>::read_rows(std::span<const Index> rows, Batch<S>& batch) {
  if (!random_access()) return Source<S>::read_rows(rows, batch);
  if (starts_.empty()) {
    starts_.push_back(0);
    for (const auto& part : parts_) starts_.push_back(starts_.back() + part->rows().value());
  }
  for (const Index row : rows)
    if (row < 0 || row >= starts_.back())
      throw UsageError(fmt::format("{}: row {}, expected 0 to {}", name_, row, starts_.back() - 1));
  start(batch);
  // Rows of one part that follow each other are asked for together.
  for (std::size_t i = 0; i < rows.size();) {
    const auto part = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), rows[i]) -
                                               starts_.begin() - 1);
    wanted_.clear();
    for (; i < rows.size() && rows[i] >= starts_[part] && rows[i] < starts_[part + 1]; ++i)
      wanted_.push_back(rows[i] - starts_[part]);
    parts_[part]->read_rows(wanted_, piece_);
    append(part, starts_[part], batch);
  }
  labelled_ = static_cast<Index>(labels_.size()) == batch.rows();
}

template <class S>
std::span<const double> JoinedSource<S>::labels() const {
  return labelled_ ? std::span<const double>(labels_) : std::span<const double>();
}

template class JoinedSource<float>;
template class JoinedSource<double>;

}  // namespace landfall
