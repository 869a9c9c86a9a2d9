#include "runs/model_run.hpp"

#include <landfall/errors.hpp>
#include <landfall/parallel/kernels.hpp>
#include <landfall/run/run_folder.hpp>

#include <cstdio>
#include <new>

#include "terminal/screen.hpp"
#include "terminal/table.hpp"
#include <fmt/ranges.h>

namespace landfall::app {

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

}  // namespace landfall::app
