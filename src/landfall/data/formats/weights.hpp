// The weight of every row from a file of its own, or from a column of the data.
//
//   const auto own = landfall::read_weights("weights.npy");
//   const auto column = landfall::read_weights("survey.csv", {.columns = {"weight"}});
//   use(own.rows(), column.unit());
#pragma once

#include <landfall/data/formats/table_options.hpp>
#include <landfall/data/rows/row_weights.hpp>

#include <filesystem>

namespace landfall {

/// A file of any format with one column, or of more of which the options choose one: a number per row, finite and not negative,
/// not all 0. DataError with the row otherwise.
RowWeights read_weights(const std::filesystem::path& path, const TableOptions& options = {});

}  // namespace landfall
