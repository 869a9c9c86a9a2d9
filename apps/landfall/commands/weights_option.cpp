#include "commands/weights_option.hpp"

#include <landfall/data/formats/weights.hpp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>

#include <filesystem>

#include <fmt/format.h>

namespace landfall::app {
namespace {

/// A path, or one with a dataset or an array behind it (data.h5:/weights, data.npz:w).
bool is_file(const std::string& text) {
  std::error_code ignored;
  const auto colon = text.rfind(':');
  return is_read_once(text) || std::filesystem::exists(text, ignored) ||
         (colon != std::string::npos && std::filesystem::exists(text.substr(0, colon), ignored));
}

RowWeights read_column(const ModelOptions& options) {
  const std::string& data = options.files[0];
  if (is_read_once(data))
    throw UsageError(
        fmt::format("--weights {}: standard input and pipes can be read only once; expected a file of "
                    "weights, or a column of a file",
                    options.weights));
  TableOptions table = options.table.options();
  table.columns = {options.weights};
  table.exclude.clear();
  table.index.clear();
  try {
    return read_weights(data, table);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}; --weights takes a column of {} or a file, and there is no file '{}'",
                                 error.what(), data, options.weights));
  }
}

}  // namespace

void read_row_weights(ModelOptions& options) {
  if (options.weights.empty()) return;
  options.weights_are_column = !is_file(options.weights);
  options.fit.weights = std::make_shared<const RowWeights>(
      options.weights_are_column ? read_column(options) : read_weights(options.weights));
}

TableOptions table_of(const ModelOptions& options, std::size_t view) {
  TableOptions table = options.table.options();
  if (options.weights_are_column && options.files[view] == options.files[0])
    table.exclude.push_back(options.weights);
  return table;
}

}  // namespace landfall::app
