#include "report/report_data.hpp"

#include <landfall/data/formats/npy.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/fit/plan.hpp>

#include <fstream>
#include <optional>

#include "report/report_parts.hpp"
#include "terminal/command_line.hpp"
#include "terminal/table.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

namespace fs = std::filesystem;

constexpr Index kMostShown = 4;      // components by their largest weights, for each view
constexpr Index kMostPictures = 24;  // components as pictures

/// A run as its folder has it.
struct Run {
  fs::path folder;
  Json summary;
  Json extra = Json::object();  // report.json

  std::string problem() const { return summary.at("problem"); }
  bool has(const char* key) const { return summary.contains(key) && !summary.at(key).is_null(); }
};

Json read_json(const fs::path& path) {
  std::ifstream text(path);
  return Json::parse(text);
}

Run open_run(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) throw DataError(fmt::format("{}: no such folder", folder.string()));
  if (!fs::exists(folder / "summary.json", error))
    throw DataError(
        fmt::format("{}: no summary.json in it, expected a folder that --out has made", folder.string()));
  Run run{.folder = folder, .summary = read_json(folder / "summary.json")};
  if (fs::exists(folder / "report.json", error)) run.extra = read_json(folder / "report.json");
  return run;
}

/// A view of the data: what its weights are called and where they are.
struct Weights {
  std::string name;       // "left"; empty where there is one view
  std::string component;  // "pair", "source"
  Matrix<double> values;  // a column for each component
  std::vector<std::string> names{};
};

std::vector<Weights> read_weights(const Run& run) {
  std::vector<Weights> views;
  const auto read = [&](const char* name, const char* file, const char* component) {
    views.push_back({.name = name, .component = component, .values = read_npy<double>(run.folder / file)});
  };
  if (run.problem() == "cca") {
    read("left", "weights_left.npy", "pair");
    read("right", "weights_right.npy", "pair");
  } else if (run.problem() == "ica") {
    read("", "unmixing.npy", "source");
    views[0].values.transposeInPlace();
  } else if (run.problem() == "lda") {
    read("", "weights.npy", "direction");
  } else {
    read("", "eigenvectors.npy", "eigenvector");
  }
  if (run.extra.contains("columns"))
    for (std::size_t v = 0; v < views.size(); ++v) views[v].names = run.extra.at("columns").at(v);
  return views;
}

Json pictures(const Run& run, const std::vector<Weights>& views) {
  const Index height = run.extra.at("image").at(0), width = run.extra.at("image").at(1);
  Json images{{"height", height}, {"width", width}, {"pictures", Json::array()}};
  for (Index j = 0; j < std::min(views[0].values.cols(), kMostPictures); ++j) {
    Json parts = Json::array();
    for (const auto& view : views) {
      const auto column = view.values.col(j);
      Json values = rounded(std::vector<double>(column.begin(), column.end()));
      parts.push_back({{"name", view.name}, {"values", std::move(values)}});
    }
    images["pictures"].push_back(
        {{"name", fmt::format("{} {}", views[0].component, j + 1)}, {"parts", std::move(parts)}});
  }
  return images;
}

Json weights_section(const Run& run) {
  const auto views = read_weights(run);
  const Index components = views[0].values.cols(), shown = std::min(components, kMostShown);
  const bool eigenvectors = run.problem() == "gevp";
  Json section{{"heading", eigenvectors ? "Eigenvectors" : "Weights"}};
  if (run.extra.contains("image")) {
    section["text"] = views.size() == 2
                          ? "One picture for each pair: the weights of the left view beside those of the "
                            "right one, on the scale of the largest of both."
                          : "One picture for each, on the scale of its largest weight.";
    if (components > kMostPictures)
      section["text"] =
          Json::array({section["text"], fmt::format("The first {} of {}.", kMostPictures, components)});
    section["images"] = pictures(run, views);
    return section;
  }
  section["text"] =
      fmt::format("The largest {} of each {}{}.", eigenvectors ? "entries" : "weights", views[0].component,
                  shown < components ? fmt::format(", the first {} of {}", shown, components) : "");
  for (Index j = 0; j < shown; ++j)
    for (const auto& view : views) {
      const std::string side = view.name.empty() ? "" : ", " + view.name;
      section["charts"].push_back(
          largest_chart(fmt::format("{} {}{}", view.component, j + 1, side), view.values.col(j), view.names));
    }
  return section;
}

/// Scores of the sampled rows: view, component.
struct Sample {
  std::vector<std::vector<std::vector<double>>> scores;
  Points points;  // rows, labels and classes
};

std::optional<Sample> read_sample(const Run& run) {
  const Json* json = run.extra.contains("sample") ? &run.extra.at("sample") : nullptr;
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

Json scores_section(const Run& run, const Sample& sample) {
  const std::size_t count = sample.points.rows.size();
  const std::string rows = counted(count, "row");
  const auto& first = sample.scores[0];
  Json section;
  if (run.problem() == "cca") {
    section["heading"] = "Canonical variates";
    section["text"] =
        fmt::format("The scores of {}{}.", rows, sample.points.labels.empty() ? "" : ", coloured by label");
    section["charts"].push_back(scatter(sample, "First pair: left against right", {"left 1", first[0]},
                                        {"right 1", sample.scores[1][0]}));
    if (first.size() > 1)
      section["charts"].push_back(
          scatter(sample, "Left view: first against second", {"left 1", first[0]}, {"left 2", first[1]}));
  } else if (run.problem() == "lda") {
    section["heading"] = "Rows in the first directions";
    section["text"] = fmt::format("The scores of {}, coloured by class.", rows);
    section["charts"].push_back(first.size() > 1
                                    ? scatter(sample, "First against second direction",
                                              {"direction 1", first[0]}, {"direction 2", first[1]})
                                    : scatter(sample, "The direction, by row", {"direction 1", first[0]},
                                              {"row", sample.points.rows}));
  } else {
    section["heading"] = "Sources";
    const Index all = run.summary.at("components");
    section["text"] = fmt::format(
        "The first {} of the data as sources{}. Drag over a trace to look closer, double-click to go back.",
        rows,
        static_cast<std::size_t>(all) > first.size() ? fmt::format(", {} of {}", first.size(), all) : "");
    for (std::size_t j = 0; j < first.size(); ++j)
      section["charts"].push_back(
          {{"kind", "trace"},
           {"title", fmt::format("source {}", j + 1)},
           {"label", fmt::format("Source {} over {}, a line about 0.", j + 1, rows)},
           {"wide", true},
           {"sync", "sources"},
           {"x_label", j + 1 == first.size() ? Json("row") : Json()},
           {"x", sample.points.rows},
           {"series",
            {{{"name", fmt::format("source {}", j + 1)}, {"colour", 0}, {"y", rounded(first[j])}}}}});
  }
  if (section["charts"].size() == 1 && section["charts"][0]["kind"] == "scatter")
    section["charts"][0]["wide"] = true;
  return section;
}

Json fact(const std::string& name, Json value) {
  return {{"name", name}, {"value", std::move(value)}};
}

std::vector<double> values(const Run& run, const char* key) {
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
  const auto if_there = [&](const char* name, const char* key, bool share = false) {
    if (!run.has(key)) return;
    const Json& value = run.summary.at(key);
    facts.push_back(fact(name, share ? Json(percent(value)) : value));
  };
  std::vector<Bars> bars;
  if (run.problem() == "cca") {
    if_there("total correlation", "total_correlation");
    if_there("held out", "held_out_total_correlation");
    bars.push_back({"correlation", values(run, "correlations")});
    if (run.has("held_out_correlations")) {
      bars[0].name = "training rows";
      bars.push_back({"held-out rows", values(run, "held_out_correlations")});
    }
    section["charts"].push_back(bar_chart("Canonical correlations", "pair", bars));
  } else if (run.problem() == "ica") {
    if_there("sources", "components");
    if_there("Amari distance", "amari");
    section["charts"].push_back(bar_chart("Negentropy: how far from Gaussian", "source",
                                          {{"negentropy", values(run, "negentropy")}}));
  } else if (run.problem() == "lda") {
    if_there("accuracy, training", "training_accuracy", true);
    if_there("accuracy, held out", "held_out_accuracy", true);
    section["charts"].push_back(
        bar_chart("Eigenvalues", "direction", {{"eigenvalue", values(run, "eigenvalues")}}));
  } else {
    if_there("largest residual", "stationarity");
    bars.push_back({"eigenvalue", values(run, "eigenvalues")});
    if (run.has("known")) bars.push_back({"known", values(run, "known")});
    section["charts"].push_back(bar_chart("Eigenvalues", "eigenpair", bars));
  }
  if_there("rows", "samples");
  facts.push_back(fact(run.problem() == "gevp" ? "size" : "columns", features(run)));
  facts.push_back(fact("time", time_text(run.summary.at("seconds").at("total"))));
  facts.push_back(fact("memory at most", memory_text(run.summary.at("peak_memory_bytes"))));
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
  for (const char* key : {"termination", "passes", "iterations", "batch", "estimator", "contrast", "ridge",
                          "infeasibility", "stationarity"})
    if (run.has(key)) add(key, summary.at(key));
  if (run.has("landing"))
    for (const auto& [key, value] : summary.at("landing").items()) add(words(key), value);
  return section;
}

Json reproduce_section(const Run& run) {
  Json section{{"heading", "How to reproduce it"}};
  if (run.has("command")) section["code"] = shell_text(run.summary.at("command"));
  section["facts"] = {fact("landfall", run.summary.at("version")), fact("seed", run.summary.at("seed")),
                      fact("threads", run.summary.at("threads")),
                      fact("precision", run.summary.at("precision"))};
  return section;
}

std::string title(const std::string& problem) {
  if (problem == "cca") return "Canonical correlations";
  if (problem == "ica") return "Independent components";
  if (problem == "lda") return "Discriminants";
  return "Generalized eigenvalues";
}

Json page(const Run& run) {
  Json page{{"title", title(run.problem())}};
  if (run.has("data"))
    page["subtitle"] =
        fmt::format("of {}", fmt::join(run.summary.at("data").get<std::vector<std::string>>(), " and "));
  Json& sections = page["sections"];
  sections.push_back(result_section(run));
  if (const auto sample = read_sample(run)) sections.push_back(scores_section(run, *sample));
  sections.push_back(weights_section(run));
  Json charts = convergence_charts({{run.summary.at("method"), read_history(run.folder / "history.csv")}});
  if (!charts.empty())
    sections.push_back(
        {{"heading", "Convergence"},
         {"text", run.problem() == "gevp" ? "After each iteration."
                                          : "After each step, as its batch and those before tell it."},
         {"charts", std::move(charts)}});
  sections.push_back(plan_section(run));
  sections.push_back(reproduce_section(run));
  page["footer"] = fmt::format("Landfall {}. This page needs nothing but itself.",
                               run.summary.at("version").get<std::string>());
  return page;
}

}  // namespace

void write_report(const fs::path& folder) {
  try {
    write_page(folder / "report.html", page(open_run(folder)));
  } catch (const Json::exception&) {
    throw DataError(
        fmt::format("{}: summary.json or report.json is not what landfall writes of a run", folder.string()));
  }
}

}  // namespace landfall::app
