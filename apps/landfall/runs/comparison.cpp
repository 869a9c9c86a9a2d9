#include "runs/comparison.hpp"

#include <landfall/models/fit/plan.hpp>

#include <algorithm>
#include <optional>

#include "runs/child_run.hpp"
#include "runs/run_folder.hpp"
#include "terminal/screen.hpp"
#include "terminal/table.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kNumbersFailed = 4;

/// What the method that finds the optimum is called; nothing where there is none.
std::string exact_method(const std::string& problem) {
  return problem == "cca" ? "exact" : problem == "gevp" ? "direct" : "";
}

/// Whether the method takes what is chosen by hand; others refuse it.
bool takes_by_hand(const std::string& problem, const std::string& method) {
  return problem == "gevp" ? method == "landing" : method != exact_method(problem);
}

/// Which number says how good a run of this problem is.
std::string measure(const Json& summary) {
  if (summary["problem"] == "cca") return "total_correlation";
  if (summary["problem"] == "gevp") return "eigenvalue_sum";
  return summary.contains("amari") ? "amari" : "negentropy";
}

/// Of its column.
std::string heading(const Json& measure) {
  if (measure == "total_correlation") return "correlation";
  if (measure == "eigenvalue_sum") return "eigenvalues";
  return measure == "amari" ? "Amari distance" : "negentropy";
}

double sum(const Json& numbers) {
  double total = 0;
  for (const auto& number : numbers) total += number.get<double>();
  return total;
}

double value(const Json& summary) {
  if (summary["problem"] == "cca") return summary["total_correlation"];
  if (summary["problem"] == "gevp") return sum(summary["eigenvalues"]);
  return summary.contains("amari") ? summary["amari"].get<double>() : sum(summary["negentropy"]);
}

/// The larger of those of the views.
double infeasibility(const Json& summary) {
  const Json& all = summary["infeasibility"];
  if (!all.is_array()) return all;
  double largest = 0;
  for (const auto& one : all) largest = std::max(largest, one.get<double>());
  return largest;
}

/// The summary of one run; nothing where its numbers failed.
std::optional<Json> run_one(const Comparison& comparison, const std::string& method,
                            const std::string& passes, const std::string& folder) {
  std::vector<std::string> arguments{comparison.problem};
  arguments.insert(arguments.end(), comparison.arguments.begin(), comparison.arguments.end());
  if (takes_by_hand(comparison.problem, method))
    arguments.insert(arguments.end(), comparison.by_hand.begin(), comparison.by_hand.end());
  arguments.insert(arguments.end(), {"--method", method, "--json"});
  if (!passes.empty()) arguments.insert(arguments.end(), {"--passes", passes});
  if (!folder.empty()) arguments.insert(arguments.end(), {"--out", (comparison.folder / folder).string()});
  if (comparison.quiet) arguments.emplace_back("--quiet");
  const ChildRun run = run_self(std::move(arguments));
  if (run.code == kNumbersFailed) return std::nullopt;
  if (run.code != 0) throw ChildFailed{run.code};
  return Json::parse(run.out);
}

/// Whether the plan says that the exact method needs no more than this.
bool exact_fits(const Comparison& comparison) {
  const std::string method = exact_method(comparison.problem);
  if (method.empty()) return false;
  std::vector<std::string> arguments{"plan", comparison.problem};
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

Json entry(const std::string& name, const std::string& method, const std::string& folder,
           const std::optional<Json>& summary) {
  Json run{{"name", name}, {"method", method}, {"failed", !summary.has_value()}};
  if (!folder.empty()) run["folder"] = folder;
  if (!summary) return run;
  const Json& seconds = (*summary)["seconds"];
  run["value"] = value(*summary);
  run["fraction"] = nullptr;
  run["infeasibility"] = infeasibility(*summary);
  for (const char* key : {"passes", "iterations", "held_out_total_correlation"})
    if (summary->contains(key)) run[key] = (*summary)[key];
  run["seconds"] = seconds["total"].get<double>() - seconds["evaluate"].get<double>();
  run["peak_memory_bytes"] = (*summary)["peak_memory_bytes"];
  run["termination"] = (*summary)["termination"];
  run["summary"] = *summary;
  return run;
}

/// The runs of one method: one, or one for each number of passes where it iterates.
void run_method(const Comparison& comparison, const std::string& method,
                const std::function<void(const std::string&)>& begin, Json& runs) {
  const bool once = comparison.passes.empty() || method == exact_method(comparison.problem);
  const std::vector<std::string> all = once ? std::vector<std::string>{""} : comparison.passes;
  for (const auto& passes : all) {
    const std::string name = once ? method : fmt::format("{}, {}", method, passes_text(passes));
    begin(name);
    const std::string folder = comparison.folder.empty() ? "" : folder_name(name);
    runs.push_back(entry(name, method, folder, run_one(comparison, method, passes, folder)));
  }
}

void add_fractions(Json& runs, double optimum) {
  for (auto& run : runs)
    if (!run["failed"]) run["fraction"] = run["value"].get<double>() / optimum;
}

std::string cell(const Json& run, const char* key, const std::function<std::string(const Json&)>& text) {
  return run.contains(key) && !run[key].is_null() ? text(run[key]) : "";
}

}  // namespace

Json compare(const Comparison& comparison, const std::function<void(const std::string&)>& begin) {
  Json runs = Json::array();
  for (const auto& method : comparison.methods) run_method(comparison, method, begin, runs);
  Json result{{"problem", comparison.problem}, {"measure", nullptr}, {"exact", nullptr}};

  const std::string exact = exact_method(comparison.problem);
  const auto asked = std::find_if(runs.begin(), runs.end(),
                                  [&](const Json& run) { return run["method"] == exact && !run["failed"]; });
  if (asked != runs.end()) {
    result["exact"] = {{"value", (*asked)["value"]}, {"seconds", (*asked)["seconds"]}};
  } else if (exact_fits(comparison)) {
    begin(exact);
    if (const auto summary = run_one(comparison, exact, "", "")) {
      const Json run = entry(exact, exact, "", summary);
      result["exact"] = {{"value", run["value"]}, {"seconds", run["seconds"]}};
    }
  }
  if (!result["exact"].is_null()) add_fractions(runs, result["exact"]["value"]);
  if (comparison.problem == "cca" && !comparison.folder.empty() && !result["exact"].is_null())
    for (auto& run : runs)
      if (!run["failed"] && run["iterations"] != 0) {
        begin(run["name"].get<std::string>() + ", its curve");
        run["curve"] = run_curve(comparison, run["method"], run["passes"]);
      }
  for (const auto& run : runs)
    if (!run["failed"]) result["measure"] = measure(run["summary"]);
  result["runs"] = std::move(runs);
  return result;
}

void print_comparison(const Json& result) {
  const Json& runs = result["runs"];
  const bool fractions = !result["exact"].is_null();
  const bool passes = result["problem"] != "gevp";
  const bool held_out = std::any_of(
      runs.begin(), runs.end(), [](const Json& run) { return run.contains("held_out_total_correlation"); });
  std::size_t width = 6;
  for (const auto& run : runs) width = std::max(width, run["name"].get<std::string>().size());
  const std::string title = heading(result["measure"]);

  std::string head = fmt::format("{:<{}}  {:>{}}", "", width, title, std::max<std::size_t>(title.size(), 10));
  if (fractions) head += fmt::format("  {:>8}", "of exact");
  if (held_out) head += fmt::format("  {:>8}", "held out");
  head += fmt::format("  {:>10}  {:>{}}  {:>7}  {:>7}", "infeasible", passes ? "passes" : "iterations",
                      passes ? 6 : 10, "seconds", "memory");
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
    if (held_out) fmt::print("  {:>8}", cell(run, "held_out_total_correlation", fixed));
    fmt::print("  {:>10.1e}  {:>{}}  {:>7.2f}  {:>7}\n", run["infeasibility"].get<double>(),
               cell(run, passes ? "passes" : "iterations", short_number), passes ? 6 : 10,
               run["seconds"].get<double>(), memory_text(run["peak_memory_bytes"]));
  }
}

}  // namespace landfall::app
