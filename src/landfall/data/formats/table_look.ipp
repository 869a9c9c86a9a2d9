// What the first rows of a text table tell of it: separator, header, the kind of each column; not installed.
#pragma once

#include <landfall/data/formats/table_options.hpp>
#include <landfall/data/formats/text.ipp>

#include <string>
#include <string_view>
#include <vector>

namespace landfall {

/// What a field means by the options of its table.
class FieldRules {
 public:
  explicit FieldRules(const TableOptions& options);

  /// Empty, one of the usual markers, or one that was given as text.
  bool missing(std::string_view field) const;
  /// One that was given as a number.
  bool missing(double value) const;
  bool any_number() const { return !numbers_.empty(); }
  char decimal() const { return decimal_; }

  template <class S>
  bool parse(std::string_view field, S& value) const {
    if (decimal_ == '.') return text::parse(field, value);
    constexpr std::size_t longest = 64;
    std::array<char, longest> digits{};
    if (field.size() > longest || field.find('.') != std::string_view::npos) return false;
    std::replace_copy(field.begin(), field.end(), digits.begin(), ',', '.');
    return text::parse(std::string_view(digits.data(), field.size()), value);
  }
  bool number_or_missing(std::string_view field) const {
    double value = 0;
    return missing(field) || parse(field, value);
  }

 private:
  char decimal_;
  std::vector<std::string> texts_;
  std::vector<double> numbers_;
};

enum class FieldKind { missing, number, date, text };
FieldKind kind_of(std::string_view field, const FieldRules& rules);

/// Whether the field is a number with a decimal comma.
bool has_decimal_comma(std::string_view field);

/// A column by the rows seen so far.
struct ColumnLook {
  Index numbers = 0, missing = 0, dates = 0, texts = 0;  // texts without dates
  std::string example;                                   // the first field that is not a number
  Index example_row = 0;                                 // from 1
  double first = 0, last = 0;                            // number
  bool counts = true;                                    // each number is the one before plus 1
  double smallest = 0, largest = 0;

  void add(std::string_view field, Index row, const FieldRules& rules);
  bool is_text() const { return texts + dates > numbers; }
  bool is_date() const { return is_text() && dates > texts; }
  /// 0, 1, 2, ... or 1, 2, 3, ..., as pandas and R number rows.
  bool is_count() const {
    return numbers > 1 && missing + dates + texts == 0 && counts && (first == 0 || first == 1);
  }
};

struct TableLook {
  char separator = ',';
  bool blanks = false;  // any run of blanks separates
  bool header = false;
  bool numeric_header = false;  // which looks like numbers
  bool nameless_first = false;  // the header has no name for the first column, as R writes it
  std::vector<ColumnLook> columns;
  Index rows = 0;  // looked at, without the header
};

/// Looks at the beginning of a text, which may be all of it.
TableLook look_at_table(std::string_view begin, bool whole, const TableOptions& options);
/// How many complete lines the text has.
Index lines_in(std::string_view text);

/// Whether a first column of this name is likely to number the rows.
bool index_name(std::string_view name);

/// The line with one tab for each run of blanks and tabs outside quotes, and none at its ends.
void join_blanks(std::string_view line, std::string& out);

}  // namespace landfall
