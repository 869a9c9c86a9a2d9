#include "terminal/table_options.hpp"

#include <landfall/data/formats/open_source.hpp>
#include <landfall/errors.hpp>

#include <fmt/format.h>

namespace landfall::app {

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::string item;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      items.push_back(std::move(item));
      item.clear();
    } else {
      item += c;
    }
  }
  items.push_back(std::move(item));
  std::erase(items, "");
  return items;
}

TableOptions TableArguments::options() const {
  TableOptions options{.columns = split_list(columns),
                       .exclude = split_list(exclude),
                       .index = index,
                       .decimal = decimal[0],
                       .missing = split_list(missing),
                       .text = categorical == "one-hot" ? TextColumns::one_hot : TextColumns::leave_out,
                       .format = format,
                       .memory = memory,
                       .part = part,
                       .parts = parts};
  if (!columns.empty() && options.columns.empty())
    throw UsageError(fmt::format("--columns '{}': no column, expected names or numbers", columns));
  if (header != "auto") options.header = header == "yes" ? CsvHeader::present : CsvHeader::absent;
  if (delimiter == "tab" || delimiter == "\\t")
    options.separator = '\t';
  else if (delimiter == "space")
    options.separator = ' ';
  else if (!delimiter.empty())
    options.separator = delimiter[0];
  return options;
}

void add_table_options(const OptionAdder& add, TableArguments& table, const char* group) {
  const auto one = [&](const char* name, std::string& value, const char* shown, const char* text) {
    return add(name, value, shown, text)->group(group);
  };
  one("--columns", table.columns, "LIST", "columns to read: names, numbers, ranges a..b, wildcards [all]");
  one("--exclude", table.exclude, "LIST", "columns to leave out, given likewise");
  one("--index-column", table.index, "NAME", "column that numbers or names the rows; left out");
  one("--header", table.header, "NAME", "whether the first line has names: yes, no or auto [auto]")
      ->check(one_of({"yes", "no", "auto"}));
  one("--delimiter", table.delimiter, "C", "character between fields: , ; | tab or space [found]")
      ->check(one_of({",", ";", "|", "tab", "\\t", "\t", "space", " "}));
  one("--decimal", table.decimal, "C", "decimal mark, . or , [.]")->check(one_of({".", ","}));
  one("--na", table.missing, "LIST", "more marks of missing values, such as -999");
  one("--categorical", table.categorical, "NAME", "columns of text: leave-out or one-hot [leave-out]")
      ->check(one_of({"leave-out", "one-hot"}));
  one("--format", table.format, "NAME", "format of the data [found by content and extension]")
      ->check(one_of(table_formats()));
}

}  // namespace landfall::app
