// landfall data info: what is in a file of data, also where a model could not be fitted to it yet.
#include <landfall/data/formats/describe.hpp>
#include <landfall/data/formats/open_source.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "commands/data_commands.hpp"
#include "terminal/table.hpp"
#include "terminal/table_options.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace landfall::app {
namespace {

/// What one pass over a source finds.
struct Summary {
  std::string name, format, element_type;
  Index rows = 0, cols = 0, nonzeros = 0, nans = 0,
        infinities = 0;                    // nonzeros with those that are not finite
  std::vector<ColumnDescription> columns;  // of a text table
  double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;  // of the finite entries
  bool has_range() const { return smallest <= largest; }
  double density() const {
    return static_cast<double>(nonzeros) / (static_cast<double>(rows) * static_cast<double>(cols));
  }
};

Summary summarize(const std::filesystem::path& path, TableOptions options) {
  options.text = TextColumns::as_missing;
  const auto source = open_source<double>(path, options);
  Summary summary;
  summary.name = path.string();
  summary.cols = source->cols();
  constexpr Index entries = 1 << 21;  // of a batch: 16 MiB
  const Index count = std::clamp<Index>(entries / std::max<Index>(summary.cols, 1), 1, 1 << 16);
  Batch<double> batch;
  while (source->read(count, batch) > 0) {
    summary.rows += batch.rows();
    const auto values = std::as_const(batch).values();
    for (const double value : values) {
      summary.nonzeros += value != 0 ? 1 : 0;
      if (std::isfinite(value)) {
        summary.smallest = std::min(summary.smallest, value);
        summary.largest = std::max(summary.largest, value);
      } else {
        ++(std::isnan(value) ? summary.nans : summary.infinities);
      }
    }
    if (static_cast<Index>(values.size()) <
        batch.rows() * batch.cols()) {  // zeros that a sparse row leaves out
      summary.smallest = std::min(summary.smallest, 0.0);
      summary.largest = std::max(summary.largest, 0.0);
    }
  }
  if (auto* table = dynamic_cast<CsvSource<double>*>(source.get())) {
    summary.columns = describe_columns(*table, options);
    summary.nans = 0;
    for (const auto& column : summary.columns) summary.nans += column.missing;
  }
  summary.format = source->format();
  summary.element_type = source->element_type();
  return summary;
}

std::string title(const std::vector<ColumnDescription>& columns, const ColumnDescription& column) {
  return column.name.empty() ? fmt::format("column {}", &column - columns.data() + 1) : column.name;
}

/// A line for each thing that a fit would leave out, refuse or warn of.
void print_columns(const std::vector<ColumnDescription>& columns) {
  constexpr std::size_t most = 8;
  const auto line = [&](std::string_view name, const auto& wanted, const auto& text) {
    std::vector<std::string> parts;
    std::size_t count = 0;
    for (const auto& column : columns)
      if (wanted(column) && ++count <= most) parts.push_back(title(columns, column) + text(column));
    if (count > most) parts.push_back(fmt::format("{} more", count - most));
    if (count > 0) fmt::print("{:<16}{}\n", name, fmt::join(parts, ", "));
  };
  const auto example = [](const ColumnDescription& column) {
    return fmt::format(" ('{}' in row {})", column.example, column.example_row);
  };
  const auto nothing = [](const ColumnDescription&) { return ""; };
  line(
      "names", [](const auto& column) { return !column.name.empty(); }, nothing);
  line(
      "text", [](const auto& column) { return column.kind == ColumnKind::text; }, example);
  line(
      "dates", [](const auto& column) { return column.kind == ColumnKind::dates; }, example);
  line(
      "not numbers", [](const auto& column) { return column.unreadable > 0; },
      [&](const auto& column) {
        return fmt::format(" ({}, {}", counted(static_cast<std::size_t>(column.unreadable), "field"),
                           example(column).substr(2));
      });
  line(
      "missing in", [](const auto& column) { return column.missing > 0; },
      [](const auto& column) { return fmt::format(" ({})", column.missing); });
  line(
      "empty", [](const auto& column) { return column.kind == ColumnKind::empty; }, nothing);
  line(
      "constant", [](const auto& column) { return column.constant; }, nothing);
  line(
      "row index", [](const auto& column) { return column.counts_rows; }, nothing);
}

nlohmann::ordered_json to_json(const std::vector<ColumnDescription>& columns) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& column : columns) {
    nlohmann::ordered_json one{
        {"name", column.name}, {"kind", to_string(column.kind)}, {"missing", column.missing}};
    if (column.kind == ColumnKind::numbers) {
      one["smallest"] = column.smallest;
      one["largest"] = column.largest;
      one["unreadable"] = column.unreadable;
      one["constant"] = column.constant;
      one["counts_rows"] = column.counts_rows;
    }
    if (column.example_row > 0) {
      one["example"] = column.example;
      one["example_row"] = column.example_row;
    }
    list.push_back(std::move(one));
  }
  return list;
}

void print_summary(const Summary& summary) {
  const auto line = [](std::string_view name, const std::string& value) {
    fmt::print("{:<16}{}\n", name, value);
  };
  const auto number = [&](double value) {
    return summary.has_range() ? fmt::format("{:.7g}", value) : "none";
  };
  const Index missing = summary.nans + summary.infinities;
  line("file", summary.name);
  line("format", summary.format);
  line("rows", fmt::to_string(summary.rows));
  line("columns", fmt::to_string(summary.cols));
  line("element type", summary.element_type);
  line("nonzeros", summary.rows > 0 ? fmt::format("{:.4g} %", 100 * summary.density()) : "none");
  line("smallest value", number(summary.smallest));
  line("largest value", number(summary.largest));
  line("missing values",
       missing == 0 ? "0"
                    : fmt::format("{} ({} NaN, {} infinite)", missing, summary.nans, summary.infinities));
  print_columns(summary.columns);
}

nlohmann::ordered_json to_json(const Summary& summary) {
  const auto number = [](double value, bool known) {
    return known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json json{{"file", summary.name},
                              {"format", summary.format},
                              {"rows", summary.rows},
                              {"columns", summary.cols},
                              {"element_type", summary.element_type},
                              {"density", number(summary.density(), summary.rows > 0)},
                              {"smallest", number(summary.smallest, summary.has_range())},
                              {"largest", number(summary.largest, summary.has_range())},
                              {"nan", summary.nans},
                              {"infinite", summary.infinities}};
  if (!summary.columns.empty()) json["column_details"] = to_json(summary.columns);
  return json;
}

}  // namespace

void setup_data_info(CLI::App& data) {
  struct Options {
    std::vector<std::string> files;
    TableArguments table;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  auto* command = data.add_subcommand("info", "Shape, types, range and missing values of data");
  command
      ->add_option("FILE", options->files, "a file, a folder of files read as one, or - for standard input")
      ->option_text("FILE ...")
      ->required();
  command->add_flag("--json", options->json, "print an array of JSON objects, one for each FILE");
  add_table_options({command}, options->table, "Options");
  command->footer(
      "Examples:\n"
      "  landfall data info left.npy data.h5:/right\n"
      "  landfall data info train-images-idx3-ubyte.gz --json");
  command->callback([options] {
    std::vector<Summary> summaries;
    for (const auto& file : options->files) summaries.push_back(summarize(file, options->table.options()));
    if (options->json) {
      auto array = nlohmann::ordered_json::array();
      for (const auto& summary : summaries) array.push_back(to_json(summary));
      fmt::print("{}\n", array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
      return;
    }
    for (const auto& summary : summaries) {
      if (&summary != summaries.data()) fmt::print("\n");
      print_summary(summary);
    }
  });
}

}  // namespace landfall::app
