#include "report/trust_sections.hpp"

#include <landfall/models/ica/stability.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/report_parts.hpp"
#include "report/validation_page.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

constexpr Index kShownComponents = 4;  // with a chart for each view
constexpr Index kCirclePoints = 40;    // columns of a view in the circle

bool has_numbers(const Json& summary, const char* key) {
  return summary.contains(key) && !summary.at(key).is_null();
}

/// The number at a place of a list in the summary; null where there is none.
Json number_at(const Json& list, std::size_t j) {
  return j < list.size() ? list[j] : Json();
}

std::vector<std::string> names_of_view(const RunReport& run, std::size_t view) {
  if (!run.rows.contains("columns")) return {};
  return run.rows.at("columns").at(view).get<std::vector<std::string>>();
}

std::string column_label(const std::vector<std::string>& names, Index j) {
  const auto at = static_cast<std::size_t>(j);
  return at < names.size() ? names[at] : fmt::format("column {}", j + 1);
}

/// Columns of a list per view, or of the one list.
const Json& of_view(const RunReport& run, const char* key, std::size_t view) {
  const Json& all = run.summary.at(key);
  return run.loadings.size() > 1 ? all.at(view) : all;
}

/// Points in the unit circle: loadings on the first two components, those of the largest columns of each view.
Json circle_chart(const RunReport& run) {
  Json chart{{"kind", "circle"},
             {"title", "Correlation circle"},
             {"x_label", fmt::format("{} 1", run.problem.component)},
             {"y_label", fmt::format("{} 2", run.problem.component)},
             {"series", Json::array()}};
  for (std::size_t v = 0; v < run.loadings.size(); ++v) {
    const Matrix<double>& loadings = run.loadings[v];
    std::vector<Index> order(static_cast<std::size_t>(loadings.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    const Vector<double> length = loadings.leftCols(2).rowwise().norm();
    std::ranges::stable_sort(order, [&](Index a, Index b) { return length(a) > length(b); });
    order.resize(std::min(order.size(), static_cast<std::size_t>(kCirclePoints)));
    const auto names = names_of_view(run, v);
    Json series{{"name", run.problem.views[v].name.empty() ? "columns" : run.problem.views[v].name},
                {"names", Json::array()},
                {"x", Json::array()},
                {"y", Json::array()}};
    for (const Index j : order) {
      series["names"].push_back(column_label(names, j));
      series["x"].push_back(rounded(loadings(j, 0)));
      series["y"].push_back(rounded(loadings(j, 1)));
    }
    chart["series"].push_back(std::move(series));
  }
  chart["label"] = fmt::format("Loadings of columns on the first two components, within the unit circle.");
  return chart;
}

Json share_table(const RunReport& run) {
  const bool crossed = has_numbers(run.summary, "redundancy");
  Json table{{"columns", {run.problem.component}}, {"rows", Json::array()}};
  for (std::size_t v = 0; v < run.loadings.size(); ++v) {
    const std::string_view name = run.problem.views[v].name;
    const std::string of = name.empty() ? "" : fmt::format("{} ", name);
    table["columns"].push_back(fmt::format("{}variance, %", of));
    if (crossed) table["columns"].push_back(fmt::format("{}redundancy, %", of));
  }
  for (Index k = 0; k < run.loadings[0].cols(); ++k) {
    Json row = Json::array({k + 1});
    for (std::size_t v = 0; v < run.loadings.size(); ++v)
      for (const char* key : {"variance_explained", "redundancy"})
        if (has_numbers(run.summary, key)) {
          const Json value = number_at(of_view(run, key, v), static_cast<std::size_t>(k));
          row.push_back(value.is_null() ? Json() : rounded(100 * value.get<double>()));
        }
    table["rows"].push_back(std::move(row));
  }
  return table;
}

}  // namespace

Json trust_section(const RunReport& run) {
  const Json& summary = run.summary;
  const bool validated = has_numbers(summary, "cross_validated_correlations"),
             wilks = has_numbers(summary, "wilks"), permuted = has_numbers(summary, "permutation_p"),
             intervals = has_numbers(summary, "bootstrap");
  if (!validated && !wilks && !permuted && !intervals) return {};
  Json section{{"heading", "How far to trust it"}, {"text", Json::array()}};
  Json table{{"columns", {run.problem.component, "correlation"}}, {"rows", Json::array()}};
  const auto column = [&](const std::string& name) { table["columns"].push_back(name); };
  if (validated) {
    section["text"].push_back(
        fmt::format("Cross-validated: weights found in {} of {} folds of the rows, tested on the rest.",
                    summary.at("folds").get<int>() - 1, summary.at("folds").get<int>()));
    column("cross-validated");
    column("± error");
  }
  if (intervals) {
    column(fmt::format("{:g} % from", 100 * summary.at("bootstrap").at("level").get<double>()));
    column("to");
    section["text"].push_back(fmt::format("Intervals: {} bootstrap resamples of the rows.",
                                          summary.at("bootstrap").at("resamples").get<int>()));
  }
  if (wilks) {
    for (const char* name : {"Wilks' λ", "F", "p (Wilks)"}) column(name);
    section["text"].push_back(
        "Wilks' test, for normal rows (Rao's F): the probability of correlations like these from this pair "
        "on where the views are "
        "unrelated beyond the pairs before it.");
  }
  if (permuted) {
    column("p (permuted)");
    section["text"].push_back(
        fmt::format("Permutations: the same for rows of any distribution, by {} random pairings of the rows.",
                    summary.at("permutations").get<int>()));
  }
  for (std::size_t j = 0; j < summary.at("correlations").size(); ++j) {
    Json row = Json::array({j + 1, summary.at("correlations").at(j)});
    if (validated) {
      row.push_back(number_at(summary.at("cross_validated_correlations"), j));
      row.push_back(number_at(summary.at("cross_validated_errors"), j));
    }
    if (intervals)
      for (const char* key : {"correlations_lower", "correlations_upper"})
        row.push_back(number_at(summary.at("bootstrap").at(key), j));
    if (wilks)
      for (const char* key : {"lambda", "f", "f_p"})
        row.push_back(number_at(summary.at("wilks"), j).value(key, Json()));
    if (permuted) row.push_back(number_at(summary.at("permutation_p"), j));
    table["rows"].push_back(std::move(row));
  }
  section["table"] = std::move(table);
  return section;
}

Json stability_section(const RunReport& run) {
  if (!has_numbers(run.summary, "stability")) return {};
  const Json& stability = run.summary.at("stability");
  const Index runs = stability.at("runs");
  const std::size_t unstable =
      static_cast<std::size_t>(std::ranges::count(stability.at("stable"), Json(false)));
  Json section{{"heading", "How far to trust it"}};
  section["text"] = {
      fmt::format("The sources of {} runs from different starts and on different halves of the rows, "
                  "clustered by their "
                  "correlations as ICASSO does. Iq is the mean "
                  "similarity within the cluster of a source less that to other clusters: "
                  "near 1 where every run finds the "
                  "source, low where it depends on start and rows.",
                  runs),
      unstable == 0
          ? std::string("All sources are stable.")
          : fmt::format("{} of {} sources are not stable: their Iq is below {:g}, or fewer than {:g} % of "
                        "the runs find them.",
                        unstable, stability.at("stable").size(), kStableQuality, 100 * kStableShare)};
  section["charts"] = {bar_chart("Iq: how stable", std::string(run.problem.component),
                                 {{"Iq", stability.at("quality").get<std::vector<double>>()}})};
  Json table{{"columns", {run.problem.component, "Iq", "runs", "estimates", "stable"}},
             {"rows", Json::array()}};
  for (std::size_t j = 0; j < stability.at("quality").size(); ++j) {
    const Json& cluster = stability.at("clusters").at(stability.at("cluster").at(j).get<std::size_t>());
    table["rows"].push_back({j + 1, cluster.at("quality"), cluster.at("runs"), cluster.at("size"),
                             cluster.at("stable").get<bool>() ? "yes" : "no"});
  }
  section["table"] = std::move(table);
  return section;
}

Json component_choice_section(const RunReport& run) {
  if (!has_numbers(run.summary, "component_choice")) return {};
  Json section = choice_section(run.summary.at("component_choice"));
  section["heading"] = "Number of components";
  return section;
}

Json loadings_section(const RunReport& run) {
  if (run.loadings.empty() || run.loadings[0].size() == 0) return {};
  const Index components = run.loadings[0].cols(), shown = std::min(components, kShownComponents);
  Json section{{"heading", "Loadings"}, {"charts", Json::array()}};
  section["text"] = {fmt::format(
      "Correlations of the columns with the scores: what each {} is made of. The largest of each{}.",
      run.problem.component,
      shown < components ? fmt::format(", the first {} of {}", shown, components) : "")};
  if (has_numbers(run.summary, "redundancy"))
    section["text"].push_back(
        "Variance: the share of the columns' variance that the score of their own view has. Redundancy: that "
        "of the other view's score.");
  for (Index k = 0; k < shown; ++k)
    for (std::size_t v = 0; v < run.loadings.size(); ++v) {
      const std::string_view view = run.problem.views[v].name;
      Json chart = largest_chart(
          fmt::format("{} {}{}{}", run.problem.component, k + 1, view.empty() ? "" : ", ", view),
          run.loadings[v].col(k), names_of_view(run, v));
      chart["label"] = fmt::format("The largest loadings of {} {}", run.problem.component, k + 1);
      chart["most"] = 1;
      section["charts"].push_back(std::move(chart));
    }
  if (components > 1) {
    section["charts"].push_back(circle_chart(run));
    section["charts"].back()["wide"] = true;
  }
  if (has_numbers(run.summary, "variance_explained")) section["table"] = share_table(run);
  return section;
}

}  // namespace landfall::app
