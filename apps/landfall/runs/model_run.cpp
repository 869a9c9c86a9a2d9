#include "runs/model_run.hpp"

#include <landfall/data/formats/csv_source.hpp>

#include <cstdio>

#include "report/report_data.hpp"
#include "terminal/table.hpp"
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

void write_history(const std::filesystem::path& path, const std::vector<Progress>& history) {
  Matrix<double> rows(static_cast<Index>(history.size()), 7);
  for (Index i = 0; i < rows.rows(); ++i) {
    const Progress& at = history[static_cast<std::size_t>(i)];
    rows.row(i) << static_cast<double>(at.iteration), at.passes, at.seconds, at.objective, at.infeasibility,
        at.stationarity, at.step;
  }
  write_csv<double>(
      path, rows,
      {.names = {"iteration", "passes", "seconds", "objective", "infeasibility", "stationarity", "step"}});
}

}  // namespace

Json landing_choice(const AdaptiveChoice& choice, int back_offs) {
  return {{"first_rows", choice.first_rows},
          {"warm_up_passes", choice.warm_up},
          {"rank", choice.rank},
          {"row_noise", choice.noise},
          {"step", choice.step},
          {"momentum", choice.momentum},
          {"omega", choice.omega},
          {"back_offs", back_offs}};
}

void deliver(const RunOptions& run, const Json& summary, const std::vector<Progress>& history,
             const std::function<void(const std::filesystem::path& folder)>& write_files,
             const std::function<void()>& print_table) {
  if (!run.out.empty())
    write_run_folder(run.out, [&](const std::filesystem::path& folder) {
      write_files(folder);
      if (!history.empty()) write_history(folder / "history.csv", history);
      write_summary(folder, summary);
      write_report(folder);
    });
  if (run.json)
    fmt::print("{}\n", json_text(summary));
  else
    print_table();
  std::fflush(stdout);
}

void tell_dropped(std::string_view name, const std::vector<Index>& columns) {
  if (!columns.empty())
    fmt::print(stderr, "{}: {} left out\n", name, counted(columns.size(), "constant column"));
}

void tell_choice(const AdaptiveChoice& choice, Index batch, int back_offs) {
  if (choice.first_rows == 0) return;
  fmt::print(stderr,
             "landing: {} looked at first, {}; preconditioner of rank {}; row noise {:.3g}\n"
             "landing: batch {}, step {:.3g}, momentum {:.2g}, attraction {:.3g}; step halved {}\n",
             counted(static_cast<std::size_t>(choice.first_rows), "row"),
             choice.warm_up > 0 ? fmt::format("{} warm-up passes over them", choice.warm_up) : "no warm-up",
             fmt::join(choice.rank, " and "), choice.noise, batch, choice.step, choice.momentum, choice.omega,
             counted(static_cast<std::size_t>(back_offs), "time"));
}

void tell_end(std::string_view method, std::string_view reason, Index samples, std::string_view ridge,
              double passes, double seconds) {
  fmt::print(stderr, "{} ({}): {}, ridge {}, {:.3g} {}, {:.2f} s\n", method, reason,
             counted(static_cast<std::size_t>(samples), "row"), ridge, passes,
             passes == 1 ? "pass" : "passes", seconds);
}

}  // namespace landfall::app
