#include "runs/comparison.hpp"

#include <landfall/models/fit/plan.hpp>

#include <algorithm>
#include <optional>

#include "runs/child_run.hpp"
#include "terminal/screen.hpp"
#include "terminal/table.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

constexpr int kNumbersFailed = 4;

/// Whether the method takes what is chosen by hand; others refuse it.
bool takes_by_hand(const ProblemEntry& problem, const std::string& method) {
  return problem.baselines_take_hand ? method != problem.exact : method == "landing";
}

/// The number that says how good a run of this problem is.
const Measure& measure(const ProblemEntry& problem, const Json& summary) {
  for (const Measure& one : problem.measures)
    if (summary.contains(one.key)) return one;
  return problem.measures.back();
}

/// Of the column of the measure with this name.
std::string heading(const ProblemEntry& problem, const Json& name) {
  for (const Measure& one : problem.measures)
    if (name == one.name) return std::string(one.heading);
  return std::string(problem.measures.back().heading);
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

/// The summary of one run; nothing where its numbers failed.
std::optional<Json> run_one(const Comparison& comparison, const std::string& method,
                            const std::string& passes, const std::string& folder) {
  std::vector<std::string> arguments{std::string(comparison.problem.name)};
  arguments.insert(arguments.end(), comparison.arguments.begin(), comparison.arguments.end());
  if (takes_by_hand(comparison.problem, method))
    arguments.insert(arguments.end(), comparison.by_hand.begin(), comparison.by_hand.end());
  arguments.insert(arguments.end(), {"--method", method, "--json"});
  if (!passes.empty()) arguments.insert(arguments.end(), {"--passes", passes});
  if (!folder.empty()) arguments.insert(arguments.end(), {"--out", (comparison.folder / folder).string()});
  // Methods are timed without a cross-validation that nobody asked for.
  if (comparison.problem.has_folds && std::ranges::find(arguments, "--folds") == arguments.end())
    arguments.insert(arguments.end(), {"--folds", "0"});
  if (comparison.quiet) arguments.emplace_back("--quiet");
  if (comparison.problem.has_rows) arguments.emplace_back("--warnings-apart");
  const ChildRun run = run_self(std::move(arguments));
  if (run.code == kNumbersFailed) return std::nullopt;
  if (run.code != 0) throw ChildFailed{run.code};
  return Json::parse(run.out);
}

/// Whether the plan says that the exact method needs no more than this.
bool exact_fits(const Comparison& comparison) {
  const std::string method(comparison.problem.exact);
  if (method.empty()) return false;
  std::vector<std::string> arguments{"plan", std::string(comparison.problem.name)};
  arguments.insert(arguments.end(), comparison.arguments.begin(), comparison.arguments.end());
  arguments.emplace_back("--json");
  const ChildRun run = run_self(std::move(arguments));
  if (run.code != 0) throw ChildFailed{run.code};
  for (const Json plan = Json::parse(run.out); const auto& one : plan["alternatives"])
    if (one["method"] == method) return one["memory_bytes"] <= comparison.memory;
  return false;
}

/// Like the run, which it repeats draw by draw, but with evaluations on all rows on its way; apart, since these
/// need covariances, which are not to count among what the method needs.
Json run_curve(const Comparison& comparison, const std::string& method, double passes) {
  constexpr double points = 40;
  Comparison again = comparison;
  again.arguments.insert(again.arguments.end(), {"--curve", fmt::format("{:.6g}", passes / points)});
  const auto summary = run_one(again, method, fmt::format("{:.6g}", passes), "");
  return summary && summary->contains("curve") ? (*summary)["curve"] : Json::array();
}

std::string passes_text(const std::string& passes) {
  return passes + (passes == "1" ? " pass" : " passes");
}

/// "landing, 4 passes" as the name of a folder.
std::string folder_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '.'; }, '-');
  name.erase(std::unique(name.begin(), name.end(), [](char a, char b) { return a == '-' && b == '-'; }),
             name.end());
  return name;
}

Json entry(const ProblemEntry& problem, const std::string& name, const std::string& method,
           const std::string& folder, const std::optional<Json>& summary) {
  Json run{{"name", name}, {"method", method}, {"failed", !summary.has_value()}};
  if (!folder.empty()) run["folder"] = folder;
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

/// The runs of one method: one, or one for each number of passes where it iterates.
void run_method(const Comparison& comparison, const std::string& method,
                const std::function<void(const std::string&)>& begin, Json& runs) {
  const bool once = comparison.passes.empty() || method == comparison.problem.exact;
  const std::vector<std::string> all = once ? std::vector<std::string>{""} : comparison.passes;
  for (const auto& passes : all) {
    const std::string name = once ? method : fmt::format("{}, {}", method, passes_text(passes));
    begin(name);
    const std::string folder = comparison.folder.empty() ? "" : folder_name(name);
    runs.push_back(
        entry(comparison.problem, name, method, folder, run_one(comparison, method, passes, folder)));
  }
}

void add_fractions(Json& runs, double optimum) {
  for (auto& run : runs)
    if (!run["failed"]) run["fraction"] = run["value"].get<double>() / optimum;
}

std::string cell(const Json& run, std::string_view key, const std::function<std::string(const Json&)>& text) {
  const auto at = run.find(key);
  return at != run.end() && !at->is_null() ? text(*at) : "";
}

}  // namespace

Json compare(const Comparison& comparison, const std::function<void(const std::string&)>& begin) {
  Json runs = Json::array();
  for (const auto& method : comparison.methods) run_method(comparison, method, begin, runs);
  const ProblemEntry& problem = comparison.problem;
  Json result{{"problem", problem.name}, {"measure", nullptr}, {"exact", nullptr}};

  const std::string exact(problem.exact);
  const auto asked = std::find_if(runs.begin(), runs.end(),
                                  [&](const Json& run) { return run["method"] == exact && !run["failed"]; });
  if (asked != runs.end()) {
    result["exact"] = {{"value", (*asked)["value"]}, {"seconds", (*asked)["seconds"]}};
  } else if (exact_fits(comparison)) {
    begin(exact);
    if (const auto summary = run_one(comparison, exact, "", "")) {
      const Json run = entry(problem, exact, exact, "", summary);
      result["exact"] = {{"value", run["value"]}, {"seconds", run["seconds"]}};
    }
  }
  if (!result["exact"].is_null()) add_fractions(runs, result["exact"]["value"]);
  if (problem.has_curve && !comparison.folder.empty() && !result["exact"].is_null())
    for (auto& run : runs)
      if (!run["failed"] && run["iterations"] != 0) {
        begin(run["name"].get<std::string>() + ", its curve");
        run["curve"] = run_curve(comparison, run["method"], run["passes"]);
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

void print_comparison(const Json& result) {
  const Json& runs = result["runs"];
  const bool fractions = !result["exact"].is_null();
  const ProblemEntry& problem = find_problem(result["problem"].get<std::string>());
  const std::size_t effort_width = std::max<std::size_t>(problem.effort.size(), 6);
  const bool held_out =
      std::any_of(runs.begin(), runs.end(), [&](const Json& run) { return run.contains(problem.held_out); });
  std::size_t width = 6;
  for (const auto& run : runs) width = std::max(width, run["name"].get<std::string>().size());
  const std::string title = heading(problem, result["measure"]);

  std::string head = fmt::format("{:<{}}  {:>{}}", "", width, title, std::max<std::size_t>(title.size(), 10));
  if (fractions) head += fmt::format("  {:>8}", "of exact");
  if (held_out) head += fmt::format("  {:>8}", "held out");
  head += fmt::format("  {:>10}  {:>{}}  {:>7}  {:>7}", "infeasible", problem.effort, effort_width, "seconds",
                      "memory");
  fmt::print("{}\n", standard_output().painted(head, Paint::strong));
  for (const auto& run : runs) {
    fmt::print("{:<{}}", run["name"].get<std::string>(), width);
    if (run["failed"].get<bool>()) {
      fmt::print("  {:>{}}\n", "failed", std::max<std::size_t>(title.size(), 10));
      continue;
    }
    const auto fixed = [](const Json& number) { return fmt::format("{:.6f}", number.get<double>()); };
    const auto short_number = [](const Json& number) { return fmt::format("{:.4g}", number.get<double>()); };
    fmt::print("  {:>{}}", fmt::format("{:#.7g}", run["value"].get<double>()),
               std::max<std::size_t>(title.size(), 10));
    if (fractions) fmt::print("  {:>8}", cell(run, "fraction", fixed));
    if (held_out) fmt::print("  {:>8}", cell(run, problem.held_out, fixed));
    fmt::print("  {:>10.1e}  {:>{}}  {:>7.2f}  {:>7}\n", run["infeasibility"].get<double>(),
               cell(run, problem.effort, short_number), effort_width, run["seconds"].get<double>(),
               memory_text(run["peak_memory_bytes"]));
  }
}

}  // namespace landfall::app
