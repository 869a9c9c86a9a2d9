// Runs of several methods side by side: what there is to compare, from their summaries.
//
//   Json runs = Json::array();
//   runs.push_back(compared_run(problem, {.name = "exact", .method = "exact"}, summary));
//   const Json result = compared(problem, std::move(runs), exact_among(problem, runs));
//
// The result holds, for each run, its summary and what there is to compare: `value` (of the measure of the
// problem), `fraction` of the exact optimum, infeasibility, passes, seconds without those of the evaluation, and
// the peak memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problems/problems.hpp"
#include "problems/summary.hpp"

namespace landfall::app {

struct ComparedName {
  std::string name, method;
  std::string folder = {};  // of the run in that of the comparison; empty: there is none
};

/// "landing", or "landing, 4 passes" where the runs of a method differ by these.
std::string compared_name(const std::string& method, const std::string& passes);
/// That name as the name of a folder.
std::string folder_name(std::string name);

/// No summary: the numbers of the run failed.
Json compared_run(const ProblemEntry& problem, const ComparedName& name, const std::optional<Json>& summary);

/// The entry of the exact method among the runs, if it went well.
std::optional<Json> exact_among(const ProblemEntry& problem, const Json& runs);

/// With the entry of an exact run, which says how much of the optimum the others reach.
Json compared(const ProblemEntry& problem, Json runs, const std::optional<Json>& exact);

/// What the runs warn of, each once; that a run ended early is in the table.
std::vector<std::string> common_warnings(const Json& result);

/// Heading of the column of the measure with this name.
std::string measure_heading(const ProblemEntry& problem, const Json& name);

/// comparison.json, the report and the summary in a folder that has the folders of the runs.
void write_comparison(const std::filesystem::path& folder, const Json& result);

}  // namespace landfall::app
