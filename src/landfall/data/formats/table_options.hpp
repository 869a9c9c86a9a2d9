// How a file is read as a table: which columns, and what the text of a text table means.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const landfall::TableOptions options{.columns = {"bmi", "s1..s6"}, .missing = {"-999"}};
//   auto source = landfall::open_source<float>("diabetes.csv", options);
#pragma once

#include <landfall/data/rows/columns.hpp>

#include <optional>
#include <string>
#include <vector>

namespace landfall {

enum class CsvHeader { detect, present, absent };

/// What becomes of columns that hold text.
enum class TextColumns {
  leave_out,   // with a warning
  one_hot,     // a column of zeros and ones for each value, named "column=value"
  as_missing,  // every field that is not a number is NaN: to describe a file, whatever is in it
};

/// Columns are chosen in every format; the other fields are for text tables alone.
struct TableOptions {
  /// ',', ';', '|', a tab, or a blank for any run of blanks and tabs; found in the first lines when not given ('|' is not).
  std::optional<char> separator = std::nullopt;
  /// Detected: the first line is a header when it has text above numbers, when a column is asked for by name, or
  /// when its numbers count (2019, 2020, ...) and those below do not, which is a warning too.
  CsvHeader header = CsvHeader::detect;
  /// See ColumnChoice.
  std::vector<std::string> columns = {};
  /// The column of labels. Of a text table numbers, or classes when the first label is not a number: then labels() are
  /// the positions in label_names().
  std::string label = {};
  std::vector<std::string> exclude = {};
  std::string index = {};
  /// '.' or ','.
  char decimal = '.';
  /// What stands for a missing value, beside nothing, NA, N/A, NaN, null, None, ? and a single dot. A number means
  /// every field of its value.
  std::vector<std::string> missing = {};
  TextColumns text = TextColumns::leave_out;
  /// "column=value" of the columns that one_hot shall make, in the order of a fit; empty: those in the file.
  std::vector<std::string> categories = {};
  /// The format by name (see table_formats()); empty: it is recognised.
  std::string format = {};
  /// Bytes that the fit may use, to refuse a table with too many columns before it takes more; 0: any number.
  std::uint64_t memory = 0;
  /// Columns are names and nothing else.
  bool exact = false;
  /// Of the F files of a folder only files F part / parts up to F (part + 1) / parts, for ranks that each have files of their
  /// own; a part without any is a UsageError.
  int part = 0, parts = 1;

  ColumnChoice choice() const {
    return {.columns = columns, .exclude = exclude, .label = label, .index = index, .exact = exact};
  }
};

}  // namespace landfall
