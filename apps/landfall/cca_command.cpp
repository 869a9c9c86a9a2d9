// landfall cca LEFT RIGHT -p K: the canonical correlations of two files whose rows belong together.
#include <landfall/data/csv_source.hpp>
#include <landfall/data/npy.hpp>
#include <landfall/data/open_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/cca.hpp>
#include <landfall/parallel/threads.hpp>
#include <landfall/version.hpp>

#include <cstdio>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "live_line.hpp"
#include "run_folder.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace landfall::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string left, right;
  std::string method = "auto", estimator = "recursive", precision = "single", missing = "error", out;
  double ridge = 0;
  bool no_center = false, scale = false, json = false, quiet = false;
  double momentum = 0;
  Index guard = 0;
  int threads = 0;
  CcaOptions cca;
};

std::vector<double> numbers(const Vector<double>& vector) {
  return {vector.begin(), vector.end()};
}

template <class S>
Json summarize(const Options& options, const CcaResult<S>& result, double seconds) {
  const auto& [left, right] = result.views;
  const bool landing = result.method == CcaMethod::landing;
  const AdaptiveChoice& choice = result.choice;
  Json summary{
      {"problem", "cca"},
      {"method", to_string(result.method)},
      {"reason", result.reason},
      {"samples", result.samples},
      {"features", {left.weights.rows(), right.weights.rows()}},
      {"components", options.cca.components},
      {"correlations", numbers(result.correlations)},
      {"total_correlation", result.correlations.sum()},
      {"infeasibility", {left.infeasibility, right.infeasibility}},
      {"stationarity", result.stationarity},
      {"passes", result.passes},
      {"iterations", result.iterations},
      {"batch", result.batch},
      {"estimator", landing ? Json(to_string(options.cca.landing.estimator)) : Json()},
      {"ridge", {left.ridge, right.ridge}},
      {"seconds",
       {{"total", seconds},
        {"read", result.seconds.read},
        {"solve", result.seconds.solve},
        {"evaluate", result.seconds.evaluate}}},
      {"peak_memory_bytes", peak_memory()},
      {"seed", options.cca.seed},
      {"threads", threads()},
      {"precision", options.precision},
      {"termination", to_string(result.termination)},
      {"version", version()},
      {"mean_pass", result.mean_pass},
      {"dropped_columns", {left.dropped, right.dropped}},
  };
  if (landing)
    summary["landing"] = {{"first_rows", choice.first_rows},
                          {"warm_up_passes", choice.warm_up},
                          {"rank", choice.rank},
                          {"row_noise", choice.noise},
                          {"step", choice.step},
                          {"momentum", choice.momentum},
                          {"omega", choice.omega},
                          {"back_offs", result.back_offs}};
  if (result.held_out_samples > 0) {
    summary["held_out_samples"] = result.held_out_samples;
    summary["held_out_correlations"] = numbers(result.held_out);
    summary["held_out_total_correlation"] = result.held_out.sum();
  }
  return summary;
}

template <class S>
void print_table(const CcaResult<S>& result) {
  const bool held_out = result.held_out.size() > 0;
  fmt::print("{:>5}  {:>11}{}\n", "", "correlation", held_out ? "    held out" : "");
  const auto line = [&](const std::string& name, double value, double other) {
    fmt::print("{:>5}  {:>11.6f}", name, value);
    if (held_out) fmt::print("  {:>10.6f}", other);
    fmt::print("\n");
  };
  for (Index j = 0; j < result.correlations.size(); ++j)
    line(fmt::to_string(j + 1), result.correlations(j), held_out ? result.held_out(j) : 0);
  line("total", result.correlations.sum(), held_out ? result.held_out.sum() : 0);
}

template <class S>
void print_end(const CcaResult<S>& result, double seconds) {
  std::fflush(stdout);
  for (const char* side : {"left", "right"}) {
    const CcaView<S>& view = result.views[side == std::string_view("right")];
    if (!view.dropped.empty())
      fmt::print(stderr, "{}: {} constant columns left out\n", side, view.dropped.size());
  }
  fmt::print(stderr, "{} ({}): {} rows, ridge {:.3g} and {:.3g}, {:.3g} passes, {:.2f} s\n",
             to_string(result.method), result.reason, result.samples, result.views[0].ridge,
             result.views[1].ridge, result.passes, seconds);
}

template <class S>
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

template <class S>
void run(const Options& options) {
  const auto begin = Clock::now();
  CcaOptions cca = options.cca;
  LiveLine line(!options.quiet);
  cca.observer = [&](const Progress& progress) {
    line.show([&] {
      const double left = progress.seconds * (cca.passes / std::max(progress.passes, 1e-9) - 1);
      return fmt::format("pass {:.2f} of {:g}   {:.0f} s left   objective {:.5f}   infeasibility {:.1e}",
                         progress.passes, cca.passes, left, progress.objective, progress.infeasibility);
    });
    return true;
  };
  const auto result = fit_cca<S>(open_source<S>(options.left), open_source<S>(options.right), cca);
  const double seconds = since(begin);
  const Json summary = summarize(options, result, seconds);
  if (!options.out.empty())
    write_new_folder(options.out, [&](const std::filesystem::path& folder) {
      write_npy<S>(folder / "weights_left.npy", result.views[0].weights);
      write_npy<S>(folder / "weights_right.npy", result.views[1].weights);
      write_npy_vector<double>(folder / "mean_left.npy", result.views[0].mean);
      write_npy_vector<double>(folder / "mean_right.npy", result.views[1].mean);
      if (!result.history.empty()) write_history<S>(folder / "history.csv", result.history);
      write_summary(folder, summary);
    });
  if (options.json)
    fmt::print("{}\n", summary.dump(2));
  else
    print_table(result);
  if (!options.quiet && !options.json) print_end(result, seconds);
}

}  // namespace

void setup_cca(CLI::App& program) {
  auto options = std::make_shared<Options>();
  auto* command = program.add_subcommand("cca", "Canonical correlations of two files with the same rows");
  const auto add = [&](const char* name, auto& value, const char* shown, const char* text) {
    return command->add_option(name, value, text)->option_text(shown);
  };
  CcaOptions& cca = options->cca;
  add("LEFT", options->left, "FILE", ".npy, csv, HDF5, Matrix Market, svmlight, IDX; or a folder")
      ->required();
  add("RIGHT", options->right, "FILE", "the same rows in other columns")->required();
  add("-p,--components", cca.components, "K", "how many pairs; required")->required()->check(whole_number(1));
  add("--method", options->method, "NAME", "auto, exact or landing [auto: exact while it fits in --memory]")
      ->check(one_of({"auto", "exact", "landing"}));
  auto* ridge =
      add("--ridge", options->ridge, "G", "added to the diagonal of both covariances")->check(number_from(0));
  add("--relative-ridge", cca.relative_ridge, "G", "the same, times the mean variance [0.001]")
      ->check(number_from(0))
      ->excludes(ridge);
  add("--passes", cca.passes, "T", "readings of the data by landing [4]")->check(positive_number());
  add("--batch", cca.batch, "R", "rows per step of landing [128 or 8p; sparse rows 1024]")
      ->check(whole_number(1));
  add("--memory", cca.memory, "SIZE", "that the covariances may take, as 512MiB [2GiB]")
      ->transform(memory_size());
  command->add_flag("--no-center", options->no_center, "take the columns as they are");
  command->add_flag("--scale", options->scale, "bring every column to unit variance");
  add("--missing", options->missing, "NAME", "values: error, drop (the row) or mean [error]")
      ->check(one_of({"error", "drop", "mean"}));
  add("--held-out", cca.held_out, "X", "fraction of the rows to test on [0]")->check(CLI::Range(0.0, 0.9));
  auto* momentum = add("--momentum", options->momentum, "M", "of landing [from the batch and the data]")
                       ->check(CLI::Range(0.0, 0.99));
  add("--step", cca.landing.step, "ETA", "of landing [from the batch and the data]")
      ->check(positive_number());
  add("--attraction", cca.landing.omega, "W", "omega of landing [0.25]")->check(positive_number());
  add("--rank", cca.landing.rank, "K", "of the preconditioner's sketch [64 or 2p]")->check(whole_number(1));
  auto* guard =
      add("--guard", options->guard, "K", "columns carried beside the p [4 or p/4]")->check(whole_number(0));
  add("--estimator", options->estimator, "NAME", "recursive, shared, split or svrg [recursive]")
      ->check(one_of({"recursive", "shared", "split", "svrg"}));
  add("--precision", options->precision, "NAME", "single or double [single]")
      ->check(one_of({"single", "double"}));
  add("--seed", cca.seed, "N", "of the order of the rows and the start [0]")->check(whole_number(0));
  add("--threads", options->threads, "N", "of dense products [all]")->check(whole_number(1));
  add("--out", options->out, "FOLDER", "a new folder for weights, history and summary.json");
  command->add_flag("--json", options->json, "print one JSON object instead of the table");
  command->add_flag("--quiet", options->quiet, "print the table alone, no progress");
  command->footer(
      "Examples:\n"
      "  landfall cca left.npy right.npy -p 5\n"
      "  landfall cca left.svm right.svm -p 10 --memory 512MiB --held-out 0.1 --out run");
  command->callback([=] {
    CcaOptions& chosen = options->cca;
    chosen.method = parse_cca_method(options->method);
    chosen.landing.estimator = parse_estimator(options->estimator);
    if (ridge->count() > 0) chosen.ridge = options->ridge;
    if (momentum->count() > 0) chosen.landing.momentum = options->momentum;
    if (guard->count() > 0) chosen.guard = options->guard;
    if (options->no_center) chosen.transform.centring = Centring::none;
    chosen.transform.unit_variance = options->scale;
    chosen.transform.missing = options->missing == "drop"   ? Missing::drop
                               : options->missing == "mean" ? Missing::mean
                                                            : Missing::error;
    if (!options->out.empty()) require_new_folder(options->out);
    if (options->threads != 0) set_threads(options->threads);
    if (options->precision == "single")
      run<float>(*options);
    else
      run<double>(*options);
  });
}

}  // namespace landfall::app
