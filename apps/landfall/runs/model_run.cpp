#include "runs/model_run.hpp"

#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/errors.hpp>
#include <landfall/parallel/kernels.hpp>
#include <landfall/parallel/threads.hpp>
#include <landfall/run/run_folder.hpp>
#include <landfall/version.hpp>

#include <cstdio>
#include <new>

#include "terminal/command_line.hpp"
#include "terminal/screen.hpp"
#include "terminal/table.hpp"
#include <fmt/ranges.h>

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
  summary["command"] = command_line();
}

Json landing_choice(const AdaptiveChoice& choice, int back_offs) {
  return {{"first_rows", choice.first_rows},
          {"warm_up_passes", choice.warm_up},
          {"pilot_steps", choice.pilot_steps},
          {"rank", choice.rank},
          {"row_noise", choice.noise},
          {"step", choice.step},
          {"momentum", choice.momentum},
          {"omega", choice.omega},
          {"back_offs", back_offs}};
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

namespace {

/// The report and what it is made of, beside weights and summary.
void write_shown(const std::filesystem::path& folder, RunReport& report, const HistoryTable& history) {
  if (history.rows.rows() > 0) {
    write_csv<double>(folder / "history.csv", history.rows, {.names = history.names});
    report.history = shown_history(history);
  }
  if (!report.rows.is_null())
    write_text(folder / kReportRows, report.rows.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  write_report(folder / "report.html", report);
}

}  // namespace

void deliver(const RunOptions& run, Delivery delivery) {
  RunReport& report = delivery.report;
  if (!run.out.empty())
    write_run_folder(run.out, [&](const std::filesystem::path& folder) {
      delivery.write_files(folder);
      write_json(summary_in(folder), report.summary);
      // The result is there: a disk that has no room for what shows it must not take it away again.
      try {
        write_shown(folder, report, delivery.history);
      } catch (const DataError& error) {
        tell_warnings({fmt::format("no report: {}", error.what())});
      } catch (const std::bad_alloc&) {
        tell_warnings({"no report: not enough memory"});
      }
    });
  if (run.json)
    fmt::print("{}\n", json_text(report.summary));
  else
    delivery.print_table();
  std::fflush(stdout);
}

void tell_warnings(const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) tell("landfall: warning: {}\n", warning);
}

void tell_computation() {
  tell("{}\n", describe_computation());
  if (const std::string warning = kernel_warning(blas_kernels()); !warning.empty()) tell_warnings({warning});
}

void tell_choice(const AdaptiveChoice& choice, Index batch, int back_offs) {
  if (choice.first_rows == 0) return;
  tell(
      "landing: pilot estimate from {}, {}; preconditioner of rank {}; noise of one row {:.3g}\n"
      "landing: batch {}, step {:.3g}, momentum {:.2g}, attraction {:.3g}; step halved {}\n",
      counted(static_cast<std::size_t>(choice.first_rows), "row"),
      choice.pilot_steps > 0 ? fmt::format("solved in {} steps", choice.pilot_steps)
      : choice.warm_up > 0   ? fmt::format("{} warm-up passes over these", choice.warm_up)
                             : "no warm-up",
      fmt::join(choice.rank, " and "), choice.noise, batch, choice.step, choice.momentum, choice.omega,
      counted(static_cast<std::size_t>(back_offs), "time"));
}

void tell_end(std::string_view method, std::string_view reason, Index samples, std::string_view ridge,
              double passes, double seconds) {
  tell("{} ({}): {}, {}, {:.3g} {}, {:.2f} s\n", method, reason,
       counted(static_cast<std::size_t>(samples), "row"), ridge, passes, passes == 1 ? "pass" : "passes",
       seconds);
}

template void write_views<float>(const std::filesystem::path&, const ProblemEntry&,
                                 const std::vector<FittedView<float>>&);
template void write_views<double>(const std::filesystem::path&, const ProblemEntry&,
                                  const std::vector<FittedView<double>>&);

}  // namespace landfall::app
