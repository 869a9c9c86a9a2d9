// What the commands do after a fit: the run folder with its report, the table, and lines on standard error.
//
//   deliver(options.run, {.report = {problem, summary, rows, weights}, .history = history, ...});
#pragma once

#include <landfall/models/fit/result.hpp>

#include <filesystem>
#include <functional>
#include <vector>

#include "runs/run_files.hpp"
#include "terminal/model_options.hpp"

namespace landfall::app {

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

}  // namespace landfall::app
