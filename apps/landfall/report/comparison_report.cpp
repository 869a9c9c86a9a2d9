#include "report/comparison_report.hpp"

#include <landfall/errors.hpp>
#include <landfall/models/fit/plan.hpp>

#include <algorithm>
#include <functional>

#include "problems/problems.hpp"
#include "report/report_parts.hpp"
#include "terminal/command_line.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

bool failed(const Json& run) {
  return run.at("failed");
}

std::string fixed(const Json& run, const char* key, int digits) {
  if (!run.contains(key) || run.at(key).is_null()) return "";
  return fmt::format("{:.{}f}", run.at(key).get<double>(), digits);
}

/// "total_correlation" as words.
std::string spaced(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

/// Runs in one process do not tell the memory of each.
bool one_process(const Json& result) {
  return result.value("one_process", false);
}

Json table(const ProblemEntry& problem, const Json& result) {
  const std::string effort(problem.effort);
  const bool memory = !one_process(result);
  Json table{{"columns",
              {"method", result.at("measure").is_null() ? "" : spaced(result.at("measure")), "of exact",
               "infeasibility", effort, "seconds"}},
             {"rows", Json::array()}};
  if (memory) table["columns"].push_back("peak memory");
  for (const auto& run : result.at("runs")) {
    Json row{run.at("name"), "failed", "", "", "", ""};
    if (!failed(run))
      row = {run.at("name"),
             fixed(run, "value", 6),
             fixed(run, "fraction", 6),
             fmt::format("{:.1e}", run.at("infeasibility").get<double>()),
             run.at(effort),
             fixed(run, "seconds", 2)};
    if (memory) row.push_back(failed(run) ? "" : memory_text(run.at("peak_memory_bytes")));
    table["rows"].push_back(std::move(row));
  }
  return table;
}

/// A bar for each run that went well.
Json bars(const Json& result, const std::string& title, const std::function<double(const Json&)>& value) {
  Json chart{{"kind", "names"}, {"title", title}, {"names", Json::array()}, {"values", Json::array()}};
  std::vector<std::string> told;
  for (const auto& run : result.at("runs")) {
    if (failed(run)) continue;
    chart["names"].push_back(run.at("name"));
    chart["values"].push_back(rounded(value(run)));
    told.push_back(fmt::format("{} {:.3g}", run.at("name").get<std::string>(), value(run)));
  }
  chart["label"] = fmt::format("{}: {}.", title, fmt::join(told, ", "));
  return chart;
}

Json cost_charts(const Json& result) {
  Json charts = Json::array();
  charts.push_back(bars(result, "Seconds, without the evaluation",
                        [](const Json& run) { return run.at("seconds").get<double>(); }));
  if (!one_process(result))
    charts.push_back(bars(result, "Peak memory, MiB", [](const Json& run) {
      return run.at("peak_memory_bytes").get<double>() / (1 << 20);
    }));
  return charts;
}

Json convergence(const std::filesystem::path& folder, const Json& result) {
  std::vector<NamedHistory> runs;
  for (const auto& run : result.at("runs")) {
    if (failed(run)) continue;
    const std::filesystem::path name = run.at("folder").get<std::string>();
    if (name != name.filename() || name == "..") throw Json::out_of_range::create(401, "a folder elsewhere", &run);
    History history = read_history(folder / name / "history.csv");
    if (!history.empty()) runs.push_back({run.at("name"), std::move(history)});
  }
  return runs.empty() ? Json::array() : convergence_charts(runs);
}

/// What is missing to the exact optimum on all rows, and the infeasibility there, by passes and by seconds.
Json curves(const Json& result) {
  Json charts = Json::array();
  const auto chart = [&](const std::string& title, const char* x,
                         const std::function<double(const Json&)>& y) {
    Json one{{"kind", "line"},
             {"title", fmt::format("{}, by {}", title, x)},
             {"label", fmt::format("{} of each method on all rows, by {}.", title, x)},
             {"x_label", x},
             {"log_y", true},
             {"series", Json::array()}};
    for (const auto& run : result.at("runs")) {
      if (failed(run) || !run.contains("curve") || run.at("curve").size() < 2) continue;
      Json series{{"name", run.at("name")}, {"x", Json::array()}, {"y", Json::array()}};
      for (const auto& at : run.at("curve")) {
        series["x"].push_back(rounded(at.at(x).get<double>()));
        series["y"].push_back(y(at) > 0 ? Json(rounded(y(at))) : Json());
      }
      one["series"].push_back(std::move(series));
    }
    if (!one["series"].empty()) charts.push_back(std::move(one));
  };
  if (result.at("exact").is_null()) return charts;
  const double optimum = result.at("exact").at("value");
  for (const char* x : {"passes", "seconds"}) {
    chart("Gap to exact", x,
          [&](const Json& at) { return 1 - at.at("regularized_total").get<double>() / optimum; });
    chart("Infeasibility", x, [](const Json& at) { return at.at("infeasibility").get<double>(); });
  }
  return charts;
}

}  // namespace

namespace {

[[noreturn]] void refuse_comparison(const std::filesystem::path& folder) {
  throw DataError(fmt::format("{}: not a file that landfall wrote", (folder / kComparison).string()));
}

}  // namespace

bool is_comparison(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / kComparison, ignored);
}

Json comparison_json(const std::filesystem::path& folder) try {
  const Json result = read_json(folder / kComparison);
  const ProblemEntry& problem = find_problem(result.at("problem").get<std::string>());
  std::vector<std::string> words{fmt::format(
      "{}; times exclude the evaluation on all rows. Its own report is in the folder of the same name next "
      "to this file.",
      one_process(result) ? "Each run followed the one before in the same process"
                          : "Each run was a separate process")};
  if (!result.at("exact").is_null())
    words.push_back(
        fmt::format("The exact optimum is {:.6f}.", result.at("exact").at("value").get<double>()));
  Json sections = Json::array();
  sections.push_back({{"heading", "Methods"}, {"text", words}, {"table", table(problem, result)}});
  sections.push_back({{"heading", "Cost"}, {"charts", cost_charts(result)}});
  if (Json charts = curves(result); !charts.empty())
    sections.push_back(
        {{"heading", "Convergence"},
         {"text",
          "Evaluated on all rows: the missing fraction of the exact total, and the infeasibility. "
          "Times exclude this evaluation."},
         {"charts", std::move(charts)}});
  else if (charts = convergence(folder, result); !charts.empty())
    sections.push_back({{"heading", "Convergence"},
                        {"text", "What each method estimated from its batches at each step."},
                        {"charts", std::move(charts)}});
  if (result.contains("command"))
    sections.push_back({{"heading", "How to reproduce it"}, {"code", shell_text(result.at("command"))}});
  return {{"title", fmt::format("Comparison: {}", problem.subject)}, {"sections", std::move(sections)}};
} catch (const Json::exception&) {
  refuse_comparison(folder);
} catch (const UsageError&) {  // of find_problem()
  refuse_comparison(folder);
}

void write_comparison_report(const std::filesystem::path& folder) {
  write_page(folder / "report.html", comparison_json(folder));
}

}  // namespace landfall::app
