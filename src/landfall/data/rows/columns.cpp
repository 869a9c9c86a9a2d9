#include <landfall/data/rows/columns.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall {
namespace {

std::optional<Index> whole_number_in(std::string_view text) {
  Index number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "a..b", or "3-7" of numbers.
std::optional<std::pair<std::string, std::string>> range_in(const std::string& text) {
  if (const auto dots = text.find(".."); dots != std::string::npos)
    return std::pair{text.substr(0, dots), text.substr(dots + 2)};
  const auto dash = text.find('-');
  if (dash == std::string::npos || dash == 0 || !whole_number_in(text.substr(0, dash)) ||
      !whole_number_in(text.substr(dash + 1)))
    return std::nullopt;
  return std::pair{text.substr(0, dash), text.substr(dash + 1)};
}

/// * stands for any text, ? for one byte.
bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

class ColumnFinder {
 public:
  ColumnFinder(const std::string& source, const std::vector<std::string>& names, Index count)
      : source_(source), names_(names), count_(count) {
    for (std::size_t j = 0; j < names.size(); ++j) {
      const auto [at, first] = numbers_.try_emplace(names[j], static_cast<Index>(j));
      if (!first) at->second = kSeveral;
    }
  }

  std::optional<Index> by_name(const std::string& text) const {
    const auto found = numbers_.find(text);
    if (found == numbers_.end()) return std::nullopt;
    if (found->second == kSeveral)
      throw UsageError(
          fmt::format("{}: more than one column is named '{}', expected its number", source_, text));
    return found->second;
  }

  Index one(const std::string& text) const {
    if (const auto named = by_name(text)) return *named;
    const auto number = whole_number_in(text);
    if (!number || *number < 1 || *number > count_)
      throw UsageError(fmt::format("{}: no column '{}', expected {}a number from 1 to {}", source_, text,
                                   names_.empty() ? "" : "a name in the header or ", count_));
    return *number - 1;
  }

  void add(const std::string& text, std::vector<Index>& found) const {
    if (const auto named = by_name(text)) {
      found.push_back(*named);
    } else if (const auto range = range_in(text)) {
      const Index first = range->first.empty() ? 0 : one(range->first);
      const Index last = range->second.empty() ? count_ - 1 : one(range->second);
      if (last < first)
        throw UsageError(fmt::format("{}: the columns '{}' end before they begin", source_, text));
      for (Index j = first; j <= last; ++j) found.push_back(j);
    } else if (text.find_first_of("*?") != std::string::npos) {
      const std::size_t before = found.size();
      for (std::size_t j = 0; j < names_.size(); ++j)
        if (fits(text, names_[j])) found.push_back(static_cast<Index>(j));
      if (names_.empty() && text == "*")
        for (Index j = 0; j < count_; ++j) found.push_back(j);
      if (found.size() == before)
        throw UsageError(fmt::format("{}: no column fits '{}'{}", source_, text,
                                     names_.empty() ? ", and the columns have no names" : ""));
    } else {
      found.push_back(one(text));
    }
  }

 private:
  static constexpr Index kSeveral = -1;

  const std::string& source_;
  const std::vector<std::string>& names_;
  Index count_;
  std::unordered_map<std::string_view, Index> numbers_;
};

}  // namespace

bool is_column_number(const std::string& text) {
  const auto number = [](const std::string& part) { return part.empty() || whole_number_in(part); };
  if (const auto range = range_in(text)) return number(range->first) && number(range->second);
  return !text.empty() && number(text);
}

ChosenNumbers choose_columns(const std::string& source, const std::vector<std::string>& names, Index count,
                             const ColumnChoice& choice) {
  const ColumnFinder finder(source, names, count);
  ChosenNumbers chosen;
  std::vector<char> used(static_cast<std::size_t>(count), 0);  // 1: left out, 2: chosen
  std::vector<Index> left_out;
  for (const auto& item : choice.exclude) finder.add(item, left_out);
  if (!choice.index.empty()) left_out.push_back(finder.one(choice.index));
  if (!choice.label.empty()) left_out.push_back(*(chosen.label = finder.one(choice.label)));
  for (const Index j : left_out) used[static_cast<std::size_t>(j)] = 1;

  std::vector<Index> found;
  std::vector<std::string> missing;
  for (const auto& item : choice.columns) {
    found.clear();
    if (!choice.exact)
      finder.add(item, found);
    else if (const auto named = finder.by_name(item))
      found.push_back(*named);
    else
      missing.push_back(fmt::format("'{}'", item));
    for (const Index j : found) {
      char& state = used[static_cast<std::size_t>(j)];
      if (state == 2) throw UsageError(fmt::format("{}: column '{}' was chosen twice", source, item));
      if (state == 1) continue;
      state = 2;
      chosen.kept.push_back(j);
    }
  }
  if (!missing.empty()) {
    constexpr std::size_t most = 5;
    const std::size_t more = missing.size() > most ? missing.size() - most : 0;
    missing.resize(missing.size() - more);
    throw DataError(fmt::format("{}: no column {}{}", source, fmt::join(missing, ", "),
                                more > 0 ? fmt::format(" and {} more", more) : ""));
  }
  if (choice.columns.empty())
    for (Index j = 0; j < count; ++j)
      if (used[static_cast<std::size_t>(j)] == 0) chosen.kept.push_back(j);
  if (chosen.kept.empty())
    throw DataError(fmt::format(
        "{}: {}, expected at least one other column", source,
        left_out.size() == 1 && chosen.label ? "only the label column" : "every column is left out"));
  return chosen;
}

template <class S>
ChosenColumns<S>::ChosenColumns(SourcePtr<S> whole, ColumnChoice choice)
    : whole_(std::move(whole)), choice_(std::move(choice)) {
  choose();
}

template <class S>
void ChosenColumns<S>::choose() {
  const auto& names = whole_->column_names();
  numbers_ = choose_columns(name(), names, whole_->cols(), choice_);
  places_.assign(static_cast<std::size_t>(whole_->cols()), -1);
  names_.clear();
  for (std::size_t k = 0; k < numbers_.kept.size(); ++k) {
    const auto j = static_cast<std::size_t>(numbers_.kept[k]);
    places_[j] = static_cast<Index>(k);
    if (!names.empty()) names_.push_back(names[j]);
  }
}

template <class S>
void ChosenColumns<S>::set_indices(IndexRange range) {
  whole_->set_indices(range);
  choose();
}

/// The chosen columns of rows_ go to the batch, that of the labels to the labels.
template <class S>
void ChosenColumns<S>::split(Batch<S>& batch) {
  labels_.clear();
  sparse() ? batch.start_sparse(cols()) : batch.start_dense(cols());
  for (Index i = 0; i < rows_.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!rows_.sparse()) {
      const auto row = rows_.dense().col(i);
      S* out = batch.add_row(rows_.numbers()[at]).data();
      for (const Index j : numbers_.kept) *out++ = row(j);
      if (numbers_.label) labels_.push_back(static_cast<double>(row(*numbers_.label)));
      continue;
    }
    batch.add_sparse_row(rows_.numbers()[at]);
    if (numbers_.label) labels_.push_back(0);
    entries_.clear();
    for (auto k = static_cast<std::size_t>(rows_.starts()[at]);
         k < static_cast<std::size_t>(rows_.starts()[at + 1]); ++k) {
      const Index j = rows_.columns()[k], place = places_[static_cast<std::size_t>(j)];
      if (place >= 0) entries_.emplace_back(place, rows_.values()[k]);
      if (j == numbers_.label) labels_.back() = static_cast<double>(rows_.values()[k]);
    }
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(entries_.begin(), entries_.end(), before))
      std::sort(entries_.begin(), entries_.end(), before);
    for (const auto& [place, value] : entries_) batch.add_entry(place, value);
  }
}

template <class S>
Index ChosenColumns<S>::read(Index count, Batch<S>& batch) {
  whole_->read(count, rows_);
  split(batch);
  return batch.rows();
}

template <class S>
void ChosenColumns<S>::read_rows(std::span<const Index> rows, Batch<S>& batch) {
  whole_->read_rows(rows, rows_);
  split(batch);
}

template class ChosenColumns<float>;
template class ChosenColumns<double>;

}  // namespace landfall
