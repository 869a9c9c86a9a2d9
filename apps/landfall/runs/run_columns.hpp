// New data with the columns that a run was fitted on: by name where both have names, else by their number.
//
//   const FittedRun run = read_run("run");
//   auto left = open_run_columns<float>(run, 0, "new.csv", {}, 12);     // 12 columns, in the order of the fit
#pragma once

#include <landfall/data/formats/table_options.hpp>
#include <landfall/data/rows/source.hpp>

#include <filesystem>

#include "runs/fitted_run.hpp"

namespace landfall::app {

/// DataError: columns are missing, are those of another view, or are not as many as expected. An svmlight file whose last
/// columns are empty is as wide as the run says. The file is opened twice.
template <class S>
SourcePtr<S> open_run_columns(const FittedRun& run, std::size_t view, const std::filesystem::path& file,
                              TableOptions table, Index expected);

extern template SourcePtr<float> open_run_columns<float>(const FittedRun&, std::size_t,
                                                         const std::filesystem::path&, TableOptions, Index);
extern template SourcePtr<double> open_run_columns<double>(const FittedRun&, std::size_t,
                                                           const std::filesystem::path&, TableOptions, Index);

}  // namespace landfall::app
