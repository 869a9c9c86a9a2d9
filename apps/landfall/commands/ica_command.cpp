// landfall ica DATA: the independent components of the rows of a file.
#include <landfall/data/formats/matrix_file.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/ica.hpp>

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
  std::string data;
  std::string truth;   // a file with the mixing matrix
  bool asked = false;  // for the method there is
  IcaOptions ica;
  RunOptions run;
  ReportOptions report;
};

std::string_view reason(const Options& options) {
  return options.asked || !options.ica.baseline.empty() ? "asked for" : "the default";
}

std::string_view kind(double sign) {
  return sign > 0 ? "super-Gaussian" : "sub-Gaussian";
}

/// The mixing matrix, of as many rows as the data has columns, one column for each component.
std::optional<Matrix<double>> read_truth(const Options& options, Index features) {
  if (options.truth.empty()) return std::nullopt;
  Matrix<double> mixing =
      std::visit([](const auto& m) { return Matrix<double>(m); }, load_matrix<double>(options.truth));
  const Index p = options.ica.components > 0 ? options.ica.components : features;
  if (mixing.rows() != features || mixing.cols() != p)
    throw DataError(
        fmt::format("{}: {}x{}, expected {}x{}: a row for each column of {}, a column for each "
                    "component",
                    options.truth, mixing.rows(), mixing.cols(), features, p, options.data));
  return mixing;
}

template <class S>
double amari(const Options& options, const IcaResult<S>& result, const Matrix<double>& mixing) {
  try {
    return amari_distance(result.unmixing().template cast<double>(), mixing);
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: {}", options.truth, error.what()));
  }
}

template <class S>
Json summarize(const Options& options, const IcaResult<S>& result, std::optional<double> distance,
               double seconds) {
  std::vector<std::string_view> kinds;
  for (const double sign : result.signs) kinds.push_back(kind(sign));
  Json summary{
      {"problem", "ica"},
      {"data", Json::array({options.data})},
      {"method", result.method_name},
      {"reason", reason(options)},
      {"samples", result.samples},
      {"features", result.unmixing().cols()},
      {"components", result.unmixing().rows()},
      {"contrast", to_string(result.contrast)},
      {"negentropy", numbers(result.negentropy)},
      {"kinds", kinds},
      {"infeasibility", result.views[0].infeasibility},
  };
  append_run(summary, options.run, options.ica, result, result.views[0].ridge, seconds);
  summary["dropped_columns"] = result.views[0].dropped;
  if (distance) summary["amari"] = *distance;
  return summary;
}

template <class S>
void print_table(const IcaResult<S>& result, std::optional<double> distance) {
  fmt::print("{:>5}  {:<14}  {:>10}\n", "", "source", "negentropy");
  for (Index j = 0; j < result.signs.size(); ++j)
    fmt::print("{:>5}  {:<14}  {:>10.3e}\n", j + 1, kind(result.signs(j)), result.negentropy(j));
  if (distance) fmt::print("{:>5}  {:<14}  {:>10.3e}\n", "", "Amari distance", *distance);
}

template <class S>
void write_files(const std::filesystem::path& folder, const Options& options, const IcaResult<S>& result,
                 ReportRows<S>& rows) {
  write_npy<S>(folder / "unmixing.npy", result.unmixing());
  write_npy<S>(folder / "mixing.npy", result.mixing);
  write_npy_vector<double>(folder / "mean.npy", result.views[0].mean);
  rows.write(folder, {{result.views[0].weights, result.views[0].mean}}, options.ica.transform);
}

template <class S>
void run(const Options& options, const CLI::App& command) {
  const auto start = Clock::now();
  RunCheckpoints checkpoints(options.run, command);
  auto source = open_source<S>(options.data);
  const auto mixing = read_truth(options, source->cols());
  const Json index = first_index(*source);
  ReportRows<S> rows(
      options.report, {source.get()},
      {.memory = options.ica.memory, .kept = !options.run.out.empty(), .sampling = Sampling::in_order});
  IcaOptions ica = options.ica;
  const auto result = [&] {
    ica.checkpoints = checkpoints.hooks();
    ProgressLine line(standard_error(), !options.run.quiet);
    ica.observer = show_progress(
        line, {.passes = ica.passes.value_or(1), .rows = source->rows(), .verbose = options.run.verbose});
    return fit_ica<S>(watched<S>(std::move(source), line), ica);
  }();
  const double seconds = since(start);
  std::optional<double> distance;
  if (mixing) distance = amari(options, result, *mixing);
  Json summary = summarize(options, result, distance, seconds);
  summary["first_index"] = index;
  deliver(
      options.run, summary, result.history,
      [&](const auto& folder) {
        write_files(folder, options, result, rows);
        checkpoints.write_last(folder);
      },
      [&] { print_table(result, distance); });
  if (options.run.verbose) tell_choice(result.choice, result.batch, result.back_offs);
  if (options.run.quiet || (options.run.json && !options.run.verbose)) return;
  tell_dropped(options.data, result.views[0].dropped);
  tell_end(result.method_name, reason(options), result.samples, fmt::format("{:.3g}", result.views[0].ridge),
           result.passes, seconds);
}

template <class S>
void plan(const Options& options) {
  const auto source = open_source<S>(options.data);
  tell_plan("ica", "landing", reason(options), {{"landing", plan_ica<S>(*source, options.ica)}},
            options.run.json);
}

}  // namespace

void setup_ica(CLI::App& parent, Action action) {
  auto options = std::make_shared<Options>();
  auto* command = parent.add_subcommand("ica", "Independent components of the rows of a file");
  const OptionAdder add{command};
  IcaOptions& ica = options->ica;
  add("DATA", options->data, "FILE", ".npy, csv, HDF5, Matrix Market, svmlight, IDX, folder")->required();
  add("-p,--components", ica.components, "K", "how many [as many as columns]")->check(whole_number(1));
  add.choice(
      "--contrast", {"logcosh", "exp", "cube"},
      [&ica](const std::string& name) { ica.contrast = parse_contrast(name); },
      "logcosh, exp (outliers) or cube (kurtosis) [logcosh]");
  add("--truth", options->truth, "FILE", "the mixing matrix, for the Amari distance to it");
  add_method(
      add, {"auto", "landing"}, Problem::ica,
      [&asked = options->asked](const std::string& name) { asked = name == "landing"; }, ica.baseline,
      "auto, landing, or of landfall methods [auto: landing]");
  add_solver_options(add, ica, {.passes = "1 to 4, as needed", .batch = "1024 or 8p", .ridge = "0"});
  add_centring(add, ica.transform);
  add_row_options(add, ica.transform);
  add_run_options(add, options->run);
  add_image(add, options->report);
  add_checkpoint_options(add, options->run);
  add_landing_options(add, ica.landing);
  command->footer(
      "Examples:\n"
      "  landfall ica mixtures.npy --out run\n"
      "  landfall ica out/data.npy --truth out/mixing.npy --passes 4");
  command->callback([options, action, command] {
    if (action == Action::compare) return;
    begin(options->run);
    const bool single = options->run.precision == "single";
    if (action == Action::plan) require_planned(options->ica.baseline);
    if (action == Action::plan)
      single ? plan<float>(*options) : plan<double>(*options);
    else
      single ? run<float>(*options, *command) : run<double>(*options, *command);
  });
}

}  // namespace landfall::app
