#include "report/report_data.hpp"

#include <landfall/data/formats/npy.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/run/run_folder.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/figure_svg.hpp"
#include "report/report_parts.hpp"
#include "report/trust_sections.hpp"
#include "terminal/command_line.hpp"
#include "terminal/table.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

namespace fs = std::filesystem;

constexpr Index kMostShown = 4;           // components by their largest weights, for each view
constexpr Index kMostPictures = 24;       // components as pictures
constexpr std::size_t kMostChoices = 10;  // pairs to choose from in one chart

using Run = RunReport;

/// Whether the summary has a value for the key.
bool has(const Run& run, std::string_view key) {
  const auto at = run.summary.find(key);
  if (at == run.summary.end() || at->is_null()) return false;
  return !at->is_number_float() || std::isfinite(at->get<double>());
}

std::string_view component(const Run& run) {
  return run.problem.vector.empty() ? run.problem.component : run.problem.vector;
}

Json pictures(const Run& run) {
  const Index height = run.rows.at("image").at(0), width = run.rows.at("image").at(1);
  Json images{{"height", height}, {"width", width}, {"pictures", Json::array()}};
  for (Index j = 0; j < std::min(run.weights[0].cols(), kMostPictures); ++j) {
    Json parts = Json::array();
    for (std::size_t v = 0; v < run.weights.size(); ++v) {
      const auto column = run.weights[v].col(j);
      Json values = rounded(std::vector<double>(column.begin(), column.end()));
      parts.push_back({{"name", run.problem.views[v].name}, {"values", std::move(values)}});
    }
    images["pictures"].push_back(
        {{"name", fmt::format("{} {}", component(run), j + 1)}, {"parts", std::move(parts)}});
  }
  return images;
}

/// Weights of a component times the deviations of the columns.
Vector<double> in_deviations(const Run& run, std::size_t view, Index component) {
  Vector<double> weights = run.weights[view].col(component);
  const Json& deviations = run.rows.at("deviations").at(view);
  for (Index k = 0; k < weights.size(); ++k) {
    const Json& deviation = deviations.at(static_cast<std::size_t>(k));
    weights(k) *= deviation.is_null() ? 0 : deviation.get<double>();
  }
  return weights;
}

Json weights_section(const Run& run) {
  const Index components = run.weights[0].cols(), shown = std::min(components, kMostShown);
  Json section{{"heading", run.problem.weights_title}};
  if (run.rows.contains("image")) {
    section["text"] = run.weights.size() == 2
                          ? "One image for each pair: the weights of the left view next to those of the "
                            "right view, scaled by the largest of both."
                          : "One image for each, scaled by its largest weight.";
    if (components > kMostPictures)
      section["text"] =
          Json::array({section["text"], fmt::format("The first {} of {}.", kMostPictures, components)});
    section["images"] = pictures(run);
    return section;
  }
  const bool standardised =
      run.rows.contains("deviations") && run.rows.at("deviations").size() == run.weights.size();
  section["text"] = fmt::format(
      "The largest {} of each {}{}{}.", run.problem.weight, component(run),
      shown < components ? fmt::format(", the first {} of {}", shown, components) : "",
      standardised
          ? ", times the standard deviation of the column in the rows shown, so that units do not matter"
          : "");
  for (Index j = 0; j < shown; ++j)
    for (std::size_t v = 0; v < run.weights.size(); ++v) {
      const std::string_view view = run.problem.views[v].name;
      std::vector<std::string> names;
      if (run.rows.contains("columns")) names = run.rows.at("columns").at(v);
      section["charts"].push_back(largest_chart(
          fmt::format("{} {}{}{}", component(run), j + 1, view.empty() ? "" : ", ", view),
          standardised ? in_deviations(run, v, j) : Vector<double>(run.weights[v].col(j)), names));
    }
  return section;
}

/// Scores of the sampled rows: view, component. A score and a label for each row.
struct Sample {
  std::vector<std::vector<std::vector<double>>> scores;
  Points points;  // rows, labels and classes
};

std::optional<Sample> read_sample(const Run& run) {
  const Json* json = run.rows.contains("sample") ? &run.rows.at("sample") : nullptr;
  if (!json || !json->contains("views")) return std::nullopt;
  Sample sample;
  for (const auto& view : json->at("views")) {
    sample.scores.emplace_back();
    for (const auto& column : view) {
      sample.scores.back().emplace_back();
      for (const auto& value : column)
        sample.scores.back().back().push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                              : value.get<double>());
    }
  }
  for (const auto& row : json->at("rows")) sample.points.rows.push_back(row.get<double>() + 1);
  if (json->contains("labels")) {
    sample.points.labels = json->at("labels").get<std::vector<std::size_t>>();
    sample.points.classes = json->at("classes").get<std::vector<std::string>>();
  }
  const auto& scores = sample.scores;
  const auto& points = sample.points;
  const auto as_first = [&](const auto& view) { return !view.empty() && view.size() == scores[0].size(); };
  const auto complete = [&](const auto& column) { return column.size() == points.rows.size(); };
  if (scores.size() != run.problem.views.size() || !std::ranges::all_of(scores, as_first) ||
      !std::ranges::all_of(scores, [&](const auto& view) { return std::ranges::all_of(view, complete); }) ||
      !(points.labels.empty() || complete(points.labels)) ||
      std::ranges::any_of(points.labels, [&](std::size_t label) { return label >= points.classes.size(); }))
    throw Json::out_of_range::create(401, "the sample is not complete", json);
  return sample;
}

Json scatter(const Sample& sample, const std::string& title,
             const std::pair<std::string, std::vector<double>>& x,
             const std::pair<std::string, std::vector<double>>& y) {
  Points points = sample.points;
  points.x = x.second;
  points.y = y.second;
  return scatter_chart(title, x.first, y.first, points);
}

/// Charts of a chosen kind, with the sentence above them.
Json view_charts(const Run& run, const Sample& sample, const std::string& rows) {
  const auto& first = sample.scores[0];
  const auto name = [&](std::size_t view, int j) {
    return fmt::format("{} {}", run.problem.views[view].name, j);
  };
  Json section;
  section["text"] =
      fmt::format("The scores of {}{}.", rows, sample.points.labels.empty() ? "" : ", coloured by label");
  Json pairs =
      scatter(sample, "Left against right", {name(0, 1), first[0]}, {name(1, 1), sample.scores[1][0]});
  for (std::size_t j = 1; j < std::min(first.size(), kMostChoices); ++j) {
    if (j == 1)
      pairs["choices"].push_back({{"name", "pair 1"},
                                  {"x_label", name(0, 1)},
                                  {"y_label", name(1, 1)},
                                  {"series", pairs["series"]}});
    const int number = static_cast<int>(j) + 1;
    const Json other =
        scatter(sample, "", {name(0, number), first[j]}, {name(1, number), sample.scores[1][j]});
    pairs["choices"].push_back({{"name", fmt::format("pair {}", number)},
                                {"x_label", other["x_label"]},
                                {"y_label", other["y_label"]},
                                {"series", other["series"]}});
  }
  section["charts"].push_back(std::move(pairs));
  if (first.size() > 1)
    section["charts"].push_back(
        scatter(sample, "Left view: first against second", {name(0, 1), first[0]}, {name(0, 2), first[1]}));
  return section;
}

Json class_charts(const Run& run, const Sample& sample, const std::string& rows) {
  const auto& first = sample.scores[0];
  const std::string_view what = run.problem.component;
  const auto name = [&](int j) { return fmt::format("{} {}", what, j); };
  Json section;
  section["text"] = fmt::format("The scores of {}, coloured by class.", rows);
  section["charts"].push_back(first.size() > 1 ? scatter(sample, fmt::format("First against second {}", what),
                                                         {name(1), first[0]}, {name(2), first[1]})
                                               : scatter(sample, fmt::format("The {}, by row", what),
                                                         {name(1), first[0]}, {"row", sample.points.rows}));
  return section;
}

Json trace_charts(const Run& run, const Sample& sample, const std::string& rows) {
  const auto& first = sample.scores[0];
  const std::size_t all = run.summary.at("components");
  Json section;
  section["text"] = fmt::format(
      "The first {} of the data as sources{}. Drag over a trace to zoom in, double-click to zoom out.", rows,
      all > first.size() ? fmt::format(", {} of {}", first.size(), all) : "");
  for (std::size_t j = 0; j < first.size(); ++j)
    section["charts"].push_back(
        {{"kind", "trace"},
         {"title", fmt::format("source {}", j + 1)},
         {"label", fmt::format("Source {} over {}, centred at 0.", j + 1, rows)},
         {"wide", true},
         {"sync", "sources"},
         {"x_label", j + 1 == first.size() ? Json("row") : Json()},
         {"x", sample.points.rows},
         {"series", {{{"name", fmt::format("source {}", j + 1)}, {"colour", 0}, {"y", rounded(first[j])}}}}});
  return section;
}

/// Null where the report of the problem has none.
Json scores_section(const Run& run, const Sample& sample) {
  const std::string rows = counted(sample.points.rows.size(), "row");
  Json charts;
  switch (run.problem.scores) {
    case ScoreCharts::none:
      return {};
    case ScoreCharts::views:
      charts = view_charts(run, sample, rows);
      break;
    case ScoreCharts::classes:
      charts = class_charts(run, sample, rows);
      break;
    case ScoreCharts::traces:
      charts = trace_charts(run, sample, rows);
      break;
  }
  Json section{{"heading", run.problem.scores_title}};
  section.update(charts);
  if (section["charts"].size() == 1 && section["charts"][0]["kind"] == "scatter")
    section["charts"][0]["wide"] = true;
  return section;
}

Json fact(std::string_view name, Json value) {
  return {{"name", name}, {"value", std::move(value)}};
}

std::vector<double> values(const Run& run, std::string_view key) {
  std::vector<double> list;
  for (const auto& value : run.summary.at(key))
    list.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  return list;
}

std::string percent(const Json& value) {
  return fmt::format("{:.2f} %", 100 * value.get<double>());
}

/// "392 + 392"; a number of columns otherwise.
Json features(const Run& run) {
  const Json& all = run.summary.at("features");
  return all.is_array() ? Json(fmt::format("{} + {}", all.at(0).get<Index>(), all.at(1).get<Index>())) : all;
}

Json result_section(const Run& run) {
  Json section{{"heading", "Result"}, {"large", true}, {"facts", Json::array()}};
  Json& facts = section["facts"];
  const auto if_there = [&](const FactEntry& entry) {
    if (!has(run, entry.key)) return;
    const Json& value = run.summary.at(entry.key);
    facts.push_back(fact(entry.name, entry.percent ? Json(percent(value)) : value));
  };
  for (const FactEntry& entry : run.problem.facts) if_there(entry);
  std::vector<BarsEntry> shown;
  for (const BarsEntry& entry : run.problem.bars)
    if (has(run, entry.key)) shown.push_back(entry);
  std::vector<Bars> bars;
  for (const BarsEntry& entry : shown) {
    const bool beside = shown.size() > 1 && !entry.name_beside.empty();
    bars.push_back({std::string(beside ? entry.name_beside : entry.name), values(run, entry.key)});
  }
  section["charts"].push_back(
      bar_chart(std::string(run.problem.bars_title), std::string(run.problem.component), bars));
  if_there({"rows", "samples"});
  if_there({"weights of rows", "weights"});
  if_there({"sum of weights", "sum_of_weights"});
  facts.push_back(fact(run.problem.features, features(run)));
  facts.push_back(fact("time", time_text(run.summary.at("seconds").at("total"))));
  facts.push_back(fact("peak memory", memory_text(run.summary.at("peak_memory_bytes"))));
  return section;
}

std::string words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

Json plan_section(const Run& run) {
  const Json& summary = run.summary;
  Json section{{"heading", "Plan"}, {"facts", Json::array()}};
  section["text"] = fmt::format("Method {}: {}.", summary.at("method").get<std::string>(),
                                summary.at("reason").get<std::string>());
  Json& facts = section["facts"];
  const auto add = [&](const std::string& name, const Json& value) {
    if (value.is_null()) return;
    facts.push_back(fact(name, value.is_string() ? Json(words(value)) : value));
  };
  // A direct method has no steps, and its result no distance to a solution.
  const bool direct = summary.at("iterations") == 0;
  for (const char* key : {"termination", "passes", "iterations", "batch", "estimator", "contrast", "ridge",
                          "infeasibility", "stationarity"}) {
    const std::string_view name = key;
    if (direct &&
        (name == "termination" || name == "iterations" || name == "batch" || name == "stationarity"))
      continue;
    if (has(run, key)) add(key, summary.at(key));
  }
  if (has(run, "landing"))
    for (const auto& [key, value] : summary.at("landing").items()) add(words(key), value);
  return section;
}

Json reproduce_section(const Run& run) {
  Json section{{"heading", "How to reproduce it"}};
  if (has(run, "command")) section["code"] = shell_text(run.summary.at("command"));
  section["facts"] = {fact("landfall", run.summary.at("version")), fact("seed", run.summary.at("seed")),
                      fact("threads", run.summary.at("threads")),
                      fact("precision", run.summary.at("precision"))};
  return section;
}

Json page(const Run& run) {
  Json page{{"title", run.problem.title}};
  if (has(run, "data")) {
    auto files = run.summary.at("data").get<std::vector<std::string>>();
    files.erase(std::unique(files.begin(), files.end()), files.end());  // both views may be columns of one
    page["subtitle"] = fmt::format("of {}", fmt::join(files, " and "));
  }
  Json& sections = page["sections"];
  if (has(run, "warnings") && !run.summary.at("warnings").empty())
    sections.push_back({{"heading", "Warnings"}, {"text", run.summary.at("warnings")}});
  sections.push_back(result_section(run));
  for (Json section :
       {trust_section(run), stability_section(run), component_choice_section(run), loadings_section(run)})
    if (!section.is_null()) sections.push_back(std::move(section));
  if (const auto sample = read_sample(run))
    if (Json scores = scores_section(run, *sample); !scores.is_null()) sections.push_back(std::move(scores));
  sections.push_back(weights_section(run));
  Json charts = convergence_charts({{run.summary.at("method"), run.history}});
  if (!charts.empty())
    sections.push_back(
        {{"heading", "Convergence"}, {"text", run.problem.convergence}, {"charts", std::move(charts)}});
  sections.push_back(plan_section(run));
  sections.push_back(reproduce_section(run));
  page["footer"] =
      fmt::format("Landfall {}. This page is self-contained.", run.summary.at("version").get<std::string>());
  return page;
}

}  // namespace

namespace {

[[noreturn]] void refuse(const fs::path& folder) {
  throw DataError(
      fmt::format("{}: summary.json or report.json is not a file that landfall wrote", folder.string()));
}

const ProblemEntry& problem_of(const fs::path& folder, const Json& summary) {
  try {
    return find_problem(summary.at("problem").get<std::string>());
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: {}", summary_in(folder).string(), error.what()));
  }
}

}  // namespace

RunReport read_report(const fs::path& folder) try {
  Json summary = read_summary(folder);
  const ProblemEntry& problem = problem_of(folder, summary);
  RunReport report{.problem = problem, .summary = std::move(summary)};
  if (std::error_code error; fs::exists(folder / kReportRows, error))
    report.rows = read_json(folder / kReportRows);
  for (const ViewEntry& view : problem.views) {
    report.weights.push_back(read_npy<double>(folder / view.weights));
    if (view.transposed) report.weights.back().transposeInPlace();
    const fs::path loadings = folder / loadings_file(view);
    if (std::error_code error; fs::exists(loadings, error))
      report.loadings.push_back(read_npy<double>(loadings));
  }
  if (report.loadings.size() < report.weights.size()) report.loadings.clear();
  const Index components = report.weights[0].cols();
  for (const auto* views : {&report.weights, &report.loadings})
    for (const auto& view : *views)
      if (view.cols() != components)
        throw DataError(fmt::format("{}: {} and {} components, expected files of the same run",
                                    folder.string(), components, view.cols()));
  report.history = read_history(folder / "history.csv");
  return report;
} catch (const Json::exception&) {
  refuse(folder);
}

std::string loadings_file(const ViewEntry& view) {
  return view.name.empty() ? "loadings.npy" : fmt::format("loadings_{}.npy", view.name);
}

Json report_json(const RunReport& report) {
  return page(report);
}

void write_report(const fs::path& file, const RunReport& report) try {
  write_page(file, page(report));
} catch (const Json::exception&) {
  refuse(file.parent_path());
}

}  // namespace landfall::app
