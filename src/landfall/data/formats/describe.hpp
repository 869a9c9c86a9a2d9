// What is in each column of a text table, whether or not a model could be fitted to it.
//
//   landfall::CsvSource<double> source("people.csv", {.text = landfall::TextColumns::as_missing});
//   for (const auto& column : landfall::describe_columns(source, {}))
//     use(column.name, column.kind == landfall::ColumnKind::text, column.missing);
#pragma once

#include <landfall/data/formats/csv_source.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace landfall {

enum class ColumnKind { numbers, text, dates, empty };
std::string_view to_string(ColumnKind kind);

struct ColumnDescription {
  std::string name;  // empty: it has none
  ColumnKind kind = ColumnKind::empty;
  Index missing = 0;                 // fields without a value
  Index unreadable = 0;              // fields of a column of numbers that are none
  std::string example = {};          // the first field that is no number
  Index example_row = 0;             // its row, from 1; 0: there is none
  double smallest = 0, largest = 0;  // of the numbers
  bool constant = false;             // all numbers are the same
  bool counts_rows = false;  // 0, 1, 2, ... or 1, 2, 3, ..., and named as an index is, or without a name
};

/// Reads the source from its first row to its last, and rewinds it. The options are those it was opened with.
std::vector<ColumnDescription> describe_columns(CsvSource<double>& source, const TableOptions& options);

}  // namespace landfall
