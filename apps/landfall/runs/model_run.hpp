// What the commands do after a fit: the summary, the run folder with its report, and lines on standard error.
//
//   Json summary{{"problem", "cca"}, ...};                      // up to the infeasibility
//   append_numbers(summary, options.run, {.stationarity = result.stationarity, ...});
//   deliver(options.run, {.report = {problem, summary, rows, weights}, .history = history, ...});
#pragma once

#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/result.hpp>

#include <filesystem>
#include <functional>
#include <vector>

#include "problems/problems.hpp"
#include "problems/summary.hpp"
#include "report/report_data.hpp"
#include "terminal/model_options.hpp"

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
};
void append_numbers(Json& summary, std::string_view precision, const RunNumbers& numbers);

Json landing_choice(const AdaptiveChoice& choice, int back_offs);
HistoryTable history_table(const std::vector<Progress>& history);

/// The files of weights and means.
template <class S>
void write_views(const std::filesystem::path& folder, const ProblemEntry& problem,
                 const std::vector<FittedView<S>>& views);

struct Delivery {
  RunReport report;
  HistoryTable history;
  std::function<void(const std::filesystem::path& folder)> write_files;  // beside history, summary and report
  std::function<void()> print_table;
};

/// Writes the run folder if one is wanted. Then prints the summary or the table.
void deliver(const RunOptions& run, Delivery delivery);

/// One line each, whatever was asked for; to standard error, as all that follow.
void tell_warnings(const std::vector<std::string>& warnings);
/// BLAS, its kernels, threads and vector instructions, with a warning where the processor could do better.
void tell_computation();
/// What landing took from the first rows, and how often it had to halve its step.
void tell_choice(const AdaptiveChoice& choice, Index batch, int back_offs);
/// "landing (asked for): 4000 rows, no ridge, 4 passes, 1.25 s"
void tell_end(std::string_view method, std::string_view reason, Index samples, std::string_view ridge,
              double passes, double seconds);

extern template void write_views<float>(const std::filesystem::path&, const ProblemEntry&,
                                        const std::vector<FittedView<float>>&);
extern template void write_views<double>(const std::filesystem::path&, const ProblemEntry&,
                                         const std::vector<FittedView<double>>&);

}  // namespace landfall::app
