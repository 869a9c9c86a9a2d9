#include "report/report_parts.hpp"

#include <landfall/data/formats/csv_source.hpp>
#include <landfall/report/report.hpp>
#include <landfall/run/run_folder.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>

#include "report/figure_svg.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

/// Numbers of the lines of a history that are shown.
std::vector<std::size_t> thinned(std::size_t count) {
  constexpr std::size_t kFirst = 100, kRest = 1400;
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < std::min(count, kFirst); ++i) lines.push_back(i);
  if (count <= kFirst) return lines;
  const std::size_t rest = count - kFirst, shown = std::min(rest, kRest);
  for (std::size_t i = 1; i <= shown; ++i) lines.push_back(kFirst + i * rest / shown - 1);
  return lines;
}

/// One chart of a quantity of all runs that have it; null where none has, or it is always 0. An objective may have
/// any sign, so that its log axis is that of the effort.
Json history_chart(const std::vector<NamedHistory>& runs, const std::string& quantity,
                   const std::string& along, const std::string& title) {
  Json chart{{"kind", "line"}, {"title", fmt::format("{}, by {}", title, along)}};
  Json series = Json::array();
  std::vector<std::string> ends;
  bool seen = false;
  for (const auto& [name, history] : runs) {
    if (!history.contains(quantity) || !history.contains(along)) continue;
    const std::vector<double>& y = history.at(quantity);
    if (y.empty()) continue;
    seen = seen || std::any_of(y.begin(), y.end(), [](double value) { return value != 0; });
    ends.push_back(fmt::format("{} ends at {:.3g}", name, y.back()));
    series.push_back({{"name", name}, {"x", rounded(history.at(along))}, {"y", rounded(y)}});
  }
  if (!seen) return {};
  chart["label"] = fmt::format("{} against {} on a log axis: {}.", title, along, fmt::join(ends, ", "));
  chart["x_label"] = along;
  chart[quantity == "objective" ? "log_x" : "log_y"] = true;
  chart["series"] = std::move(series);
  return chart;
}

}  // namespace

void write_page(const std::filesystem::path& path, Json page) {
  for (auto& section : page.at("sections"))
    if (section.contains("charts"))
      for (auto& chart : section.at("charts")) chart["svg"] = figure_svg(chart);
  write_text(path, report_page(page.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

Json rounded(double value) {
  // Not std::stod(), which throws for numbers below the normal ones.
  return std::isfinite(value) ? Json(std::strtod(fmt::format("{:.8g}", value).c_str(), nullptr)) : Json();
}

Json rounded(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value));
  return list;
}

History shown_history(const HistoryTable& table) {
  History history;
  const auto lines = thinned(static_cast<std::size_t>(table.rows.rows()));
  for (std::size_t j = 0; j < table.names.size(); ++j) {
    auto& column = history[table.names[j]];
    for (const std::size_t i : lines)
      column.push_back(table.rows(static_cast<Index>(i), static_cast<Index>(j)));
  }
  return history;
}

History read_history(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  CsvSource<double> source(path, {.header = CsvHeader::present});
  HistoryTable table{source.column_names(), Matrix<double>(0, source.cols())};
  Batch<double> batch;
  while (source.read(4096, batch) > 0) {
    table.rows.conservativeResize(table.rows.rows() + batch.rows(), Eigen::NoChange);
    table.rows.bottomRows(batch.rows()) = batch.dense().transpose();
  }
  return shown_history(table);
}

Json convergence_charts(const std::vector<NamedHistory>& runs) {
  const auto has = [&](const char* column) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const auto& run) { return run.history.contains(column); });
  };
  const std::string effort = has("passes") ? "passes" : "iteration";
  Json charts = Json::array();
  const auto add = [&](const char* quantity, const char* title) {
    for (const std::string& along : {effort, std::string("seconds")}) {
      Json chart = history_chart(runs, quantity, along, title);
      if (!chart.is_null()) charts.push_back(std::move(chart));
    }
  };
  add("objective", "Objective");
  add("residual", "Residual");
  add("infeasibility", "Infeasibility");
  return charts;
}

Json bar_chart(const std::string& title, const std::string& what, const std::vector<Bars>& series) {
  Json chart{{"kind", "bar"}, {"title", title}, {"wide", true}, {"x_label", what}};
  std::size_t count = 0;
  std::vector<std::string> sentences;
  for (const auto& [name, values] : series) {
    count = std::max(count, values.size());
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), 8); ++i)
      shown.push_back(fmt::format("{:.4g}", values[i]));
    sentences.push_back(
        fmt::format("{} {}{}", name, fmt::join(shown, ", "), values.size() > 8 ? " and so on" : ""));
    chart["series"].push_back({{"name", name}, {"y", rounded(values)}});
    if (series.size() == 2 && &values == &series[1].values) {
      chart["series"].back()["colour"] = 0;
      chart["series"].back()["faint"] = true;
    }
  }
  chart["label"] = fmt::format("{} as bars: {}.", title, fmt::join(sentences, "; "));
  for (std::size_t i = 1; i <= count; ++i) chart["x"].push_back(fmt::to_string(i));
  return chart;
}

Json scatter_chart(const std::string& title, const std::string& x_label, const std::string& y_label,
                   const Points& points) {
  constexpr std::size_t kColours = 10, kOthers = kColours;
  std::vector<std::size_t> sizes(points.classes.size(), 0);
  for (const std::size_t label : points.labels) ++sizes.at(label);
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  std::set<std::size_t> own(order.begin(),
                            order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), kColours)));
  if (order.size() > kColours) own.erase(order[kColours - 1]);  // the last colour is for the others

  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;  // names, points
  if (points.labels.empty()) {
    groups.emplace_back("rows", std::vector<std::size_t>(points.x.size()));
    std::iota(groups[0].second.begin(), groups[0].second.end(), std::size_t{0});
  } else {
    std::map<std::size_t, std::vector<std::size_t>> of;  // class, kOthers + all classes: the others
    for (std::size_t i = 0; i < points.labels.size(); ++i)
      of[own.contains(points.labels[i]) ? points.labels[i] : sizes.size() + kOthers].push_back(i);
    for (auto& [label, members] : of)
      groups.emplace_back(label < sizes.size() ? points.classes[label]
                                               : fmt::format("{} other classes", sizes.size() - own.size()),
                          std::move(members));
  }

  Json chart{{"kind", "scatter"}, {"title", title}, {"x_label", x_label}, {"y_label", y_label}};
  chart["label"] = fmt::format("{}: {} points{}.", title, points.x.size(),
                               groups.size() > 1 ? fmt::format(" of {} classes", sizes.size()) : "");
  for (const auto& [name, members] : groups) {
    std::vector<double> x, y, rows;
    for (const std::size_t i : members) {
      x.push_back(points.x[i]);
      y.push_back(points.y[i]);
      rows.push_back(points.rows[i]);
    }
    chart["series"].push_back(
        {{"name", name}, {"x", rounded(x)}, {"y", rounded(y)}, {"rows", rounded(rows)}});
  }
  return chart;
}

Json largest_chart(const std::string& title, const Vector<double>& weights,
                   const std::vector<std::string>& names) {
  std::vector<Index> order(static_cast<std::size_t>(weights.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto count = std::min<std::ptrdiff_t>(10, static_cast<std::ptrdiff_t>(order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](Index a, Index b) {
    const double left = std::abs(weights(a)), right = std::abs(weights(b));
    return left != right ? left > right : a < b;
  });
  Json chart{{"kind", "names"}, {"title", title}, {"label", fmt::format("The largest weights of {}", title)}};
  for (auto at = order.begin(); at != order.begin() + count; ++at) {
    const auto j = static_cast<std::size_t>(*at);
    chart["names"].push_back(j < names.size() ? names[j] : fmt::format("column {}", j + 1));
    chart["values"].push_back(rounded(weights(*at)));
  }
  return chart;
}

}  // namespace landfall::app
