#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/table_look.ipp>
#include <landfall/data/formats/text.ipp>
#include <landfall/errors.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/ranges.h>

namespace landfall {
namespace {

using text::missing;
using text::parse;
using text::shown;
// Where a column of the file goes: a position in the row, one of these, or the category of number first_category - target.
constexpr Index unused = -1, to_label = -2, first_category = -3;

std::string_view trimmed(std::string_view field) {
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  while (!field.empty() && space(field.front())) field.remove_prefix(1);
  while (!field.empty() && space(field.back())) field.remove_suffix(1);
  return field;
}

/// What a column takes at least: its name, its kind, its statistics and some rows of it.
void require_few_columns(const std::string& name, std::string_view line, std::uint64_t memory) {
  constexpr std::uint64_t column_bytes = 2048;
  std::ptrdiff_t columns = 0;
  for (const char separator : {',', ';', '\t', ' '})
    columns = std::max(columns, std::count(line.begin(), line.end(), separator) + 1);
  if (memory > 0 && static_cast<std::uint64_t>(columns) > memory / column_bytes)
    throw UsageError(
        fmt::format("{}: about {} columns, which take {} MiB of memory, expected at most the {} MiB allowed",
                    name, columns, static_cast<std::uint64_t>(columns) * column_bytes >> 20, memory >> 20));
}

/// Enough of the text to tell its columns: 64 KiB, and twenty lines where they are not too long.
TableLook look_ahead(LineReader& lines, const TableOptions& options) {
  constexpr std::size_t most = 1 << 24;
  std::size_t size = 1 << 16;
  std::string_view begin = lines.ahead(size);
  while (begin.size() >= size && size < most && lines_in(begin) < 20) begin = lines.ahead(size *= 4);
  require_few_columns(lines.name(), begin.substr(0, begin.find('\n')), options.memory);
  return look_at_table(begin, begin.size() < size, options);
}

}  // namespace

template <class S>
CsvSource<S>::CsvSource(const std::filesystem::path& path, CsvOptions options)
    : CsvSource(LineReader(path), std::move(options)) {}

template <class S>
CsvSource<S>::CsvSource(LineReader lines, CsvOptions options)
    : lines_(std::move(lines)), rules_(std::make_unique<FieldRules>(options)) {
  if (options.separator && std::string_view(",;|\t ").find(*options.separator) == std::string_view::npos)
    throw UsageError(
        fmt::format("separator '{}', expected ',', ';', '|', a tab or a blank", *options.separator));
  if (options.separator == options.decimal)
    throw UsageError(fmt::format("'{}' separates both fields and decimals, expected different characters",
                                 options.decimal));
  for (const auto& marker : options.missing)
    if (S value = 0; rules_->parse(marker, value)) missing_numbers_.push_back(value);
  text_is_missing_ = options.text == TextColumns::as_missing;
  const TableLook look = look_ahead(lines_, options);
  separator_ = look.separator;
  blanks_ = look.blanks;
  header_ = look.header;
  nameless_first_ = look.nameless_first;
  if (!next_row()) throw DataError(fmt::format("{}: empty, expected rows of numbers", name()));
  std::vector<std::string> fields = split();
  if (nameless_first_) fields.insert(fields.begin(), "");
  targets_.assign(fields.size(), unused);
  if (look.numeric_header)
    warnings_.push_back(
        fmt::format("{}: the first line ({}, {}, ...) is taken as a header; --header no reads it "
                    "as numbers",
                    name(), fields[0], fields[1]));
  if (header_)
    names_ = std::move(fields);
  else
    lines_.put_back();
  choose(options, look);
}

template <class S>
CsvSource<S>::~CsvSource() = default;

template <class S>
std::string CsvSource<S>::title(Index column) const {
  const auto j = static_cast<std::size_t>(column);
  return names_.empty() || names_[j].empty() ? fmt::format("column {}", column + 1)
                                             : fmt::format("'{}'", shown(names_[j]));
}

template <class S>
void CsvSource<S>::choose(const CsvOptions& options, const TableLook& look) {
  const auto chosen = choose_columns(name(), names_, static_cast<Index>(targets_.size()), options.choice());
  if (chosen.label) {
    targets_[static_cast<std::size_t>(*chosen.label)] = to_label;
    label_kind_ = Labels::unknown;
  }
  std::vector<Index> texts, dates;
  const auto look_of = [&](Index j) {
    return static_cast<std::size_t>(j) < look.columns.size() ? look.columns[static_cast<std::size_t>(j)]
                                                             : ColumnLook{};
  };
  for (const Index j : chosen.kept) {
    const ColumnLook column = look_of(j);
    if (!text_is_missing_ && column.is_text() && has_decimal_comma(column.example) && options.decimal == '.')
      throw DataError(fmt::format("{}: {} has decimal commas ('{}' in row {}); --decimal , reads them",
                                  name(), title(j), shown(column.example), column.example_row));
    if (!column.is_text() || text_is_missing_)
      targets_[static_cast<std::size_t>(j)] = 0;
    else if (!column.is_date() && options.text == TextColumns::one_hot)
      categories_.push_back({.column = j});
    else
      (column.is_date() ? dates : texts).push_back(j);
  }
  if (!categories_.empty()) find_categories(options);
  auto category = categories_.begin();
  for (const Index j : chosen.kept) {  // in their order
    const auto at = static_cast<std::size_t>(j);
    if (category != categories_.end() && category->column == j) {
      targets_[at] = first_category - (category - categories_.begin());
      category->first = cols_;
      for (const auto& value : category->values)
        column_names_.push_back(
            fmt::format("{}={}", names_.empty() ? fmt::to_string(j + 1) : names_[at], value));
      cols_ += static_cast<Index>(category++->values.size());
    } else if (targets_[at] == 0) {
      targets_[at] = cols_++;
      column_names_.push_back(names_.empty() ? fmt::to_string(j + 1) : names_[at]);
    }
  }
  if (names_.empty() && categories_.empty()) column_names_.clear();
  if (cols_ == 0) {
    const Index j = texts.empty() ? dates[0] : texts[0];
    throw DataError(fmt::format("{}: no column of numbers: {} holds {} ('{}' in row {})", name(), title(j),
                                texts.empty() ? "dates" : "text", shown(look_of(j).example),
                                look_of(j).example_row));
  }
  warn_of_text(texts, look, false);
  warn_of_text(dates, look, true);
  warn_of_index(options, look, chosen.kept[0]);
}

template <class S>
void CsvSource<S>::warn_of_text(const std::vector<Index>& columns, const TableLook& look, bool dates) {
  if (columns.empty()) return;
  constexpr std::size_t most = 5;
  std::vector<std::string> parts;
  for (const Index j : columns) {
    if (parts.size() == most) break;
    const ColumnLook& column = look.columns[static_cast<std::size_t>(j)];
    parts.push_back(fmt::format("{} ('{}' in row {})", title(j), shown(column.example), column.example_row));
  }
  const bool one = columns.size() == 1;
  warnings_.push_back(
      fmt::format("{}: {} {} left out: {}{}{}", name(),
                  dates ? (one ? "a column of dates" : "columns of dates")
                        : (one ? "a column of text" : "columns of text"),
                  one ? "is" : "are", fmt::join(parts, ", "),
                  columns.size() > most ? fmt::format(" and {} more", columns.size() - most) : "",
                  dates ? "" : "; --categorical one-hot makes indicator columns of text"));
}

template <class S>
void CsvSource<S>::warn_of_index(const CsvOptions& options, const TableLook& look, Index first) {
  if (!header_ || first != 0 || !options.columns.empty() || cols_ < 2 || !look.columns[0].is_count() ||
      !index_name(names_[0]))
    return;
  const double from = look.columns[0].first;
  warnings_.push_back(fmt::format(
      "{}: the first column ({}) counts the rows: {}, {}, {}, ...; --index-column 1 leaves it out", name(),
      names_[0].empty() ? "without a name" : names_[0], from, from + 1, from + 2));
}

/// The values of the columns of text, by a reading of the whole file.
template <class S>
void CsvSource<S>::find_categories(const CsvOptions& options) {
  constexpr std::size_t most = 1000;
  if (!lines_.rewindable())
    throw UsageError(fmt::format("{}: can be read only once, but categories require a first pass", name()));
  std::vector<Category*> of(targets_.size(), nullptr);
  for (Category& category : categories_) {
    const auto j = static_cast<std::size_t>(category.column);
    of[j] = &category;
    const std::string start = (names_.empty() ? fmt::to_string(j + 1) : names_[j]) + "=";
    for (const auto& known : options.categories)
      if (known.starts_with(start)) category.values.push_back(known.substr(start.size()));
    category.fixed = !category.values.empty();
  }
  while (next_row()) {
    std::size_t column = 0;
    for (std::size_t position = 0;; ++position) {
      Category* category = column < of.size() ? of[column] : nullptr;
      if (category == nullptr || category->fixed) {
        position = skip_field(position);
      } else if (const std::string_view field = take_field(position); !rules_->missing(field)) {
        category->places.emplace(field, 0);
        if (category->places.size() > most)
          throw DataError(
              fmt::format("{}: {} has more than {} different values, expected categories; --exclude "
                          "leaves it out",
                          name(), title(category->column), most));
      }
      ++column;
      if (position == line_.size()) break;
    }
  }
  rewind();
  for (Category& category : categories_) {
    if (!category.fixed)
      for (const auto& [value, place] : category.places) category.values.push_back(value);
    for (std::size_t k = 0; k < category.values.size(); ++k)
      category.places[category.values[k]] = static_cast<Index>(k);
  }
}

template <class S>
void CsvSource<S>::set_category(const Category& category, std::string_view field, std::span<S> out) const {
  const auto first = static_cast<std::size_t>(category.first);
  const std::span<S> columns = out.subspan(first, category.values.size());
  if (rules_->missing(field)) {
    std::ranges::fill(columns, std::numeric_limits<S>::quiet_NaN());
    return;
  }
  const auto place = category.places.find(field);
  if (place == category.places.end())
    throw DataError(fmt::format(
        "{}: line {}, {}: '{}' is none of the values of the fit: {}", name(), line_number_,
        title(category.column), shown(field),
        fmt::join(category.values.begin(),
                  category.values.begin() + std::min<Index>(5, std::ssize(category.values)), ", ")));
  columns[static_cast<std::size_t>(place->second)] = 1;
}

template <class S>
bool CsvSource<S>::next_row() {
  for (;;) {
    const auto line = lines_.next();
    if (!line) return false;
    if (line->find_first_not_of(' ') == std::string_view::npos) continue;
    line_ = *line;
    if (blanks_) {
      join_blanks(*line, joined_);
      if (joined_.empty() || joined_[0] == '#') continue;
      line_ = joined_;
    }
    line_number_ = lines_.number();
    return true;
  }
}

/// The field that begins at position, without quotes and surrounding spaces; position moves to its end. A
/// quoted field may draw in the lines after it.
template <class S>
std::string_view CsvSource<S>::take_field(std::size_t& position) {
  constexpr std::size_t longest = 1 << 20;
  const std::size_t start = std::min(line_.find_first_not_of(' ', position), line_.size());
  if (start == line_.size() || line_[start] != '"') {
    const std::size_t end = std::min(line_.find(separator_, position), line_.size());
    const std::string_view field = trimmed(line_.substr(position, end - position));
    position = end;
    return field;
  }
  unquoted_.clear();
  std::size_t from = start + 1;
  for (;;) {
    const std::size_t quote = line_.find('"', from);
    if (quote == std::string_view::npos) {
      unquoted_ += line_.substr(from);
      const std::size_t length = line_.size();
      const auto longer = unquoted_.size() < longest && !blanks_ ? lines_.extend() : std::nullopt;
      if (!longer)
        throw DataError(fmt::format("{}: line {}: unterminated quoted field", name(), line_number_));
      line_ = *longer;
      from = length;
      continue;
    }
    unquoted_ += line_.substr(from, quote - from);
    from = quote + 1;
    if (from == line_.size() || line_[from] != '"') break;
    unquoted_ += '"';
    ++from;
  }
  const std::size_t end = std::min(line_.find(separator_, from), line_.size());
  if (!trimmed(line_.substr(from, end - from)).empty())
    throw DataError(fmt::format("{}: line {}: '{}' after a quoted field, expected a separator", name(),
                                line_number_, shown(line_.substr(from, end - from))));
  position = end;
  return unquoted_;
}

/// Skips a field that was not requested.
template <class S>
std::size_t CsvSource<S>::skip_field(std::size_t position) {
  const std::size_t start = line_.find_first_not_of(' ', position);
  if (start != std::string_view::npos && line_[start] == '"') {
    take_field(position);
    return position;
  }
  return std::min(line_.find(separator_, position), line_.size());
}

template <class S>
std::vector<std::string> CsvSource<S>::split() {
  std::vector<std::string> fields;
  for (std::size_t position = 0;; ++position) {
    fields.emplace_back(take_field(position));
    if (position == line_.size()) return fields;
  }
}

template <class S>
void CsvSource<S>::not_a_number(std::string_view field, Index column, bool may_be_missing) const {
  const std::string called =
      names_.empty() ? "" : fmt::format(" ({})", shown(names_[static_cast<std::size_t>(column)]));
  std::string hint;
  if (may_be_missing)
    hint = rules_->decimal() == '.' && has_decimal_comma(field)
               ? " (--decimal , reads decimal commas)"
               : fmt::format(" (--na '{}' reads it as a missing value)", shown(field));
  throw DataError(fmt::format("{}: line {}, column {}{}: '{}' is not a number{}", name(), line_number_,
                              column + 1, called, shown(field), hint));
}

template <class S>
double CsvSource<S>::label(std::string_view field, Index column) {
  double value = std::numeric_limits<double>::quiet_NaN();
  if (missing(field)) return value;
  if (label_kind_ != Labels::classes && parse(field, value)) {
    label_kind_ = Labels::numbers;
    return value;
  }
  if (label_kind_ == Labels::numbers) not_a_number(field, column, false);
  label_kind_ = Labels::classes;
  auto found = classes_.find(field);
  if (found == classes_.end()) {
    found = classes_.emplace(field, static_cast<Index>(label_names_.size())).first;
    label_names_.emplace_back(field);
  }
  return static_cast<double>(found->second);
}

template <class S>
void CsvSource<S>::parse_plain(std::string_view line, Place& place, std::span<S> out) const {
  const char* const end = line.data() + line.size();
  for (;;) {
    const char* at = line.data() + place.position;
    const Index target = target_of(place.column);
    if (target < unused) return;
    while (at != end && *at == ' ') ++at;
    if (target == unused) {
      if (at != end && *at == '"') return;
      at = std::find(at, end, separator_);
    } else {
      S value = 0;
      const auto result = text::read_number(at, end, value);
      if (result.ec == std::errc::invalid_argument || (result.ptr != end && *result.ptr != separator_))
        return;
      for (const S marker : missing_numbers_)
        if (value == marker) value = std::numeric_limits<S>::quiet_NaN();
      out[static_cast<std::size_t>(target)] = value;
      at = result.ptr;
    }
    ++place.column;
    place.position = static_cast<std::size_t>(at - line.data());
    place.ended = at == end;
    if (place.ended) return;
    ++place.position;
  }
}

template <class S>
void CsvSource<S>::require_fields(Index found) const {
  if (found != std::ssize(targets_))
    throw DataError(
        fmt::format("{}: line {}: {} fields, expected {}", name(), line_number_, found, targets_.size()));
}

template <class S>
void CsvSource<S>::parse_row(std::span<S> out) {
  Place place;
  for (;; ++place.position) {
    if (rules_->decimal() == '.') parse_plain(line_, place, out);
    if (!place.ended) parse_field(place, out);
    if (place.ended) break;
  }
  require_fields(place.column);
}

/// A field of any kind; the position moves to its end.
template <class S>
void CsvSource<S>::parse_field(Place& place, std::span<S> out) {
  const Index column = place.column++, target = target_of(column);
  if (target == unused) {
    place.position = skip_field(place.position);
  } else if (const std::string_view field = take_field(place.position); target == to_label) {
    labels_.push_back(label(field, column));
  } else if (target <= first_category) {
    set_category(categories_[static_cast<std::size_t>(first_category - target)], field, out);
  } else {
    S& value = out[static_cast<std::size_t>(target)];
    const bool none = rules_->missing(field);
    if (none || !rules_->parse(field, value)) {
      if (!none && !text_is_missing_) not_a_number(field, column, true);
      value = std::numeric_limits<S>::quiet_NaN();
    }
    for (const S marker : missing_numbers_)
      if (value == marker) value = std::numeric_limits<S>::quiet_NaN();
  }
  place.ended = place.position == line_.size();
}

/// Rows that the buffer of the text holds, at most `count`: all threads parse those of plain numbers, and this one the others in
/// their turn. None where that does not pay.
template <class S>
void CsvSource<S>::read_block(Index count, Batch<S>& batch) {
  constexpr Index kLines = 8;  // of a part
  const ThreadPool* pool = ThreadPool::current();
  if (pool == nullptr || pool->threads() == 1 || !mostly_plain_ || blanks_ || label_kind_ != Labels::none ||
      !categories_.empty() || rules_->decimal() != '.')
    return;
  lines_.peek(static_cast<std::size_t>(count), ahead_);
  const Index lines = std::ssize(ahead_), fields = std::ssize(targets_), before = lines_.number();
  const auto width = static_cast<std::size_t>(cols_);
  parsed_.resize(ahead_.size() * width);
  plain_.assign(ahead_.size(), 0);
  parallel_for((lines + kLines - 1) / kLines, [&](Index part) {
    for (auto i = static_cast<std::size_t>(part * kLines);
         i < ahead_.size() && i < static_cast<std::size_t>((part + 1) * kLines); ++i) {
      Place place;
      parse_plain(ahead_[i], place, std::span(parsed_).subspan(i * width, width));
      plain_[i] = place.ended && place.column == fields;
    }
  });
  mostly_plain_ = 2 * std::ranges::count(plain_, 1) >= lines;
  const Index most = batch.rows() + count;
  for (Index i = 0; i < lines && batch.rows() < most; i = lines_.number() - before) {
    const auto from = plain_.begin() + i, to = std::find(from, plain_.end(), 0);
    if (from == to) {  // it may have more than one line
      if (!next_row()) return;
      parse_row(batch.add_row(row_++));
      continue;
    }
    numbers_.resize(static_cast<std::size_t>(to - from));
    std::iota(numbers_.begin(), numbers_.end(), row_);
    std::ranges::copy(
        std::span(parsed_).subspan(static_cast<std::size_t>(i) * width, numbers_.size() * width),
        batch.add_rows(numbers_).begin());
    lines_.skip(numbers_.size());
    row_ += to - from;
  }
}

template <class S>
Index CsvSource<S>::read(Index count, Batch<S>& batch) {
  batch.start_dense(cols_);
  labels_.clear();
  while (batch.rows() < count) {
    read_block(count - batch.rows(), batch);
    if (batch.rows() == count) break;
    if (!next_row()) {
      if (row_ == 0) throw DataError(fmt::format("{}: a header but no rows", name()));
      rows_ = row_;
      break;
    }
    parse_row(batch.add_row(row_));
    ++row_;
  }
  return batch.rows();
}

template <class S>
bool CsvSource<S>::read_fields(std::vector<std::string>& fields) {
  if (!next_row()) return false;
  fields = split();
  require_fields(std::ssize(fields));
  return true;
}

template <class S>
void CsvSource<S>::rewind() {
  lines_.rewind();
  row_ = 0;
  mostly_plain_ = true;
  labels_.clear();
  if (header_ && next_row()) split();
}

template class CsvSource<float>;
template class CsvSource<double>;

}  // namespace landfall
