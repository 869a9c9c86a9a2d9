// The report of a run, from what its folder holds.
//
//   write_report("run");                  // run/report.html
#pragma once

#include <filesystem>

namespace landfall::app {

/// Writes folder/report.html anew. DataError where the folder is not that of a run.
void write_report(const std::filesystem::path& folder);

}  // namespace landfall::app
