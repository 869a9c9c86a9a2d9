// landfall transform RUN DATA... -o OUT: the scores of rows by what a run has found.
#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/data/io/file.hpp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/models/lda/discriminant.hpp>
#include <landfall/models/lda/posterior.hpp>
#include <landfall/run/run_folder.hpp>
#include <landfall/run/scores.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

#include "commands/commands.hpp"
#include "runs/fitted_run.hpp"
#include "runs/interrupts.hpp"
#include "runs/model_run.hpp"
#include "runs/run_columns.hpp"
#include "terminal/model_options.hpp"
#include "terminal/progress.hpp"
#include "terminal/ranks.hpp"
#include "terminal/screen.hpp"
#include "terminal/stopwatch.hpp"
#include "terminal/table.hpp"
#include "terminal/table_options.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

struct TransformArguments {
  std::string run, out;
  std::vector<std::string> data;
  std::string view;    // of CCA, where there is one file
  std::string column;  // that is not data
  std::optional<Missing> missing;
  TableArguments table;
  std::vector<double> priors;
  bool predict = false, probabilities = false, predict_other = false, quiet = false;
  bool own = false;  // each rank has files of its own
};

/// Whether ranks divide the rows of the files among them, for rank 0 to write.
bool shares(const TransformArguments& options) {
  return ranks().several() && !options.own;
}

/// The files of this rank, where their names say so.
void choose_rank_files(TransformArguments& options) {
  options.own = names_rank(options.out);
  for (auto& file : options.data) {
    if (is_read_once(file)) require_one_process("standard input");
    if (names_rank(file) != options.own)
      throw UsageError(
          fmt::format("{} and {}: expected {{rank}} in the names of both or of none", file, options.out));
    file = path_of_rank(file);
  }
  options.out = path_of_rank(options.out);
}

/// The numbers of the views that the files are of.
std::vector<std::size_t> chosen_views(const TransformArguments& options, const FittedRun& run) {
  const ProblemEntry& problem = *run.problem;
  const auto given = counted(options.data.size(), "file");
  if (problem.views.size() == 1) {
    if (!options.view.empty())
      throw UsageError(
          fmt::format("--view: {} is a run of {}, which has only one view", options.run, problem.name));
    if (options.data.size() != 1)
      throw UsageError(fmt::format("{}: a {} run takes one file, got {}", options.run, problem.name, given));
    return {0};
  }
  std::vector<std::size_t> all(problem.views.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (options.view.empty()) {
    if (options.data.size() == all.size()) return all;
    const bool named = std::ranges::none_of(run.columns, [](const auto& names) { return names.empty(); });
    if (options.data.size() == 1 && named) return all;  // one table with the columns of every view
    std::vector<std::string_view> names;
    for (const ViewEntry& view : problem.views) names.push_back(view.name);
    throw UsageError(fmt::format("{}: a {} run takes its {} file, or one of them with --view {}, got {}",
                                 options.run, problem.name, fmt::join(names, " and "),
                                 fmt::join(names, " or "), given));
  }
  if (options.data.size() != 1)
    throw UsageError(fmt::format("--view {}: takes one file, got {}", options.view, given));
  const auto at = std::ranges::find(problem.views, options.view, &ViewEntry::name);
  return {static_cast<std::size_t>(at - problem.views.begin())};
}

/// The files, each that can be read only once by its copy.
class DataFiles {
 public:
  explicit DataFiles(const std::vector<std::string>& names) {
    for (const auto& name : names) {
      const auto before = std::find(names.begin(), names.end(), name) - names.begin();
      if (static_cast<std::size_t>(before) < paths_.size())
        paths_.push_back(paths_[static_cast<std::size_t>(before)]);
      else if (is_read_once(name))
        paths_.push_back(copies_.emplace_back(std::make_unique<SpooledFile>(name))->path());
      else
        paths_.emplace_back(name);
    }
  }
  /// One file may have the columns of all views.
  const std::filesystem::path& of(std::size_t view) const {
    return paths_[std::min(view, paths_.size() - 1)];
  }

 private:
  std::vector<std::unique_ptr<SpooledFile>> copies_;
  std::vector<std::filesystem::path> paths_;
};

template <class S>
ScoreReader<S> open_scores(const TransformArguments& options, const FittedRun& run) {
  std::vector<ScoredView<S>> views;
  const auto chosen = chosen_views(options, run);
  const DataFiles files(options.data);
  TableOptions table = options.table.options();
  if (!options.column.empty()) table.exclude.push_back(options.column);
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    auto view = read_view<S>(run, chosen[i]);
    auto source = open_run_columns<S>(run, chosen[i], files.of(i), table, view.weights.rows());
    warnings.insert(warnings.end(), source->warnings().begin(), source->warnings().end());
    views.push_back({std::move(source), std::move(view.weights), std::move(view.mean)});
  }
  tell_warnings(warnings);
  Missing missing = options.missing.value_or(run.missing);
  if (missing == Missing::mean && !run.centred) {
    if (options.missing)
      throw UsageError(
          fmt::format("--missing mean: {} was fitted without centring, so it has no means", options.run));
    missing = Missing::error;
  }
  const bool shared = shares(options);
  return {std::move(views),
          {.centring = run.centred ? Centring::exact : Centring::none, .missing = missing},
          shared ? ranks().rank : 0,
          shared ? ranks().size : 1};
}

/// "left1", "left2", "right1", ...; of one view "source1", ...
std::vector<std::string> score_names(const TransformArguments& options, const FittedRun& run, Index cols) {
  const auto chosen = chosen_views(options, run);
  const Index each = cols / static_cast<Index>(chosen.size());
  std::vector<std::string> names;
  for (const std::size_t view : chosen) {
    const std::string_view name = run.problem->views[view].name;
    for (Index k = 1; k <= each; ++k)
      names.push_back(fmt::format("{}{}", name.empty() ? run.problem->component : name, k));
  }
  return names;
}

/// In quotes where read_labels() would take it for something else.
std::string label(const std::string& name) {
  const bool odd =
      name.find_first_of(",;\t\"") != std::string::npos || name.starts_with(' ') || name.ends_with(' ');
  if (!odd) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

template <class S>
class ScoreWriter {
 public:
  ScoreWriter(const std::string& path, const std::vector<std::string>& names)
      : out_(open_writer<S>(path, static_cast<Index>(names.size()), names)) {}

  void write(std::span<const Index> numbers, const Matrix<S>& scores) {
    rows_.start_dense(scores.cols());
    Eigen::Map<RowMatrix<S>>(rows_.add_rows(numbers).data(), scores.rows(), scores.cols()) = scores;
    out_->write(rows_);
  }
  void finish() { out_->finish(); }

 private:
  WriterPtr<S> out_;
  Batch<S> rows_;
};

/// The name of the class of each row, on a line of its own.
template <class S>
class ClassWriter {
 public:
  ClassWriter(const std::string& path, const FittedRun& run, Index components)
      : centres_(read_centres(run, components)), priors_(run.priors) {
    if (path != "-") out_.emplace(path);
    for (const auto& name : run.classes) labels_.push_back(label(name) + '\n');
  }

  void write(std::span<const Index>, const Matrix<S>& scores) {
    text_.clear();
    for (const Index c : nearest_centres(scores.template cast<double>(), centres_, priors_))
      text_ += labels_[static_cast<std::size_t>(c)];
    if (out_)
      out_->write(text_);
    else
      fmt::print("{}", text_);
  }
  void finish() {
    if (out_) out_->commit();
  }

 private:
  std::optional<AtomicFile> out_;  // none: standard output
  Matrix<double> centres_;
  Vector<double> priors_;
  std::vector<std::string> labels_;
  std::string text_;
};

/// The probability of each class, one column per class.
template <class S>
class ProbabilityWriter {
 public:
  ProbabilityWriter(const std::string& path, const FittedRun& run, Index components)
      : centres_(read_centres(run, components)), priors_(run.priors), out_(path, run.classes) {}

  void write(std::span<const Index> numbers, const Matrix<S>& scores) {
    const Matrix<double> p = log_posteriors(scores.template cast<double>(), centres_, priors_).array().exp();
    out_.write(numbers, p.template cast<S>());
  }
  void finish() { out_.finish(); }

 private:
  Matrix<double> centres_;
  Vector<double> priors_;
  ScoreWriter<S> out_;
};

/// The columns of the view that DATA is not, by the regression on the scores of the one that it is.
template <class S>
class OtherViewWriter {
 public:
  OtherViewWriter(const TransformArguments& options, const FittedRun& run, Index components) {
    const std::size_t other = 1 - chosen_views(options, run).front();
    mean_ = read_view<S>(run, other).mean;
    prediction_ = read_prediction(run, other, components);
    std::vector<std::string> names = run.columns[other];
    if (names.empty())
      for (Index j = 1; j <= prediction_.rows(); ++j)
        names.push_back(fmt::format("{}{}", run.problem->views[other].name, j));
    out_.emplace(options.out, names);
  }

  void write(std::span<const Index> numbers, const Matrix<S>& scores) {
    Matrix<double> columns = scores.template cast<double>() * prediction_.transpose();
    columns.rowwise() += mean_.transpose();
    out_->write(numbers, columns.template cast<S>());
  }
  void finish() { out_->finish(); }
  Index cols() const { return prediction_.rows(); }

 private:
  Vector<double> mean_;
  Matrix<double> prediction_;
  std::optional<ScoreWriter<S>> out_;
};

/// Rank 0 writes the blocks of all ranks in order; returns the rows that all have read, and those they have dropped.
template <class S, class Out, class Show>
std::pair<Index, Index> write_blocks(ScoreReader<S>& reader, Out* out, const Show& show) {
  Communicator& others = *ranks().communicator;
  Matrix<S> scores;
  std::vector<Index> numbers;
  for (bool more = true; any_rank(others, more);) {
    more = more && reader.next(scores);
    const bool some = more && scores.rows() > 0;
    numbers.assign(some ? reader.numbers().begin() : reader.numbers().end(), reader.numbers().end());
    if (!some) scores.resize(0, 0);
    StateWriter block;
    block(numbers, scores);
    for (const auto& bytes : others.gather(block.bytes())) {
      StateReader in(bytes);
      in(numbers, scores);
      if (scores.rows() > 0) out->write(numbers, scores);
    }
    show();
  }
  std::array<Index, 2> sums{reader.read(), reader.dropped()};
  others.sum(std::span(sums));
  return {sums[0], sums[1]};
}

template <class S, class Out>
void write_all(const TransformArguments& options, ScoreReader<S>& reader, Out* out, Index cols,
               const CancelFlag& cancel) {
  Index read = 0, dropped = 0;
  {
    ProgressLine line(standard_error(), !options.quiet);
    const auto begin = Clock::now();
    const auto show = [&] {
      cancel.throw_if_requested();
      line.show([&] {
        const Index rows = reader.read() * (shares(options) ? ranks().size : 1);
        return Parts{fmt::format("{} rows", rows),
                     count_text(static_cast<double>(rows) / since(begin)) + " rows/s",
                     memory_text(peak_memory())};
      });
    };
    if (shares(options)) {
      std::tie(read, dropped) = write_blocks(reader, out, show);
    } else {
      Matrix<S> scores;
      while (reader.next(scores)) {
        out->write(reader.numbers(), scores);
        show();
      }
      read = reader.read();
      dropped = reader.dropped();
    }
  }
  if (read == dropped)
    throw DataError(fmt::format("{}: all {} have missing values", options.data[0],
                                counted(static_cast<std::size_t>(read), "row")));
  if (out == nullptr) return;
  out->finish();
  if (options.quiet) return;
  const Index rows = read - dropped;
  if (dropped > 0)
    tell("{} dropped because of missing values\n", counted(static_cast<std::size_t>(dropped), "row"));
  if (options.out == "-") return;
  if (options.predict)
    tell("wrote {}, the classes of {}\n", options.out, counted(static_cast<std::size_t>(rows), "row"));
  else
    tell("wrote {}, {}x{}\n", options.out, rows, cols);
}

template <class S>
void run(const TransformArguments& options, const FittedRun& fitted) {
  const Interrupts interrupts;  // what is written so far goes
  auto reader = open_scores<S>(options, fitted);
  const bool writes = !shares(options) || ranks().first();
  if (options.predict) {
    std::optional<ClassWriter<S>> out;
    if (writes) out.emplace(options.out, fitted, reader.cols());
    write_all(options, reader, out ? &*out : nullptr, 1, interrupts.cancel());
  } else if (options.probabilities) {
    std::optional<ProbabilityWriter<S>> out;
    if (writes) out.emplace(options.out, fitted, reader.cols());
    write_all(options, reader, out ? &*out : nullptr, static_cast<Index>(fitted.classes.size()), interrupts.cancel());
  } else if (options.predict_other) {
    std::optional<OtherViewWriter<S>> out;
    if (writes) out.emplace(options, fitted, reader.cols());
    write_all(options, reader, out ? &*out : nullptr, out ? out->cols() : 0, interrupts.cancel());
  } else {
    std::optional<ScoreWriter<S>> out;
    if (writes) out.emplace(options.out, score_names(options, fitted, reader.cols()));
    write_all(options, reader, out ? &*out : nullptr, reader.cols(), interrupts.cancel());
  }
}

/// UsageError unless there is one for each class and they have a positive sum, by which they are divided.
void set_priors(const std::vector<double>& given, FittedRun& run) {
  const double sum = std::accumulate(given.begin(), given.end(), 0.0);
  if (given.size() != run.classes.size() || !(sum > 0))
    throw UsageError(
        fmt::format("--priors: {} numbers with the sum {:g}, expected one for each of the {} classes {} and "
                    "a positive sum",
                    given.size(), sum, run.classes.size(), fmt::join(run.classes, ", ")));
  run.priors = Eigen::Map<const Vector<double>>(given.data(), static_cast<Index>(given.size())) / sum;
}

void require_new_file(const std::string& path) {
  std::error_code ignored;
  if (path != "-" &&
      std::filesystem::exists(std::filesystem::symlink_status(Hdf5Path::split(path).file, ignored)))
    throw UsageError(fmt::format("{}: already exists; choose another file", path));
}

}  // namespace

void setup_transform(CLI::App& program) {
  auto options = std::make_shared<TransformArguments>();
  auto* command = program.add_subcommand("transform", "Score new rows with a fitted run");
  const OptionAdder add{command};
  add("RUN", options->run, "FOLDER", "folder written by --out of cca, ica, lda or gevp")->required();
  add("DATA", options->data, "FILE ...",
      "data with the columns of the fit, matched by name where there are names; for cca "
      "the left and the right file, or one with both")
      ->required();
  add("-o,--out", options->out, "FILE",
      "new file for the scores: .npy, .csv, .tsv, .svm, .mtx or "
      ".h5, - for csv on standard output; for cca the left scores, then the right ones; required")
      ->required()
      ->check(not_empty("the name of a file"));
  add.choice(
      "--view", {"left", "right"},
      [options = options.get()](const std::string& name) { options->view = name; },
      "view of a cca run that DATA is: left or right");
  auto* predict = command->add_flag("--predict", options->predict,
                                    "write predicted classes of an lda run, one per line, instead of scores");
  auto* probabilities = command
                            ->add_flag("--predict-proba", options->probabilities,
                                       "write the probability of each class of an lda run")
                            ->excludes(predict);
  add("--priors", options->priors, "P,...", "priors of the classes of an lda run [shares of rows]")
      ->delimiter(',')
      ->check(number_from(0));
  command
      ->add_flag("--predict-other", options->predict_other,
                 "write the other view of a cca run, predicted from --view")
      ->excludes(predict)
      ->excludes(probabilities);
  add("--label-column", options->column, "NAME", "column of DATA to exclude, by name or number from 1");
  add_missing(
      add, [options = options.get()](Missing missing) { options->missing = missing; },
      "missing values: error, drop (the row) or mean [as in the run]");
  command->add_flag("--quiet", options->quiet, "print nothing, no progress");
  add_table_options(add, options->table, "Options");
  command->footer(
      "Examples:\n"
      "  landfall transform run left.npy right.npy -o scores.npy\n"
      "  landfall transform run new.csv -o classes.csv --predict");
  command->callback([options] {
    choose_rank_files(*options);
    if (options->own || ranks().first()) require_new_file(options->out);
    FittedRun fitted = read_run(options->run);
    if ((options->predict || options->probabilities || !options->priors.empty()) &&
        !fitted.problem->has_classes)
      throw UsageError(fmt::format("{}: {} is a run of {}, expected one of lda",
                                   options->predict         ? "--predict"
                                   : options->probabilities ? "--predict-proba"
                                                            : "--priors",
                                   options->run, fitted.problem->name));
    if (options->predict_other && (fitted.problem->views.size() != 2 || options->view.empty()))
      throw UsageError(
          "--predict-other: expected a run of cca, and --view left or right with the file of that view");
    if (!options->priors.empty()) set_priors(options->priors, fitted);
    fitted.precision == "single" ? run<float>(*options, fitted) : run<double>(*options, fitted);
  });
}

}  // namespace landfall::app
