// --weights: a column of the first table, or a file.
//
//   read_row_weights(options);                              // into options.fit
//   auto left = open_source<float>(options.files[0], table_of(options, 0));    // without that column
#pragma once

#include <landfall/data/formats/table_options.hpp>

#include "commands/model_command.hpp"

namespace landfall::app {

/// A file where there is one of that name, else a column; UsageError where it is neither. Nothing where no weights are given.
void read_row_weights(ModelOptions& options);

/// The options of a view's table: a column of weights is not among its columns.
TableOptions table_of(const ModelOptions& options, std::size_t view);

}  // namespace landfall::app
