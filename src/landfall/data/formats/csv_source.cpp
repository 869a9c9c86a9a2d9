#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/text.ipp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace landfall {
namespace {

using text::missing;
using text::parse;
using text::shown;

// Where a column of the file goes: a position in the row, or one of these.
constexpr Index unused = -1, to_label = -2;

std::string_view trimmed(std::string_view field) {
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  while (!field.empty() && space(field.front())) field.remove_prefix(1);
  while (!field.empty() && space(field.back())) field.remove_suffix(1);
  return field;
}

bool number_or_missing(std::string_view field) {
  double value = 0;
  return missing(field) || parse(field, value);
}

/// How often each candidate occurs in a line outside quotes.
template <std::size_t N>
std::array<Index, N> count(std::string_view line, const std::array<char, N>& candidates) {
  std::array<Index, N> result{};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    for (std::size_t k = 0; k < N; ++k)
      if (!quoted && c == candidates[k]) ++result[k];
  }
  return result;
}

/// The separator that every one of the first lines has equally often. A tab is tried first and the comma
/// last: in a table separated by tabs or semicolons the comma may be the decimal one, which is told apart by
/// failing later.
char find_separator(std::string_view begin) {
  constexpr std::array<char, 3> candidates = {'\t', ';', ','};
  constexpr int most_lines = 20;
  std::array<Index, 3> first{};
  std::array<bool, 3> same = {true, true, true};
  int lines = 0;
  while (!begin.empty() && lines < most_lines) {
    const std::size_t end = begin.find('\n');
    if (end == std::string_view::npos && lines > 0) break;  // cut short, perhaps
    const std::string_view line = begin.substr(0, end);
    begin.remove_prefix(end == std::string_view::npos ? begin.size() : end + 1);
    if (text::blank(line)) continue;
    const auto counts = count(line, candidates);
    if (lines++ == 0) first = counts;
    for (std::size_t k = 0; k < candidates.size(); ++k) same[k] = same[k] && counts[k] == first[k];
  }
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (same[k] && first[k] > 0) return candidates[k];
  const auto most = std::max_element(first.begin(), first.end());
  return *most > 0 ? candidates[static_cast<std::size_t>(most - first.begin())] : ',';
}

}  // namespace

template <class S>
CsvSource<S>::CsvSource(const std::filesystem::path& path, CsvOptions options)
    : CsvSource(LineReader(path), std::move(options)) {}

template <class S>
CsvSource<S>::CsvSource(LineReader lines, CsvOptions options) : lines_(std::move(lines)) {
  constexpr std::size_t enough_to_see = 1 << 16;
  if (options.separator && std::string_view(",;|\t").find(*options.separator) == std::string_view::npos)
    throw UsageError(fmt::format("separator '{}', expected ',', ';', '|' or a tab", *options.separator));
  separator_ = options.separator ? *options.separator : find_separator(lines_.ahead(enough_to_see));
  if (!next_row()) throw DataError(fmt::format("{}: empty, expected rows of numbers", name()));
  std::vector<std::string> fields = split();
  targets_.assign(fields.size(), unused);
  header_ = options.header == CsvHeader::present ||
            (options.header == CsvHeader::detect && looks_like_header(fields, options));
  if (header_)
    names_ = std::move(fields);
  else
    lines_.put_back();
  choose_columns(options);
}

template <class S>
bool CsvSource<S>::looks_like_header(const std::vector<std::string>& fields,
                                     const CsvOptions& options) const {
  // Which columns hold numbers is known when those were asked for by number.
  const auto fields_count = static_cast<Index>(fields.size());
  const auto numbered = [&](const std::string& column, Index& k) {
    return parse(column, k) && k >= 1 && k <= fields_count;
  };
  Index k = 0;
  if (!options.label.empty()) {
    if (!numbered(options.label, k)) return true;
  }
  const Index label = k - 1;
  if (options.columns.empty()) {
    for (Index j = 0; j < fields_count; ++j)
      if (j != label && !number_or_missing(fields[static_cast<std::size_t>(j)])) return true;
    return false;
  }
  return std::any_of(options.columns.begin(), options.columns.end(), [&](const std::string& column) {
    return !numbered(column, k) || !number_or_missing(fields[static_cast<std::size_t>(k - 1)]);
  });
}

template <class S>
Index CsvSource<S>::find_column(const std::string& column) const {
  const auto found = std::find(names_.begin(), names_.end(), column);
  if (found != names_.end()) {
    if (std::find(found + 1, names_.end(), column) != names_.end())
      throw UsageError(
          fmt::format("{}: more than one column is named '{}', expected its number", name(), column));
    return found - names_.begin();
  }
  Index number = 0;
  const auto count = static_cast<Index>(targets_.size());
  if (!parse(column, number) || number < 1 || number > count)
    throw UsageError(fmt::format("{}: no column '{}', expected {}a number from 1 to {}", name(), column,
                                 names_.empty() ? "" : "a name in the header or ", count));
  return number - 1;
}

template <class S>
void CsvSource<S>::choose_columns(const CsvOptions& options) {
  const auto choose = [&](const std::string& column, Index target) {
    Index& old = targets_[static_cast<std::size_t>(find_column(column))];
    if (old != unused) throw UsageError(fmt::format("{}: column '{}' was chosen twice", name(), column));
    old = target;
  };
  if (!options.label.empty()) {
    choose(options.label, to_label);
    label_kind_ = Labels::unknown;
  }
  for (const std::string& column : options.columns) choose(column, cols_++);
  if (options.columns.empty())
    for (Index& target : targets_)
      if (target == unused) target = cols_++;
  if (cols_ == 0)
    throw DataError(fmt::format("{}: only the label column, expected at least one other column", name()));
  if (names_.empty()) return;
  column_names_.resize(static_cast<std::size_t>(cols_));
  for (std::size_t j = 0; j < targets_.size(); ++j)
    if (targets_[j] >= 0) column_names_[static_cast<std::size_t>(targets_[j])] = names_[j];
}

template <class S>
bool CsvSource<S>::next_row() {
  for (;;) {
    const auto line = lines_.next();
    if (!line) return false;
    if (line->find_first_not_of(' ') == std::string_view::npos) continue;
    line_ = *line;
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
      const auto longer = unquoted_.size() < longest ? lines_.extend() : std::nullopt;
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
void CsvSource<S>::not_a_number(std::string_view field, Index column) const {
  const std::string title =
      names_.empty() ? "" : fmt::format(" ({})", shown(names_[static_cast<std::size_t>(column)]));
  throw DataError(fmt::format("{}: line {}, column {}{}: '{}' is not a number", name(), line_number_,
                              column + 1, title, shown(field)));
}

template <class S>
double CsvSource<S>::label(std::string_view field, Index column) {
  double value = std::numeric_limits<double>::quiet_NaN();
  if (missing(field)) return value;
  if (label_kind_ != Labels::classes && parse(field, value)) {
    label_kind_ = Labels::numbers;
    return value;
  }
  if (label_kind_ == Labels::numbers) not_a_number(field, column);
  label_kind_ = Labels::classes;
  auto found = classes_.find(field);
  if (found == classes_.end()) {
    found = classes_.emplace(field, static_cast<Index>(label_names_.size())).first;
    label_names_.emplace_back(field);
  }
  return static_cast<double>(found->second);
}

template <class S>
void CsvSource<S>::parse_row(std::span<S> out) {
  const char* begin = line_.data();
  const char* end = begin + line_.size();
  const char* at = begin;
  const auto fields = static_cast<Index>(targets_.size());
  Index column = 0;
  for (;; ++at) {
    const Index target = column < fields ? targets_[static_cast<std::size_t>(column)] : unused;
    if (target >= 0) {
      while (at != end && *at == ' ') ++at;
      S& value = out[static_cast<std::size_t>(target)];
      const auto result = text::read_number(at, end, value);
      if (result.ec != std::errc::invalid_argument && (result.ptr == end || *result.ptr == separator_)) {
        at = result.ptr;
      } else {
        auto position = static_cast<std::size_t>(at - begin);
        const std::string_view field = take_field(position);
        if (missing(field))
          value = std::numeric_limits<S>::quiet_NaN();
        else if (!parse(field, value))
          not_a_number(field, column);
        begin = line_.data();
        end = begin + line_.size();
        at = begin + position;
      }
    } else {
      auto position = static_cast<std::size_t>(at - begin);
      if (target == to_label)
        labels_.push_back(label(take_field(position), column));
      else
        position = skip_field(position);
      begin = line_.data();
      end = begin + line_.size();
      at = begin + position;
    }
    ++column;
    if (at == end) break;
  }
  if (column != fields)
    throw DataError(fmt::format("{}: line {}: {} fields, expected {}", name(), line_number_, column, fields));
}

template <class S>
Index CsvSource<S>::read(Index count, Batch<S>& batch) {
  batch.start_dense(cols_);
  labels_.clear();
  while (batch.rows() < count) {
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
void CsvSource<S>::rewind() {
  lines_.rewind();
  row_ = 0;
  labels_.clear();
  if (header_ && next_row()) split();
}

template <class S>
struct CsvWriter<S>::File {
  explicit File(const std::filesystem::path& path) : text(path) {}
  text::TextFile text;
};

template <class S>
CsvWriter<S>::CsvWriter(const std::filesystem::path& path, CsvLayout layout)
    : file_(std::make_unique<File>(path)), layout_(std::move(layout)) {
  const auto quoted = [&](const std::string& name) {
    if (name.find_first_of("\"\r\n ") == std::string::npos &&
        name.find(layout_.separator) == std::string::npos)
      return name;
    std::string result = "\"";
    for (const char c : name) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + '"';
  };
  for (std::size_t j = 0; j < layout_.names.size(); ++j) {
    if (j > 0) file_->text.print("{}", layout_.separator);
    file_->text.print("{}", quoted(layout_.names[j]));
  }
  if (!layout_.names.empty()) file_->text.print("\n");
}

template <class S>
CsvWriter<S>::~CsvWriter() = default;

template <class S>
void CsvWriter<S>::write_row(std::span<const S> row) {
  if (!layout_.names.empty() && row.size() != layout_.names.size())
    throw UsageError(fmt::format("a row of {} under {} names", row.size(), layout_.names.size()));
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (j > 0) file_->text.print("{}", layout_.separator);
    file_->text.print("{}", row[j]);
  }
  file_->text.print("\n");
}

template <class S>
void CsvWriter<S>::write(const Batch<S>& batch) {
  row_.resize(static_cast<std::size_t>(batch.cols()));
  for (Index i = 0; i < batch.rows(); ++i) {
    dense_row<S>(batch, i, row_);
    write_row(row_);
  }
}

template <class S>
void CsvWriter<S>::commit() {
  file_->text.commit();
}

template <class S>
void write_csv(const std::filesystem::path& path, In<S> matrix, CsvLayout layout) {
  CsvWriter<S> writer(path, std::move(layout));
  std::vector<S> row(static_cast<std::size_t>(matrix.cols()));
  for (Index i = 0; i < matrix.rows(); ++i) {
    std::copy(matrix.row(i).begin(), matrix.row(i).end(), row.begin());
    writer.write_row(row);
  }
  writer.commit();
}

LANDFALL_CSV(, float)
LANDFALL_CSV(, double)

}  // namespace landfall
