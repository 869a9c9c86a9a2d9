// landfall lda DATA --labels FILE: the directions in which classes of rows differ most.
#include <landfall/data/formats/labels.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/fit/defaults.hpp>
#include <landfall/models/lda/lda.hpp>

#include <memory>
#include <optional>

#include "commands/commands.hpp"
#include "report/report_rows.hpp"
#include "runs/model_run.hpp"
#include "runs/run_checkpoints.hpp"
#include "terminal/plan_table.hpp"
#include "terminal/table.hpp"
#include "terminal/watched_source.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct Options {
  std::string data;
  std::string labels, column;  // a file, or a column of the data; neither: svmlight's own
  LdaOptions lda;
  RunOptions run;
  ReportOptions report;
};

template <class S>
LabelledSource<S> open_data(const Options& options) {
  if (!options.column.empty()) return open_labelled<S>(options.data, options.column);
  auto source = open_source<S>(options.data);
  if (!options.labels.empty()) {
    Labels labels = read_labels_of(options.labels, source->rows());
    return {std::move(source), std::move(labels)};
  }
  if (source->format() != "svmlight")
    throw UsageError(
        fmt::format("{}: only svmlight files have labels of their own; expected --labels FILE or "
                    "--label-column NAME",
                    source->name()));
  Labels labels = labels_of(*source);
  return {std::move(source), std::move(labels)};
}

template <class S>
Json summarize(const Options& options, const LdaResult<S>& result, double seconds) {
  Json summary{
      {"problem", "lda"},
      {"data", Json::array({options.data})},
      {"method", to_string(result.method)},
      {"reason", result.reason},
      {"samples", result.samples},
      {"features", result.views[0].weights.rows()},
      {"components", result.views[0].weights.cols()},
      {"eigenvalues", numbers(result.eigenvalues)},
      {"explained_ratio", result.explained_ratio.size() > 0 ? Json(numbers(result.explained_ratio)) : Json()},
      {"training_accuracy", result.training_accuracy},
      {"infeasibility", result.views[0].infeasibility},
  };
  append_run(summary, options.run, options.lda, result, result.views[0].ridge, seconds);
  summary["dropped_columns"] = result.views[0].dropped;
  summary["classes"] = result.classes;
  summary["priors"] = numbers(result.priors);
  if (result.held_out_accuracy) {
    summary["held_out_samples"] = result.held_out_samples;
    summary["held_out_accuracy"] = *result.held_out_accuracy;
  }
  return summary;
}

template <class S>
void print_table(const LdaResult<S>& result) {
  const auto values = aligned(numbers(result.eigenvalues), 6);
  const bool explained = result.explained_ratio.size() > 0;
  fmt::print("{:>8}  {:>10}{}\n", "", "eigenvalue", explained ? "  explained" : "");
  for (Index j = 0; j < result.eigenvalues.size(); ++j) {
    fmt::print("{:>8}  {:>10}", j + 1, values[static_cast<std::size_t>(j)]);
    if (explained) fmt::print("  {:>7.2f} %", 100 * result.explained_ratio(j));
    fmt::print("\n");
  }
  const auto share = [](std::string_view name, double accuracy, Index rows) {
    fmt::print("{:>8}  {:>8.2f} %  of {}\n", name, 100 * accuracy,
               counted(static_cast<std::size_t>(rows), "row"));
  };
  share("accuracy", result.training_accuracy, result.samples);
  if (result.held_out_accuracy) share("held out", *result.held_out_accuracy, result.held_out_samples);
}

template <class S>
void write_files(const std::filesystem::path& folder, const Options& options, const LdaResult<S>& result,
                 ReportRows<S>& rows) {
  write_npy<S>(folder / "weights.npy", result.views[0].weights);
  write_npy_vector<double>(folder / "mean.npy", result.views[0].mean);
  write_npy<double>(folder / "centres.npy", result.centres);
  rows.write(folder, {{result.views[0].weights, result.views[0].mean}}, options.lda.transform);
}

template <class S>
void run(const Options& options, const CLI::App& command) {
  const auto start = Clock::now();
  RunCheckpoints checkpoints(options.run, command);
  auto [source, labels] = open_data<S>(options);
  const Json index = first_index(*source);
  ReportRows<S> rows(options.report, {source.get()},
                     {.memory = options.lda.memory, .kept = !options.run.out.empty(), .labels = &labels});
  LdaOptions lda = options.lda;
  const auto result = [&, &source = source, &labels = labels] {
    if (options.run.verbose && source->rewindable())
      print_plan(stderr, plan_lda<S>(*source, labels, options.lda));
    lda.checkpoints = checkpoints.hooks();
    ProgressLine line(standard_error(), !options.run.quiet);
    lda.observer = show_progress(line, {.passes = lda.passes.value_or(kPasses),
                                        .rows = training_rows(*source, lda.held_out),
                                        .verbose = options.run.verbose});
    return fit_lda<S>(watched<S>(std::move(source), line), labels, lda);
  }();
  const double seconds = since(start);
  Json summary = summarize(options, result, seconds);
  summary["first_index"] = index;
  deliver(
      options.run, summary, result.history,
      [&](const auto& folder) {
        write_files(folder, options, result, rows);
        checkpoints.write_last(folder);
      },
      [&] { print_table(result); });
  if (options.run.verbose) tell_choice(result.choice, result.batch, result.back_offs);
  if (options.run.quiet || (options.run.json && !options.run.verbose)) return;
  tell_dropped(options.data, result.views[0].dropped);
  tell_end(to_string(result.method), result.reason, result.samples,
           fmt::format("{:.3g}", result.views[0].ridge), result.passes, seconds);
}

template <class S>
void plan(const Options& options) {
  const auto [source, labels] = open_data<S>(options);
  tell_plan("lda", plan_lda<S>(*source, labels, options.lda), options.run.json);
}

}  // namespace

void setup_lda(CLI::App& parent, Action action) {
  auto options = std::make_shared<Options>();
  auto* command = parent.add_subcommand("lda", "Directions in which classes of rows differ most");
  const OptionAdder add{command};
  LdaOptions& lda = options->lda;
  add("DATA", options->data, "FILE", ".npy, csv, HDF5, Matrix Market, svmlight, IDX, folder")->required();
  auto* labels = add("--labels", options->labels, "FILE", "one per row: text, .npy, IDX [svmlight: its own]");
  add("--label-column", options->column, "NAME", "or number from 1: of DATA, instead of --labels")
      ->excludes(labels);
  add("-p,--components", lda.components, "K", "how many [one less than classes]")->check(whole_number(1));
  add.choice(
      "--method", {"auto", "exact", "landing"},
      [&lda](const std::string& name) { lda.method = parse_fit_method(name); },
      "auto, exact or landing [auto: what fits, then time]");
  add_solver_options(add, lda,
                     {.passes = "4", .batch = "128 or 8p; sparse rows 1024", .ridge = "1e-6; double 1e-8"});
  add_row_options(add, lda.transform);
  add_held_out(add, lda.held_out);
  add_run_options(add, options->run);
  add_image(add, options->report);
  add_checkpoint_options(add, options->run);
  add_landing_options(add, lda.landing);
  add_guard(add, lda.guard, "16 or p");
  command->footer(
      "Examples:\n"
      "  landfall lda images.npy --labels labels.npy -p 5 --held-out 0.2\n"
      "  landfall lda iris.csv --label-column species --out run");
  command->callback([options, action, command] {
    if (options->lda.method == FitMethod::exact) refuse_by_hand(*command, "exact");
    begin(options->run);
    const bool single = options->run.precision == "single";
    if (action == Action::plan)
      single ? plan<float>(*options) : plan<double>(*options);
    else
      single ? run<float>(*options, *command) : run<double>(*options, *command);
  });
}

}  // namespace landfall::app
