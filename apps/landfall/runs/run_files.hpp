// The summary and the files of a run, whoever made it: the program and the Python package write the same ones.
//
//   Json summary{{"problem", "cca"}, ...};                      // up to the infeasibility
//   append_numbers(summary, "single", {.stationarity = result.stationarity, ...});
//   write_run_folder(out, [&](const auto& folder) {
//     write_views<float>(folder, problem, result.views);
//     write_json(summary_in(folder), summary);
//     write_shown(folder, report, history_table(result.history));
//   });
#pragma once

#include <landfall/models/fit/result.hpp>

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "problems/problems.hpp"
#include "problems/summary.hpp"
#include "report/report_data.hpp"

namespace landfall::app {

inline std::vector<double> numbers(const Vector<double>& vector) {
  return {vector.begin(), vector.end()};
}

/// A list where the problem has several views, else the one value.
template <class Values, class Get>
Json per_view(const Values& views, const Get& get) {
  if (views.size() == 1) return get(views[0]);
  Json list = Json::array();
  for (const auto& view : views) list.push_back(Json(get(view)));
  return list;
}

/// The keys that every summary has, from the stationarity to the command.
struct RunNumbers {
  double stationarity = 0;
  std::optional<double> estimated_gap = {};
  Json passes = {};
  std::uint64_t iterations = 0;
  Json batch = {}, estimator = {}, ridge = {};
  double total = 0, read = 0, solve = 0, evaluate = 0;  // seconds
  std::uint64_t seed = 0;
  Termination termination = Termination::converged;
  std::vector<std::string> command = {};  // empty: that of this program
};
void append_numbers(Json& summary, std::string_view precision, const RunNumbers& numbers);

HistoryTable history_table(const std::vector<Progress>& history);

/// The files of weights and means.
template <class S>
void write_views(const std::filesystem::path& folder, const ProblemEntry& problem,
                 const std::vector<FittedView<S>>& views);

/// history.csv, report.json and the report: what a run folder has beside weights and summary.
void write_shown(const std::filesystem::path& folder, RunReport& report, const HistoryTable& history);

extern template void write_views<float>(const std::filesystem::path&, const ProblemEntry&,
                                        const std::vector<FittedView<float>>&);
extern template void write_views<double>(const std::filesystem::path&, const ProblemEntry&,
                                         const std::vector<FittedView<double>>&);

}  // namespace landfall::app
