// landfall cca LEFT RIGHT -p K: the canonical correlations of two files whose rows belong together.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/curve.hpp>
#include <landfall/models/fit/defaults.hpp>

#include <memory>
#include <optional>

#include "commands/commands.hpp"
#include "report/report_rows.hpp"
#include "runs/model_run.hpp"
#include "runs/run_checkpoints.hpp"
#include "terminal/method_option.hpp"
#include "terminal/plan_table.hpp"
#include "terminal/watched_source.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct Options {
  std::string left, right;
  CcaOptions cca;
  RunOptions run;
  ReportOptions report;
  double curve_every = 0;
};

template <class S>
Json summarize(const Options& options, const CcaResult<S>& result, const CcaCurve<S>& curve, double seconds) {
  const auto &left = result.views[0], &right = result.views[1];
  Json summary{
      {"problem", "cca"},
      {"data", {options.left, options.right}},
      {"method", result.method_name},
      {"reason", result.reason},
      {"samples", result.samples},
      {"features", {left.weights.rows(), right.weights.rows()}},
      {"components", left.weights.cols()},
      {"correlations", numbers(result.correlations)},
      {"total_correlation", result.correlations.sum()},
      {"infeasibility", {left.infeasibility, right.infeasibility}},
  };
  append_run(summary, options.run, options.cca, result, {left.ridge, right.ridge}, seconds);
  summary["dropped_columns"] = {left.dropped, right.dropped};
  for (const CurvePoint& at : curve.points())
    summary["curve"].push_back({{"passes", at.passes},
                                {"seconds", at.seconds},
                                {"total_correlation", at.total_correlation},
                                {"infeasibility", at.infeasibility}});
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
void write_files(const std::filesystem::path& folder, const Options& options, const CcaResult<S>& result,
                 ReportRows<S>& rows) {
  const auto &left = result.views[0], &right = result.views[1];
  write_npy<S>(folder / "weights_left.npy", left.weights);
  write_npy<S>(folder / "weights_right.npy", right.weights);
  write_npy_vector<double>(folder / "mean_left.npy", left.mean);
  write_npy_vector<double>(folder / "mean_right.npy", right.mean);
  rows.write(folder, {{left.weights, left.mean}, {right.weights, right.mean}}, options.cca.transform);
}

template <class S>
CcaResult<S> fit(const Options& options, RunCheckpoints& checkpoints, Json& first_indices,
                 std::optional<ReportRows<S>>& rows, CcaCurve<S>& curve) {
  CcaOptions cca = options.cca;
  cca.checkpoints = checkpoints.hooks();
  auto left = open_source<S>(options.left), right = open_source<S>(options.right);
  if (options.run.verbose && left->rewindable() && right->rewindable())
    print_plan(stderr, plan_cca<S>(*left, *right, cca));
  ProgressLine line(standard_error(), !options.run.quiet);
  cca.observer = show_progress(line, {.passes = cca.passes.value_or(kPasses),
                                      .rows = training_rows(*left, cca.held_out),
                                      .verbose = options.run.verbose});
  first_indices = {first_index(*left), first_index(*right)};
  rows.emplace(options.report, std::vector{left.get(), right.get()},
               SampleOptions{.memory = cca.memory, .kept = !options.run.out.empty()});
  return fit_cca<S>(watched<S>(std::move(left), line), std::move(right), cca,
                    options.curve_every > 0 ? &curve : nullptr);
}

template <class S>
void run(const Options& options, const CLI::App& command) {
  const auto start = Clock::now();
  RunCheckpoints checkpoints(options.run, command);
  Json first_indices;
  std::optional<ReportRows<S>> rows;
  CcaCurve<S> curve(options.cca.components, options.curve_every);
  const auto result = fit<S>(options, checkpoints, first_indices, rows, curve);
  const double seconds = since(start);
  if (options.cca.transform.missing != Missing::drop)  // then the rows of the file are not known
    rows->expect_rows(options.left, result.samples + result.held_out_samples);
  Json summary = summarize(options, result, curve, seconds);
  summary["first_index"] = std::move(first_indices);
  deliver(
      options.run, summary, result.history,
      [&](const auto& folder) {
        write_files(folder, options, result, *rows);
        checkpoints.write_last(folder);
      },
      [&] { print_table(result); });
  if (options.run.verbose) tell_choice(result.choice, result.batch, result.back_offs);
  if (options.run.quiet || (options.run.json && !options.run.verbose)) return;
  const auto &left = result.views[0], &right = result.views[1];
  tell_dropped("left", left.dropped);
  tell_dropped("right", right.dropped);
  tell_end(result.method_name, result.reason, result.samples,
           fmt::format("{:.3g} and {:.3g}", left.ridge, right.ridge), result.passes, seconds);
}

template <class S>
void plan(const Options& options) {
  const auto left = open_source<S>(options.left), right = open_source<S>(options.right);
  tell_plan("cca", plan_cca<S>(*left, *right, options.cca), options.run.json);
}

}  // namespace

void setup_cca(CLI::App& parent, Action action) {
  auto options = std::make_shared<Options>();
  auto* command = parent.add_subcommand("cca", "Canonical correlations of two files with the same rows");
  const OptionAdder add{command};
  CcaOptions& cca = options->cca;
  add("LEFT", options->left, "FILE", ".npy, csv, HDF5, Matrix Market, svmlight, IDX, folder")->required();
  add("RIGHT", options->right, "FILE", "the same rows in other columns")->required();
  add("-p,--components", cca.components, "K", "how many pairs; required")->required()->check(whole_number(1));
  add_method(
      add, {"auto", "exact", "landing"}, Problem::cca,
      [&cca](const std::string& name) { cca.method = parse_fit_method(name); }, cca.baseline,
      "auto, exact, landing, or of landfall methods [auto]");
  add_solver_options(
      add, cca,
      {.passes = "4", .batch = "128 or 8p; sparse rows 1024", .ridge = "0.001; sparse 4n/N if more"});
  add_centring(add, cca.transform);
  add_row_options(add, cca.transform);
  add_held_out(add, cca.held_out);
  add("--curve", options->curve_every, "T", "passes between evaluations on all rows, for compare")
      ->check(positive_number())
      ->group("");  // not in the help
  add_run_options(add, options->run);
  add_image(add, options->report);
  add_report_labels(add, options->report);
  add_checkpoint_options(add, options->run);
  add_landing_options(add, cca.landing);
  add_guard(add, cca.guard, "4 or p/4");
  command->footer(
      "Examples:\n"
      "  landfall cca left.npy right.npy -p 5\n"
      "  landfall cca left.svm right.svm -p 10 --memory 512MiB --held-out 0.1 --out run");
  command->callback([options, action, command] {
    if (action == Action::compare) return;
    if (options->cca.method == FitMethod::exact) refuse_by_hand(*command, "exact");
    begin(options->run);
    const bool single = options->run.precision == "single";
    if (action == Action::plan) require_planned(options->cca.baseline);
    if (action == Action::plan)
      single ? plan<float>(*options) : plan<double>(*options);
    else
      single ? run<float>(*options, *command) : run<double>(*options, *command);
  });
}

}  // namespace landfall::app
