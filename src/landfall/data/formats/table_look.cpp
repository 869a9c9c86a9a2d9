#include <landfall/data/formats/table_look.ipp>
#include <landfall/errors.hpp>

#include <array>
#include <cmath>

namespace landfall {
namespace {

constexpr Index most_rows_seen = 1000;
constexpr std::array<char, 3> candidates = {'\t', ';', ','};
using Fields = std::vector<std::string>;

std::string_view without_blanks(std::string_view field) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!field.empty() && space(field.front())) field.remove_prefix(1);
  while (!field.empty() && space(field.back())) field.remove_suffix(1);
  return field;
}

/// Takes the next row off the text, which may reach over several lines; false where it is not complete.
bool take_row(std::string_view& text, bool whole, char separator, Fields& fields) {
  fields.clear();
  std::string field;
  bool quoted = false, was_quoted = false;
  const auto end_field = [&] {
    fields.emplace_back(was_quoted ? std::string_view(field) : without_blanks(field));
    field.clear();
    was_quoted = false;
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c != '"')
        field += c;
      else if (k + 1 < text.size() && text[k + 1] == '"')
        field += text[++k];
      else
        quoted = false;
    } else if (c == '"' && without_blanks(field).empty()) {
      quoted = was_quoted = true;
      field.clear();
    } else if (c == separator) {
      end_field();
    } else if (c == '\n') {
      end_field();
      text.remove_prefix(k + 1);
      return true;
    } else if (!was_quoted) {
      field += c;
    }
  }
  if (!whole || quoted || text.empty()) return false;
  end_field();
  text = {};
  return true;
}

/// The lines of the text that are not blank, at most so many; the last only if it is complete.
std::vector<std::string_view> first_lines(std::string_view text, bool whole, std::size_t most) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && !whole && !lines.empty()) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!text::blank(line)) lines.push_back(line);
  }
  return lines;
}

/// How often each candidate occurs in a line outside quotes.
std::array<Index, candidates.size()> count(std::string_view line) {
  std::array<Index, candidates.size()> result{};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (!quoted && c == candidates[k]) ++result[k];
  }
  return result;
}

/// Whether every line but comments has equally many words, two or more; the first so many fewer.
bool same_words(const std::vector<std::string_view>& lines, std::ptrdiff_t fewer) {
  std::string joined;
  std::ptrdiff_t words = 0;
  for (const auto& line : lines) {
    join_blanks(line, joined);
    if (joined.starts_with('#')) continue;
    const auto found = std::count(joined.begin(), joined.end(), '\t') + 1 + (words == 0 ? fewer : 0);
    if (words == 0) words = found;
    if (found != words || found < 2) return false;
  }
  return words > 1;
}

/// The separator that every one of the first lines has equally often. A tab is tried first and the comma
/// last: in a table separated by tabs or semicolons the comma may be the decimal one. The first line may have
/// one less, where R leaves the name of the first column out. Blanks: where nothing else separates.
void find_separator(std::string_view begin, bool whole, TableLook& look) {
  const auto lines = first_lines(begin, whole, 20);
  std::array<Index, candidates.size()> first{}, rest{};
  std::array<bool, candidates.size()> same = {true, true, true};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto counts = count(lines[i]);
    if (i == 0) first = counts;
    if (i <= 1) rest = counts;
    for (std::size_t k = 0; k < candidates.size(); ++k) same[k] = same[k] && (i == 0 || counts[k] == rest[k]);
  }
  for (const Index fewer : {0, 1}) {
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (same[k] && rest[k] > 0 && first[k] + fewer == rest[k]) {
        look.separator = candidates[k];
        return;
      }
    if (same_words(lines, fewer) && (fewer == 0 || lines.size() > 1)) {
      look.separator = '\t';
      look.blanks = true;
      return;
    }
  }
  const auto most = std::max_element(first.begin(), first.end());
  look.separator = *most > 0 ? candidates[static_cast<std::size_t>(most - first.begin())] : ',';
}

/// Whether these numbers look like names of columns and those below do not: whole numbers that follow each other
/// (years, or 0, 1, 2, ...), where no row below does the same, and numbers with decimals or outside the range.
bool numbers_are_names(const std::vector<Fields>& rows, const FieldRules& rules) {
  const auto steady = [&](const Fields& fields) {
    double before = 0, step = 0;
    for (std::size_t j = 0; j < fields.size(); ++j) {
      double value = 0;
      const std::string& field = fields[j];
      if (field.empty() || field.find_first_not_of("0123456789") != std::string::npos ||
          !rules.parse(field, value) || (field.size() > 1 && field[0] == '0'))
        return false;
      if (j > 0 && (value <= before || (j > 1 && value - before != step))) return false;
      if (j > 0) step = value - before;
      before = value;
    }
    const bool years = fields.size() > 1 && fields[0].size() == 4 && before >= 1700 && before <= 2200;
    return fields.size() > 1 && (years || (step == 1 && (fields[0] == "0" || fields[0] == "1")));
  };
  if (rows.size() < 3 || !steady(rows[0])) return false;
  std::size_t decimals = 0, cells = 0;
  bool outside = true;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (steady(rows[i])) return false;
    for (std::size_t j = 0; j < std::min(rows[i].size(), rows[0].size()); ++j, ++cells) {
      double name = 0, value = 0;
      if (rows[i][j].find(rules.decimal()) != std::string::npos) ++decimals;
      rules.parse(rows[0][j], name);
      if (rules.parse(rows[i][j], value) && std::abs(value) >= name / 2) outside = false;
    }
  }
  const bool years = rows[0][0].size() == 4;
  return 2 * decimals >= cells || (years && outside) || (!years && rows[0].size() >= 4 && rows.size() >= 6);
}

bool needs_names(const TableOptions& options) {
  const auto named = [](const std::string& text) {
    return !text.empty() && !is_column_number(text) && text.find_first_of("*?") == std::string::npos;
  };
  return named(options.label) || named(options.index) ||
         std::any_of(options.columns.begin(), options.columns.end(), named) ||
         std::any_of(options.exclude.begin(), options.exclude.end(), named);
}

/// The columns that hold numbers, as far as they were asked for by number; empty: all but the label.
std::vector<char> wanted_columns(const TableOptions& options, std::size_t count) {
  std::vector<char> wanted(count, 1);
  try {
    const auto chosen = choose_columns("", {}, static_cast<Index>(count), options.choice());
    std::fill(wanted.begin(), wanted.end(), 0);
    for (const Index j : chosen.kept) wanted[static_cast<std::size_t>(j)] = 1;
  } catch (const UsageError&) {  // said later, where there are names too
  } catch (const DataError&) {
  }
  return wanted;
}

void find_header(const std::vector<Fields>& rows, const TableOptions& options, const FieldRules& rules,
                 TableLook& look) {
  if (rows.empty()) return;
  look.nameless_first = rows.size() > 1 && rows[0].size() + 1 == rows[1].size() &&
                        (rows.size() == 2 || rows[2].size() == rows[1].size());
  if (look.nameless_first)
    look.nameless_first = std::none_of(rows[0].begin(), rows[0].end(), [&](const std::string& field) {
      return rules.number_or_missing(field);
    });
  if (options.header != CsvHeader::detect) {
    look.header = options.header == CsvHeader::present;
    look.nameless_first = look.nameless_first && look.header;
    return;
  }
  look.header = look.nameless_first || needs_names(options);
  if (look.header) return;
  const auto wanted = wanted_columns(options, rows[0].size());
  bool any = false, all = true;
  for (std::size_t j = 0; j < rows[0].size(); ++j) {
    if (rules.number_or_missing(rows[0][j]) || has_decimal_comma(rows[0][j])) {
      all = false;
      continue;
    }
    if (!wanted[j]) continue;
    any = true;
    ColumnLook below;
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (j < rows[i].size()) below.add(rows[i][j], 0, rules);
    if (!below.is_text()) {
      look.header = true;
      return;
    }
  }
  look.header = any && (all || rows.size() == 1);
  if (!any) look.header = look.numeric_header = numbers_are_names(rows, rules);
}

bool digits(std::string_view& text, std::size_t least, std::size_t most) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  if (count < least || count > most) return false;
  text.remove_prefix(count);
  return true;
}

bool is_time(std::string_view text) {
  const auto colon = [&] {
    if (!text.starts_with(':')) return false;
    text.remove_prefix(1);
    return true;
  };
  return digits(text, 1, 2) && colon() && digits(text, 2, 2) &&
         (text.empty() || text[0] == ':' || text[0] == ' ');
}

bool is_date(std::string_view text) {
  if (is_time(text)) return true;
  const bool year_first = text.find_first_of("-/.") == 4;
  if (!digits(text, year_first ? 4 : 1, year_first ? 4 : 2) || text.empty()) return false;
  const char mark = text[0];
  if (mark != '-' && mark != '/' && mark != '.') return false;
  text.remove_prefix(1);
  if (!digits(text, 1, 2)) return false;
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(1);
  if (!digits(text, year_first ? 1 : 2, year_first ? 2 : 4)) return false;
  return text.empty() || text[0] == 'T' || text[0] == ' ';
}

}  // namespace

FieldRules::FieldRules(const TableOptions& options) : decimal_(options.decimal) {
  if (decimal_ != '.' && decimal_ != ',')
    throw UsageError(fmt::format("decimal mark '{}', expected '.' or ','", decimal_));
  for (const auto& marker : options.missing) {
    double value = 0;
    if (parse(marker, value))
      numbers_.push_back(value);
    else
      texts_.push_back(marker);
  }
}

bool FieldRules::missing(std::string_view field) const {
  return text::missing_value(field) || std::find(texts_.begin(), texts_.end(), field) != texts_.end();
}

bool FieldRules::missing(double value) const {
  return std::find(numbers_.begin(), numbers_.end(), value) != numbers_.end();
}

FieldKind kind_of(std::string_view field, const FieldRules& rules) {
  double value = 0;
  if (rules.missing(field)) return FieldKind::missing;
  if (rules.parse(field, value))
    return rules.any_number() && rules.missing(value) ? FieldKind::missing : FieldKind::number;
  return is_date(field) ? FieldKind::date : FieldKind::text;
}

bool has_decimal_comma(std::string_view field) {
  const std::size_t comma = field.find(',');
  if (comma == 0 || comma == std::string_view::npos || comma + 1 == field.size()) return false;
  double value = 0;
  return FieldRules({.decimal = ','}).parse(field, value);
}

void ColumnLook::add(std::string_view field, Index row, const FieldRules& rules) {
  const FieldKind kind = kind_of(field, rules);
  if (kind == FieldKind::missing) {
    ++missing;
  } else if (kind == FieldKind::number) {
    double value = 0;
    rules.parse(field, value);
    counts = numbers == 0 || (counts && value == last + 1);
    if (numbers == 0) first = smallest = largest = value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    last = value;
    ++numbers;
  } else {
    if (texts + dates == 0) {
      example = field;
      example_row = row;
    }
    ++(kind == FieldKind::date ? dates : texts);
  }
}

Index lines_in(std::string_view text) {
  return static_cast<Index>(std::count(text.begin(), text.end(), '\n'));
}

TableLook look_at_table(std::string_view begin, bool whole, const TableOptions& options) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (begin.starts_with(byte_order_mark)) begin.remove_prefix(byte_order_mark.size());
  TableLook look;
  if (options.separator) {
    look.blanks = *options.separator == ' ';
    look.separator = look.blanks ? '\t' : *options.separator;
  } else {
    find_separator(begin, whole, look);
  }
  std::string joined;
  if (look.blanks) {
    std::string line;
    for (const auto& one : first_lines(begin, whole, most_rows_seen + 1)) {
      join_blanks(one, line);
      if (!line.starts_with('#')) joined += line + '\n';
    }
    begin = joined;
  }
  const FieldRules rules(options);
  std::vector<Fields> rows;
  Fields fields;
  while (static_cast<Index>(rows.size()) <= most_rows_seen && take_row(begin, whole, look.separator, fields))
    if (fields.size() > 1 || !fields[0].empty()) rows.push_back(fields);
  find_header(rows, options, rules, look);
  if (rows.empty()) return look;
  look.columns.resize(rows[0].size() + (look.nameless_first ? 1 : 0));
  for (std::size_t i = look.header ? 1 : 0; i < rows.size(); ++i) {
    ++look.rows;
    if (rows[i].size() != look.columns.size()) continue;  // an error when it is read
    for (std::size_t j = 0; j < look.columns.size(); ++j) look.columns[j].add(rows[i][j], look.rows, rules);
  }
  return look;
}

bool index_name(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view known : {"", "id", "index", "unnamed: 0", "rownames", "row.names", "row_names"})
    if (lower == known) return true;
  return false;
}

void join_blanks(std::string_view line, std::string& out) {
  out.clear();
  bool quoted = false, gap = false;
  for (const char c : line) {
    if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += '\t';
    gap = false;
    if (c == '"') quoted = !quoted;
    out += c;
  }
}

}  // namespace landfall
