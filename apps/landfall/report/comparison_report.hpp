// The report of a comparison: the table, what each method cost, and how it got there.
//
//   write_comparison_report("comparison");    // comparison/report.html
#pragma once

#include <filesystem>

#include "problems/summary.hpp"

namespace landfall::app {

/// The result of compare() in the folder of a comparison.
inline constexpr const char* kComparison = "comparison.json";

bool is_comparison(const std::filesystem::path& folder);

/// The page as report_page() takes it.
Json comparison_json(const std::filesystem::path& folder);

/// Of a folder with the result of compare() and its runs.
void write_comparison_report(const std::filesystem::path& folder);

}  // namespace landfall::app
