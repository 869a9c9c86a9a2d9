#include "runs/compared_runs.hpp"

#include <landfall/run/run_folder.hpp>

#include <algorithm>

#include "report/comparison_report.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// The number that says how good a run of this problem is.
const Measure& measure(const ProblemEntry& problem, const Json& summary) {
  for (const Measure& one : problem.measures)
    if (summary.contains(one.key)) return one;
  return problem.measures.back();
}

double value(const ProblemEntry& problem, const Json& summary) {
  const Json& numbers = summary.at(measure(problem, summary).key);
  if (!numbers.is_array()) return numbers;
  double total = 0;
  for (const auto& number : numbers) total += number.get<double>();
  return total;
}

/// The larger of those of the views, as the method left it.
double infeasibility(const Json& summary) {
  const Json& all =
      summary.at(summary.contains("method_infeasibility") ? "method_infeasibility" : "infeasibility");
  if (!all.is_array()) return all;
  double largest = 0;
  for (const auto& one : all) largest = std::max(largest, one.get<double>());
  return largest;
}

void add_fractions(Json& runs, double optimum) {
  for (auto& run : runs)
    if (!run["failed"]) run["fraction"] = run["value"].get<double>() / optimum;
}

}  // namespace

std::string compared_name(const std::string& method, const std::string& passes) {
  if (passes.empty()) return method;
  return fmt::format("{}, {} {}", method, passes, passes == "1" ? "pass" : "passes");
}

std::string folder_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '.'; }, '-');
  name.erase(std::unique(name.begin(), name.end(), [](char a, char b) { return a == '-' && b == '-'; }),
             name.end());
  return name;
}

Json compared_run(const ProblemEntry& problem, const ComparedName& name, const std::optional<Json>& summary) {
  Json run{{"name", name.name}, {"method", name.method}, {"failed", !summary.has_value()}};
  if (!name.folder.empty()) run["folder"] = name.folder;
  if (!summary) return run;
  const Json& seconds = (*summary)["seconds"];
  run["value"] = value(problem, *summary);
  run["fraction"] = nullptr;
  run["infeasibility"] = infeasibility(*summary);
  for (const std::string_view key :
       {std::string_view("passes"), std::string_view("iterations"), problem.held_out})
    if (summary->contains(key)) run[std::string(key)] = (*summary)[std::string(key)];
  run["seconds"] = seconds["total"].get<double>() - seconds["evaluate"].get<double>();
  run["peak_memory_bytes"] = (*summary)["peak_memory_bytes"];
  run["termination"] = (*summary)["termination"];
  run["summary"] = *summary;
  return run;
}

std::optional<Json> exact_among(const ProblemEntry& problem, const Json& runs) {
  for (const auto& run : runs)
    if (run["method"] == problem.exact && !run["failed"]) return run;
  return std::nullopt;
}

Json compared(const ProblemEntry& problem, Json runs, const std::optional<Json>& exact) {
  Json result{{"problem", problem.name}, {"measure", nullptr}, {"exact", nullptr}};
  if (exact) {
    result["exact"] = {{"value", (*exact)["value"]}, {"seconds", (*exact)["seconds"]}};
    add_fractions(runs, (*exact)["value"]);
  }
  for (const auto& run : runs)
    if (!run["failed"]) result["measure"] = measure(problem, run["summary"]).name;
  result["runs"] = std::move(runs);
  return result;
}

std::vector<std::string> common_warnings(const Json& result) {
  std::vector<std::string> warnings;
  for (const auto& run : result["runs"])
    if (!run["failed"].get<bool>())
      for (const std::string text : run["summary"].value("warnings", Json::array()))
        if (!text.starts_with("landing ended") && std::ranges::find(warnings, text) == warnings.end())
          warnings.push_back(text);
  return warnings;
}

std::string measure_heading(const ProblemEntry& problem, const Json& name) {
  for (const Measure& one : problem.measures)
    if (name == one.name) return std::string(one.heading);
  return std::string(problem.measures.back().heading);
}

void write_comparison(const std::filesystem::path& folder, const Json& result) {
  write_json(folder / kComparison, result);
  write_comparison_report(folder);
  Json methods = Json::array();
  for (const auto& run : result["runs"])
    if (std::find(methods.begin(), methods.end(), run["method"]) == methods.end())
      methods.push_back(run["method"]);
  write_json(summary_in(folder),
             {{"problem", "comparison"}, {"of", result["problem"]}, {"methods", methods}});
}

}  // namespace landfall::app
