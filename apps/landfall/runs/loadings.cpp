#include "runs/loadings.hpp"

#include <landfall/data/formats/npy.hpp>
#include <landfall/run/run_folder.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "runs/run_files.hpp"
#include "terminal/table.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

constexpr Index kMostInSummary = 4096, kMostRows = 20, kMostComponents = 6;

/// "loadings_left", "loadings"
std::string file_name(std::string_view what, const ViewEntry& view) {
  return view.name.empty() ? std::string(what) : fmt::format("{}_{}", what, view.name);
}

/// Names of the columns of a view; empty: they have none.
std::vector<std::string> view_names(const Json& names, std::size_t view, std::size_t views) {
  const Json& own = views > 1 && names.is_array() ? names.at(view) : names;
  return own.is_array() ? own.get<std::vector<std::string>>() : std::vector<std::string>();
}

std::string column_name(const std::vector<std::string>& names, Index j) {
  const auto at = static_cast<std::size_t>(j);
  return at < names.size() ? names[at] : fmt::to_string(j + 1);
}

/// As csv wants it: in quotes where it must be.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string doubled = "\"";
  for (const char c : text) doubled += c == '"' ? std::string("\"\"") : std::string(1, c);
  return doubled + '"';
}

template <class S>
void write_csv_table(const std::filesystem::path& file, std::size_t v, const FittedView<S>& view,
                     const std::vector<std::string>& names, const std::vector<ColumnNumbers>& more) {
  std::vector<std::pair<std::string, const Matrix<double>*>> blocks{{"loading", &view.loadings}};
  if (view.cross_loadings.size() > 0) blocks.emplace_back("cross_loading", &view.cross_loadings);
  for (const auto& numbers : more)
    if (v < numbers.of_view.size() && numbers.of_view[v].size() > 0)
      blocks.emplace_back(numbers.name, &numbers.of_view[v]);
  std::string text = "column";
  for (const auto& [name, block] : blocks)
    for (Index k = 0; k < block->cols(); ++k) text += fmt::format(",{}_{}", name, k + 1);
  text += '\n';
  for (Index j = 0; j < view.loadings.rows(); ++j) {
    text += quoted(column_name(names, j));
    for (const auto& [name, block] : blocks)
      for (Index k = 0; k < block->cols(); ++k) text += fmt::format(",{:.9g}", (*block)(j, k));
    text += '\n';
  }
  write_text(file, text);
}

/// The columns by their largest loading.
std::vector<Index> largest_first(const Matrix<double>& loadings, Index components) {
  std::vector<Index> order(static_cast<std::size_t>(loadings.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  const Vector<double> size = loadings.leftCols(components).cwiseAbs().rowwise().maxCoeff();
  std::ranges::stable_sort(order, [&](Index a, Index b) { return size(a) > size(b); });
  return order;
}

}  // namespace

Json matrix_json(const Matrix<double>& matrix) {
  if (matrix.size() == 0 || matrix.size() > kMostInSummary) return {};
  Json rows = Json::array();
  for (Index j = 0; j < matrix.rows(); ++j) {
    Json row = Json::array();
    for (Index k = 0; k < matrix.cols(); ++k) row.push_back(matrix(j, k));
    rows.push_back(std::move(row));
  }
  return rows;
}

template <class S>
void add_loadings(Json& summary, const std::vector<FittedView<S>>& views) {
  if (views[0].loadings.size() == 0) return;
  const bool crossed = views[0].cross_loadings.size() > 0;
  summary["variance_explained"] = per_view(views, [](const auto& view) { return numbers(view.explained); });
  if (crossed)
    summary["redundancy"] = per_view(views, [](const auto& view) { return numbers(view.redundancy); });
  summary["loadings"] = per_view(views, [](const auto& view) { return matrix_json(view.loadings); });
  if (crossed)
    summary["cross_loadings"] =
        per_view(views, [](const auto& view) { return matrix_json(view.cross_loadings); });
}

template <class S>
void write_loadings(const std::filesystem::path& folder, const ProblemEntry& problem,
                    const std::vector<FittedView<S>>& views, const Json& names,
                    const std::vector<ColumnNumbers>& more) {
  for (std::size_t v = 0; v < views.size(); ++v) {
    const FittedView<S>& view = views[v];
    if (view.loadings.size() == 0) continue;
    const ViewEntry& entry = problem.views[v];
    write_npy<double>(folder / (file_name("loadings", entry) + ".npy"), view.loadings);
    if (view.cross_loadings.size() > 0)
      write_npy<double>(folder / (file_name("cross_loadings", entry) + ".npy"), view.cross_loadings);
    write_csv_table(folder / (file_name("loadings", entry) + ".csv"), v, view,
                    view_names(names, v, views.size()), more);
  }
}

template <class S>
void print_loadings(const ProblemEntry& problem, const std::vector<FittedView<S>>& views, const Json& names) {
  for (std::size_t v = 0; v < views.size(); ++v) {
    const FittedView<S>& view = views[v];
    if (view.loadings.size() == 0) continue;
    const Index components = std::min(view.loadings.cols(), kMostComponents);
    const bool crossed = view.cross_loadings.size() > 0;
    const auto own_names = view_names(names, v, views.size());
    const auto order = largest_first(view.loadings, components);
    const Index shown = std::min<Index>(view.loadings.rows(), kMostRows);
    std::size_t width = 9;  // of "explained"
    for (Index i = 0; i < shown; ++i)
      width = std::max(width, column_name(own_names, order[static_cast<std::size_t>(i)]).size());
    width = std::min<std::size_t>(width, 32);
    const auto line = [&](const std::string& name, const auto& values, const auto& crossings) {
      fmt::print("{:<{}}", name.substr(0, width), width);
      for (Index k = 0; k < components; ++k) fmt::print("  {:>8}", values(k));
      if (crossed)
        for (Index k = 0; k < components; ++k) fmt::print("  {:>8}", crossings(k));
      fmt::print("\n");
    };
    const auto number = [](double value) { return fmt::format("{:.3f}", value); };
    fmt::print("\nloadings{}{}\n",
               view.loadings.rows() > shown
                   ? fmt::format(", the largest {} of {}", shown, view.loadings.rows())
                   : "",
               problem.views[v].name.empty() ? "" : fmt::format(", {} view", problem.views[v].name));
    line(
        "", [](Index k) { return fmt::to_string(k + 1); },
        [](Index k) { return fmt::format("cross {}", k + 1); });
    for (Index i = 0; i < shown; ++i) {
      const Index j = order[static_cast<std::size_t>(i)];
      line(
          column_name(own_names, j), [&](Index k) { return number(view.loadings(j, k)); },
          [&](Index k) { return number(view.cross_loadings(j, k)); });
    }
    line(
        "explained", [&](Index k) { return fmt::format("{:.1f} %", 100 * view.explained(k)); },
        [&](Index k) { return fmt::format("{:.1f} %", 100 * view.redundancy(k)); });
  }
}

LANDFALL_LOADINGS(, float)
LANDFALL_LOADINGS(, double)

}  // namespace landfall::app
