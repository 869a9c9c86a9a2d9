#include "model_run.hpp"

#include <landfall/data/csv_source.hpp>

#include <algorithm>
#include <cstdio>

#include "report_data.hpp"
#include "table.hpp"

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

std::function<bool(const Progress&)> show_progress(LiveLine& line, double passes) {
  return [&line, passes](const Progress& progress) {
    line.show([&] {
      const double left = progress.seconds * (passes / std::max(progress.passes, 1e-9) - 1);
      return fmt::format("pass {:.2f} of {:g}   {:.0f} s left   objective {:.5f}   infeasibility {:.1e}",
                         progress.passes, passes, std::max(left, 0.0), progress.objective,
                         progress.infeasibility);
    });
    return true;
  };
}

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

void tell_end(std::string_view method, std::string_view reason, Index samples, std::string_view ridge,
              double passes, double seconds) {
  fmt::print(stderr, "{} ({}): {}, ridge {}, {:.3g} {}, {:.2f} s\n", method, reason,
             counted(static_cast<std::size_t>(samples), "row"), ridge, passes,
             passes == 1 ? "pass" : "passes", seconds);
}

}  // namespace landfall::app
