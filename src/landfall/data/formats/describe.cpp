#include <landfall/data/formats/describe.hpp>
#include <landfall/data/formats/table_look.ipp>

namespace landfall {

std::string_view to_string(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::numbers:
      return "numbers";
    case ColumnKind::text:
      return "text";
    case ColumnKind::dates:
      return "dates";
    default:
      return "empty";
  }
}

std::vector<ColumnDescription> describe_columns(CsvSource<double>& source, const TableOptions& options) {
  source.rewind();
  const FieldRules rules(options);
  std::vector<ColumnLook> looks;
  std::vector<std::string> fields;
  for (Index row = 1; source.read_fields(fields); ++row) {
    looks.resize(fields.size());
    for (std::size_t j = 0; j < fields.size(); ++j) looks[j].add(fields[j], row, rules);
  }
  source.rewind();
  const auto& names = source.file_columns();
  std::vector<ColumnDescription> columns;
  for (std::size_t j = 0; j < looks.size(); ++j) {
    const ColumnLook& look = looks[j];
    ColumnDescription column{.name = names.empty() ? "" : names[j],
                             .kind = look.is_date()      ? ColumnKind::dates
                                     : look.is_text()    ? ColumnKind::text
                                     : look.numbers == 0 ? ColumnKind::empty
                                                         : ColumnKind::numbers,
                             .missing = look.missing,
                             .example = look.example,
                             .example_row = look.example_row,
                             .smallest = look.smallest,
                             .largest = look.largest};
    if (column.kind == ColumnKind::numbers) {
      column.unreadable = look.texts + look.dates;
      column.constant = look.smallest == look.largest;
      column.counts_rows = j == 0 && look.is_count() && !names.empty() && index_name(names[0]);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace landfall
