// Pieces of a report page as JSON: charts of what files of a run hold. See landfall/report/report.hpp.
//
//   Json section{{"heading", "Convergence"}};
//   const History history = read_history(folder / "history.csv");
//   section["charts"] = convergence_charts({{"landing", history}});
//   write_page(folder / "report.html", {{"title", "Two methods"}, {"sections", {section}}});
#pragma once

#include <landfall/linalg/types.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "problems/summary.hpp"

namespace landfall::app {

/// Writes the page, as report.hpp describes it, whole or not at all; each chart with a drawing to save.
void write_page(const std::filesystem::path& file, Json page);

/// With eight digits, so that a page does not get long; null where it is not finite.
Json rounded(double value);
Json rounded(const std::vector<double>& values);

/// What landing or another method reported after each of its steps.
struct HistoryTable {
  std::vector<std::string> names;  // of the columns
  Matrix<double> rows;             // one per step
};

/// The columns by their names, of at most about 1500 rows: the first hundred, then evenly spread ones.
using History = std::map<std::string, std::vector<double>>;
History shown_history(const HistoryTable& table);
/// Of a history.csv; empty where there is no such file.
History read_history(const std::filesystem::path& path);

struct NamedHistory {
  std::string name;
  History history;
};

/// Objective and infeasibility against passes (or iterations) and seconds, the runs over each other.
Json convergence_charts(const std::vector<NamedHistory>& runs);

/// A bar for each number, counted from 1.
struct Bars {
  std::string name;  // of the numbers: "training"
  std::vector<double> values;
};
Json bar_chart(const std::string& title, const std::string& what, const std::vector<Bars>& series);

/// Points with classes, the ten largest of which have a colour of their own.
struct Points {
  std::vector<double> x, y;
  std::vector<double> rows;          // of the data, from 1
  std::vector<std::size_t> labels;   // of each point; empty: no classes
  std::vector<std::string> classes;  // names
};
Json scatter_chart(const std::string& title, const std::string& x_label, const std::string& y_label,
                   const Points& points);

/// The ten largest entries of a column of weights, by name where there are names.
Json largest_chart(const std::string& title, const Vector<double>& weights,
                   const std::vector<std::string>& names);

}  // namespace landfall::app
