#include "runs/run_files.hpp"

#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/parallel/threads.hpp>
#include <landfall/run/run_folder.hpp>
#include <landfall/version.hpp>

#include "terminal/command_line.hpp"

namespace landfall::app {

void append_numbers(Json& summary, std::string_view precision, const RunNumbers& numbers) {
  summary["stationarity"] = numbers.stationarity;
  if (numbers.estimated_gap) summary["estimated_gap"] = *numbers.estimated_gap;
  summary["passes"] = numbers.passes;
  summary["iterations"] = numbers.iterations;
  summary["batch"] = numbers.batch;
  summary["estimator"] = numbers.estimator;
  summary["ridge"] = numbers.ridge;
  summary["seconds"] = {{"total", numbers.total},
                        {"read", numbers.read},
                        {"solve", numbers.solve},
                        {"evaluate", numbers.evaluate}};
  summary["peak_memory_bytes"] = peak_memory();
  summary["seed"] = numbers.seed;
  summary["threads"] = threads();
  summary["precision"] = precision;
  summary["termination"] = to_string(numbers.termination);
  summary["version"] = version();
  summary["command"] = numbers.command.empty() ? command_line() : numbers.command;
}

HistoryTable history_table(const std::vector<Progress>& history) {
  HistoryTable table{{"iteration", "passes", "seconds", "objective", "infeasibility", "stationarity", "step"},
                     Matrix<double>(static_cast<Index>(history.size()), 7)};
  for (Index i = 0; i < table.rows.rows(); ++i) {
    const Progress& at = history[static_cast<std::size_t>(i)];
    table.rows.row(i) << static_cast<double>(at.iteration), at.passes, at.seconds, at.objective,
        at.infeasibility, at.stationarity, at.step;
  }
  return table;
}

template <class S>
void write_views(const std::filesystem::path& folder, const ProblemEntry& problem,
                 const std::vector<FittedView<S>>& views) {
  for (std::size_t v = 0; v < views.size(); ++v) {
    const ViewEntry& entry = problem.views[v];
    write_npy<S>(folder / entry.weights,
                 entry.transposed ? Matrix<S>(views[v].weights.transpose()) : views[v].weights);
    if (!entry.mean.empty()) write_npy_vector<double>(folder / entry.mean, views[v].mean);
  }
}

void write_shown(const std::filesystem::path& folder, RunReport& report, const HistoryTable& history) {
  if (history.rows.rows() > 0) {
    write_csv<double>(folder / "history.csv", history.rows, {.names = history.names});
    report.history = shown_history(history);
  }
  if (!report.rows.is_null())
    write_text(folder / kReportRows, report.rows.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  write_report(folder / "report.html", report);
}

template void write_views<float>(const std::filesystem::path&, const ProblemEntry&,
                                 const std::vector<FittedView<float>>&);
template void write_views<double>(const std::filesystem::path&, const ProblemEntry&,
                                  const std::vector<FittedView<double>>&);

}  // namespace landfall::app
