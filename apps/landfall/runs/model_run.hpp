// What the commands of models do after a fit: tell it as JSON or as a table, and write its folder.
//
//   Json summary{{"problem", "ica"}, ...};                      // up to the infeasibility
//   append_run(summary, options.run, options.ica, result, result.ridge, seconds);
//   deliver(options.run, summary, result.history, write_files, print_table);
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/result.hpp>
#include <landfall/parallel/threads.hpp>
#include <landfall/version.hpp>

#include <filesystem>
#include <functional>
#include <vector>

#include "runs/run_folder.hpp"
#include "terminal/command_line.hpp"
#include "terminal/model_options.hpp"
#include "terminal/progress.hpp"
#include "terminal/stopwatch.hpp"
#include <nlohmann/json.hpp>

namespace landfall::app {

using Json = nlohmann::ordered_json;

inline std::vector<double> numbers(const Vector<double>& vector) {
  return {vector.begin(), vector.end()};
}

/// Whether columns of an svmlight file are counted from 0 or 1; null where the width of a file is its own.
template <class S>
Json first_index(const Source<S>& source) {
  const auto range = source.indices();
  return range ? Json(range->first) : Json();
}

/// Of one pass, where the source says how many rows it has.
template <class S>
std::optional<Index> training_rows(const Source<S>& source, double held_out) {
  if (!source.rows()) return std::nullopt;
  return static_cast<Index>(static_cast<double>(*source.rows()) * (1 - held_out));
}

Json landing_choice(const AdaptiveChoice& choice, int back_offs);

/// The keys from stationarity on, of the results of CCA, ICA or LDA.
template <class Options, class Result>
void append_run(Json& summary, const RunOptions& run, const Options& options, const Result& result,
                Json ridge, double seconds) {
  const bool landing = result.choice.first_rows > 0;
  summary["stationarity"] = result.stationarity;
  summary["passes"] = result.passes;
  summary["iterations"] = result.iterations;
  summary["batch"] = result.batch;
  summary["estimator"] = landing ? Json(to_string(options.landing.estimator)) : Json();
  summary["ridge"] = std::move(ridge);
  summary["seconds"] = {{"total", seconds},
                        {"read", result.seconds.read},
                        {"solve", result.seconds.solve},
                        {"evaluate", result.seconds.evaluate}};
  summary["peak_memory_bytes"] = peak_memory();
  summary["seed"] = options.seed;
  summary["threads"] = threads();
  summary["precision"] = run.precision;
  summary["termination"] = to_string(result.termination);
  summary["version"] = version();
  summary["command"] = command_line();
  if constexpr (requires { result.mean_pass; })
    summary["mean_pass"] = result.mean_pass;
  else
    summary["mean_pass"] = true;  // LDA cannot do without
  summary["centred"] = options.transform.centring != Centring::none;
  summary["scaled"] = options.transform.unit_variance;
  summary["missing"] = to_string(options.transform.missing);
  if (landing) summary["landing"] = landing_choice(result.choice, result.back_offs);
}

/// Writes the run folder if one is wanted: what write_files does, the history of landing, the summary. Then
/// prints the summary or the table.
void deliver(const RunOptions& run, const Json& summary, const std::vector<Progress>& history,
             const std::function<void(const std::filesystem::path& folder)>& write_files,
             const std::function<void()>& print_table);

/// "left.npy: 2 constant columns left out", if there are any; to standard error, as the next.
void tell_dropped(std::string_view name, const std::vector<Index>& columns);
/// What landing took from the first rows, and how often it had to halve its step.
void tell_choice(const AdaptiveChoice& choice, Index batch, int back_offs);
/// "landing (asked for): 4000 rows, ridge 0.001, 4 passes, 1.25 s"
void tell_end(std::string_view method, std::string_view reason, Index samples, std::string_view ridge,
              double passes, double seconds);

}  // namespace landfall::app
