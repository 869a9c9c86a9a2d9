// The report of a run, from what the run has in memory or from what its folder holds.
//
//   write_report("run/report.html", {.problem = find_problem("cca"), .summary = summary, .weights = weights});
//   write_report("run/report.html", read_report("run"));
#pragma once

#include <landfall/linalg/types.hpp>

#include <filesystem>
#include <vector>

#include "problems/problems.hpp"
#include "report/report_parts.hpp"

namespace landfall::app {

/// The file of RunReport::rows in a run folder.
inline constexpr const char* kReportRows = "report.json";

struct RunReport {
  const ProblemEntry& problem;
  Json summary;                           // as in summary.json
  Json rows = {};                         // as in report.json: columns, image and a sample of scores
  std::vector<Matrix<double>> weights{};  // of each view, one column per component
  std::vector<Matrix<double>> loadings{};  // the same, where there are some
  History history{};
};

/// "loadings_left.npy"
std::string loadings_file(const ViewEntry& view);

/// The page as report_page() takes it.
Json report_json(const RunReport& report);

/// DataError: not the folder of a run.
RunReport read_report(const std::filesystem::path& folder);

void write_report(const std::filesystem::path& file, const RunReport& report);

}  // namespace landfall::app
