// Options of a command that reads tables: which columns, and what the text in them means.
//
//   TableArguments table;
//   add_table_options(add, table);
//   auto source = open_source<float>("table.csv", table.options());
#pragma once

#include <landfall/data/formats/table_options.hpp>

#include <string>
#include <vector>

#include "terminal/arguments.hpp"
#include "terminal/help_page.hpp"

namespace landfall::app {

/// As given.
struct TableArguments {
  std::string columns, exclude, index, delimiter, missing, format;
  std::string header = "auto", decimal = ".", categorical = "leave-out";
  std::uint64_t memory = 0;  // of the fit
  int part = 0, parts = 1;   // of the files of a folder: those of a rank

  /// UsageError where one of them has no meaning.
  TableOptions options() const;
};

/// --columns, --exclude, --index-column, --header, --delimiter, --decimal, --na, --categorical and --format, in a group of
/// the help page.
void add_table_options(const OptionAdder& add, TableArguments& table, const char* group = kTables);

/// "a,b,\"c,d\"" as a, b and c,d.
std::vector<std::string> split_list(const std::string& text);

}  // namespace landfall::app
