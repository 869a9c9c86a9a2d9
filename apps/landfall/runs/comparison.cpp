#include "runs/comparison.hpp"

#include <landfall/models/fit/plan.hpp>

#include <algorithm>
#include <optional>

#include "runs/child_run.hpp"
#include "runs/compared_runs.hpp"
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

/// The runs of one method: one, or one for each number of passes where it iterates.
void run_method(const Comparison& comparison, const std::string& method,
                const std::function<void(const std::string&)>& begin, Json& runs) {
  const bool once = comparison.passes.empty() || method == comparison.problem.exact;
  const std::vector<std::string> all = once ? std::vector<std::string>{""} : comparison.passes;
  for (const auto& passes : all) {
    const std::string name = compared_name(method, passes);
    begin(name);
    const std::string folder = comparison.folder.empty() ? "" : folder_name(name);
    runs.push_back(compared_run(comparison.problem, {name, method, folder},
                                run_one(comparison, method, passes, folder)));
  }
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
  const std::string method(problem.exact);
  auto exact = exact_among(problem, runs);
  if (!exact && exact_fits(comparison)) {
    begin(method);
    if (const auto summary = run_one(comparison, method, "", ""))
      exact = compared_run(problem, {method, method}, summary);
  }
  if (problem.has_curve && !comparison.folder.empty() && exact)
    for (auto& run : runs)
      if (!run["failed"] && run["iterations"] != 0) {
        begin(run["name"].get<std::string>() + ", its curve");
        run["curve"] = run_curve(comparison, run["method"], run["passes"]);
      }
  return compared(problem, std::move(runs), exact);
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
  const std::string title = measure_heading(problem, result["measure"]);

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
