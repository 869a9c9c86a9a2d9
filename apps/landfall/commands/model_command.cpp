
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>
#include <landfall/run/checkpoints.hpp>
#include <landfall/run/run_folder.hpp>
#include <landfall/version.hpp>

#include <algorithm>
#include <array>

#include "commands/model_arguments.hpp"
#include "commands/opened_views.hpp"
#include "commands/weights_option.hpp"
#include "report/validation_page.hpp"
#include "runs/interrupts.hpp"
#include "runs/model_run.hpp"
#include "terminal/command_line.hpp"
#include "terminal/method_option.hpp"
#include "terminal/progress.hpp"
#include "terminal/ranks.hpp"
#include "terminal/screen.hpp"
#include "terminal/stopwatch.hpp"
#include "terminal/table.hpp"
#include "terminal/watched_source.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// Options that do not affect the result. Files do, but changed data is detected by its fingerprint.
bool is_neutral(const CLI::Option& option) {
  constexpr std::array names{
      "--labels",        "--show",  "--folds",   "--permutations", "--restarts", "--bootstrap",
      "--truth",         "--out",   "--json",    "--quiet",        "--force",    "--help",
      "--resume",        "--curve", "--threads", "--image",        "--verbose",  "--checkpoint-every",
      "--warnings-apart"};
  return option.get_positional() || std::ranges::find(names, option.get_name()) != names.end();
}

/// What was given on the command line and matters for the numbers.
std::vector<std::pair<std::string, std::string>> given_options(const CLI::App& command) {
  std::vector<std::pair<std::string, std::string>> options{{"command", command.get_name()},
                                                           {"landfall", std::string(version())}};
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && !is_neutral(*option))
      options.emplace_back(option->get_name(), option->as<std::string>());
  return options;
}

/// The sum over ranks that have rows of their own; unset where one does not know how many.
std::optional<Index> rows_of_ranks(std::optional<Index> own, RankRows rows) {
  if (!ranks().several() || rows == RankRows::shared) return own;
  if (any_rank(*ranks().communicator, !own)) return std::nullopt;
  ranks().communicator->sum(std::span(&*own, 1));
  return own;
}

/// Of one pass, where the source says how many rows it has.
template <class S>
std::optional<Index> training_rows(const Source<S>& source, const FitOptions& options) {
  const auto rows = rows_of_ranks(source.rows(), options.rank_rows);
  if (!rows) return std::nullopt;
  return static_cast<Index>(static_cast<double>(*rows) * (1 - options.held_out));
}

/// Every rank reads its part of the rows, but all rows of a file that must be read in order.
template <class S>
ReadTogether read_together(const Source<S>& source, RankRows rows) {
  const int all = ranks().size;
  if (rows == RankRows::own) return {.ranks = all};
  return source.random_access() ? ReadTogether{.ranks = all, .shares = all} : ReadTogether{};
}

/// The files of this rank.
void choose_files(ModelOptions& options) {
  const bool own = options.fit.rank_rows == RankRows::own;
  for (auto& file : options.files) {
    if (is_read_once(file)) require_one_process("standard input");
    std::error_code ignored;
    if (!own && names_rank(file))
      throw UsageError(fmt::format("{}: {{rank}} in the name of a file, expected --rows own", file));
    if (own && ranks().several() && !names_rank(file) && !std::filesystem::is_directory(file, ignored))
      throw UsageError(fmt::format(
          "{}: --rows own, expected {{rank}} in its name, or a folder whose files are dealt out", file));
    file = path_of_rank(file);
  }
  options.report.labels = path_of_rank(options.report.labels);
  if (!own) return;
  options.table.part = ranks().rank;
  options.table.parts = ranks().size;
}

/// Of the run so far: how long this rank spent on messages and on waiting for others, and which rank waited least.
void add_ranks(Json& summary, const std::vector<std::string>& waited) {
  summary["ranks"] = ranks().size;
  summary["seconds"]["communicate"] = std::stod(waited.front());
  const auto least =
      std::ranges::min_element(waited, {}, [](const std::string& text) { return std::stod(text); });
  summary["slowest_rank"] = least - waited.begin();
}

template <class S>
ReportRows<S> report_rows(const ModelCommand& model, const ModelFit<S>& fit) {
  std::vector<Source<S>*> views;
  for (const auto& view : fit.views) views.push_back(view.get());
  const bool in_order = model.problem().scores == ScoreCharts::traces;
  return {model.options.report, views,
          SampleOptions{.memory = model.options.fit.memory,
                        .kept = !model.options.run.out.empty(),
                        .sampling = in_order ? Sampling::in_order : Sampling::spread,
                        .labels = fit.labels ? &*fit.labels : nullptr}};
}

/// How a fit is ended early: saved between two steps, or given up within a batch.
struct Ends {
  const Checkpoints& checkpoints;
  CancelFlag cancel;
};

/// The fit, with its plan told before and its progress meanwhile.
template <class S>
const FitResult<S>& fit_views(const ModelCommand& model, ModelFit<S>& fit, const Ends& ends,
                              std::optional<Index>& file_rows) {
  FitOptions options = model.options.fit;
  const bool verbose = model.options.run.verbose;
  if (verbose) tell_computation();
  const auto rewindable = [](const auto& view) { return view->rewindable(); };
  if (verbose && !model.problem().exact.empty() && std::ranges::all_of(fit.views, rewindable))
    print_plan(stderr, fit.plan(options));
  ProgressLine line(standard_error(), !model.options.run.quiet);
  options.checkpoints = ends.checkpoints;
  options.cancel = ends.cancel;
  options.communicator = ranks().communicator;
  const bool open_end = options.baseline.empty();
  options.observer =
      show_progress(line, {.passes = options.passes.value_or(open_end ? 0 : model.help().passes),
                           .rows = training_rows(*fit.views[0], options),
                           .verbose = verbose});
  const ReadTogether together = read_together(*fit.views[0], options.rank_rows);
  fit.views[0] = watched<S>(std::move(fit.views[0]), line, &file_rows, together);
  return fit.fit(options);
}

/// "no ridge", "ridge 0.001", "relative ridge 0.001", "ridge of 30 rows"
template <class S>
std::string ridge_text(const FitResult<S>& result) {
  const double ridge = result.views[0].ridge;
  if (ridge == 0) return "no ridge";
  if (result.ridge_kind == RidgeKind::automatic) return fmt::format("ridge of {:g} rows", result.ridge_rows);
  return fmt::format("{}ridge {:.3g}", result.ridge_kind == RidgeKind::relative ? "relative " : "", ridge);
}

template <class S>
void tell_run(const ModelCommand& model, const FitResult<S>& result, double seconds) {
  const RunOptions& run = model.options.run;
  if (!run.warnings_apart && (!run.quiet || !run.json))
    tell_warnings(result.warnings);  // the summary has them too
  if (run.verbose) tell_choice(result.choice, result.batch, result.back_offs);
  if (run.quiet || (run.json && !run.verbose)) return;
  constexpr Index enough = 512;  // rows of a batch that keep a rank busy (docs/mpi.md)
  if (ranks().several() && result.choice.first_rows > 0 && result.batch < enough * ranks().size)
    tell("{} ranks share batches of {} rows; --batch {} would keep them busy\n", ranks().size, result.batch,
         enough * ranks().size);
  tell_end(result.method_name, result.reason, result.samples, ridge_text(result), result.passes, seconds);
}

template <class S>
void run(const ModelCommand& model, ModelFit<S>& fit, const RunCheckpoints& saved, const Ends& ends,
         Clock::time_point start) {
  const ModelOptions& options = model.options;
  ReportRows<S> rows = report_rows(model, fit);
  const Json index = per_view(fit.views, first_index<S>), columns = per_view(fit.views, names_of<S>);
  std::vector<std::string> warnings = opening_warnings(fit.views);
  tell_warnings(warnings);  // before the fit, which may fail because of them
  std::optional<Index> file_rows;
  const FitResult<S>& result = fit_views(model, fit, ends, file_rows);
  const double seconds = since(start);
  std::vector<std::string> waited;
  if (ranks().several()) {
    file_rows = rows_of_ranks(file_rows, options.fit.rank_rows);
    waited = ranks().communicator->gather(fmt::format("{:.6f}", ranks().communicator->seconds()));
    if (!ranks().first()) return;
  }
  const Index used_rows = result.samples + result.held_out_samples;
  const bool leaves_out = options.fit.weights && options.fit.weights->has_zeros(),
             drops_missing = options.fit.transform.missing == Missing::drop,
             drops = drops_missing || leaves_out;
  const Index all_rows = drops ? file_rows.value_or(used_rows) : used_rows;
  if ((!drops || file_rows) && options.fit.rank_rows == RankRows::shared)
    rows.expect_rows(options.files[0], all_rows);

  RunReport report{.problem = model.problem(),
                   .summary = summarize<S>({.problem = model.problem(),
                                            .options = options.fit,
                                            .data = options.files,
                                            .weights = options.fit.weights ? options.weights : "",
                                            .seconds = seconds},
                                           fit.content())};
  if (ranks().several()) add_ranks(report.summary, waited);
  append_data(report.summary, {.first_index = index,
                               .columns = columns,
                               .categorical = options.table.categorical,
                               .dropped_rows = all_rows - used_rows});
  warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
  report.summary["warnings"] = warnings;
  if (!options.run.out.empty()) {
    report.rows = rows.json(result.views, options.fit.transform);
    for (const auto& view : result.views) {
      report.weights.push_back(view.weights.template cast<double>());
      report.loadings.push_back(view.loadings);
    }
  }
  deliver(options.run, {.report = std::move(report),
                        .history = history_table(result.history),
                        .write_files =
                            [&](const std::filesystem::path& folder) {
                              write_fitted<S>(folder, model.problem(), fit.content(), columns);
                              saved.write_last(folder);
                            },
                        .print_table =
                            [&] {
                              fit.print_table();
                              if (options.show_loadings)
                                print_loadings(model.problem(), result.views, columns);
                            }});
  if (all_rows > used_rows && !options.run.quiet && !options.run.json)
    tell("{} with {} dropped\n", counted(static_cast<std::size_t>(all_rows - used_rows), "row"),
         !leaves_out     ? "missing values"
         : drops_missing ? "missing values or a weight of 0"
                         : "a weight of 0");
  tell_run(model, result, seconds);
}

/// Standard input and pipes can be opened once.
bool opens_again(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) || std::filesystem::is_directory(file, error);
}

/// Whether single precision loses nothing of the files, or little: sparse rows are counts.
template <class Fit>
bool is_narrow(const Fit& fit) {
  return std::ranges::all_of(fit.views, [](const auto& view) {
    constexpr std::array<std::string_view, 6> narrow{"f4", "f2", "u1", "i1", "u2", "i2"};
    return view->sparse() || std::ranges::find(narrow, view->element_type()) != narrow.end();
  });
}

/// What fails in single precision need not fail in that of the files.
template <class Fit, class Use>
void use_single(Fit& fit, const Use& use) {
  if (is_narrow(fit)) return use(fit);
  try {
    use(fit);
  } catch (const NumericalError& error) {
    throw NumericalError(
        fmt::format("{}, in single precision; the files have more: try --precision double", error.what()));
  }
}

/// Opens the files in the precision asked for. `auto` is single where they are, or are sparse; text and wider numbers
/// need double.
template <class Use>
void open_model(const ModelCommand& model, const Use& use) {
  const std::string& asked = model.options.run.precision;
  if (asked == "single") return use_single(*model.open_single(), use);
  const auto fit = model.open_double();
  bool single = asked == "auto" && is_narrow(*fit) && std::ranges::all_of(model.options.files, opens_again);
  if (ranks().several()) single = !any_rank(*ranks().communicator, !single);
  if (single) return use(*model.open_single());
  use(*fit);
}

void run(const ModelCommand& model, const CLI::App& command, Interrupts& interrupts) {
  const auto start = Clock::now();
  const RunOptions& options = model.options.run;
  RunCheckpoints saved({.folder = options.out,
                        .options = given_options(command),
                        .every = options.checkpoint_every,
                        .resume = options.resume,
                        .stop = [&] { return interrupts.asked(); },
                        .communicator = ranks().communicator});
  if (options.resume && !saved.resumed() && !options.quiet)
    tell("{}: no checkpoint, starting from the beginning\n", options.out);
  Checkpoints checkpoints = saved.hooks();
  if (checkpoints.finish)
    checkpoints.finish = [&, finish = checkpoints.finish](const std::string& state) {
      interrupts.end_saving();
      finish(state);
    };
  try {
    open_model(model, [&](auto& fit) {
      run(model, fit, saved, {.checkpoints = checkpoints, .cancel = interrupts.cancel()}, start);
    });
  } catch (const Cancelled&) {
    if (saved.save_last()) throw Interrupted(saved.path());
    throw;
  }
}

void plan(const ModelCommand& model) {
  const ModelOptions& options = model.options;
  require_planned(options.fit.baseline);
  open_model(model,
             [&](auto& fit) { tell_plan(model.problem().name, fit.plan(options.fit), options.run.json); });
}

/// landfall cv: the table or the object, and with --out cv.json and a report.
void validate_choices(const ModelCommand& model, Interrupts& interrupts) {
  require_one_process("landfall cv");
  const ModelOptions& options = model.options;
  FitOptions fitting = options.fit;
  fitting.cancel = interrupts.cancel();
  open_model(model, [&](auto& fit) {
    tell_warnings(opening_warnings(fit.views));
    Json choice = fit.cross_validate(fitting, model.ridges);
    choice["command"] = command_line();
    choice["version"] = version();
    if (!options.run.out.empty())
      write_run_folder(options.run.out, [&](const std::filesystem::path& folder) {
        write_json(folder / "cv.json", choice);
        write_page(folder / "report.html", validation_page(model.problem(), choice));
        write_json(summary_in(folder), {{"problem", "cross-validation"}, {"of", model.problem().name}});
      });
    if (options.run.json)
      fmt::print("{}\n", json_text(choice));
    else
      fit.print_validation(choice);
  });
}

}  // namespace

void setup_model(CLI::App& parent, Action action, const std::shared_ptr<ModelCommand>& model) {
  const ModelHelp help = model->help();
  auto* command = parent.add_subcommand(std::string(model->problem().name), help.text);
  add_model_options({command}, *model);
  command->footer(fmt::format("Examples:\n{}", help.examples));
  if (action == Action::validate) take_ridges(*command, *model);
  command->callback([model, action, command] {
    if (action == Action::compare) return;
    model->prepare();
    choose_files(model->options);
    model->options.table.memory = model->options.fit.memory;
    read_row_weights(model->options);
    if (model->options.fit.method == FitMethod::exact) refuse_by_hand(*command, "exact");
    if (action == Action::plan) {
      const auto lock = begin(model->options.run);
      return plan(*model);
    }
    Interrupts interrupts;  // from before the folder is made, so that it goes with the run
    const auto lock = begin(model->options.run);
    if (action == Action::validate) return validate_choices(*model, interrupts);
    run(*model, *command, interrupts);
  });
}

}  // namespace landfall::app
