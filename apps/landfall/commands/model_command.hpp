// The command of a model: its options, files, precision, plan, progress, checkpoints, summary, run folder and report
// are the same for every model and written once, here. A model supplies a ModelCommand and a ModelFit.
//
//   void setup_cca(CLI::App& parent, Action action) {
//     setup_model(parent, action, std::make_shared<CcaCommand>());
//   }
#pragma once

#include <landfall/baselines/registry.hpp>
#include <landfall/data/formats/labels.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/models/fit/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/problem_commands.hpp"
#include "problems/problems.hpp"
#include "problems/summary.hpp"
#include "report/report_options.hpp"
#include "runs/run_content.hpp"
#include "terminal/model_options.hpp"
#include "terminal/plan_table.hpp"
#include "terminal/table_options.hpp"

namespace landfall::app {

/// The words of the help page, and the options a model does not have.
struct ModelHelp {
  const char* text;        // what the command does
  const char* components;  // of -p
  bool needs_components = false;
  bool automatic_components = false;  // -p takes auto
  std::vector<std::string> methods{"auto", "exact", "landing"};
  const char* method;                     // of --method
  std::optional<Problem> baselines = {};  // whose names --method takes too
  SolverDefaults defaults;
  double passes = 4;  // that landing makes where none are given
  bool centring = true, held_out = true, report_labels = false;
  bool ridge_grid = true;  // landfall cv chooses a ridge
  const char* guard = nullptr;  // default of --guard; null: there is no such option
  const char* examples;
};

/// What the user asked for.
struct ModelOptions {
  std::vector<std::string> files;  // one for each view
  FitOptions fit;
  RunOptions run;
  ReportOptions report;
  TableArguments table;
  std::string weights = {};         // of the rows, as given
  bool weights_are_column = false;  // of the first table
  bool show_loadings = false;
  bool choose_components = false;  // -p auto
};

/// One fit, from open files to what there is to tell of it.
template <class S>
class ModelFit {
 public:
  virtual ~ModelFit() = default;

  std::vector<SourcePtr<S>> views;  // one for each file, open
  std::optional<Labels> labels;     // the classes of the rows

  virtual ShownPlan plan(const FitOptions& options) = 0;
  /// Takes the views. The result lives as long as this object.
  virtual const FitResult<S>& fit(const FitOptions& options) = 0;

  /// What the fit puts into the summary and the run folder.
  virtual const RunContent<S>& content() const = 0;
  virtual void print_table() const = 0;
  /// Components and ridge by cross-validation: the page of a report, and the object that --json prints, under "choice".
  virtual Json cross_validate(const FitOptions&, const std::vector<double>& /*ridges*/) {
    throw UsageError("cv supports cca, ica and lda");
  }
  virtual void print_validation(const Json&) const {}
};

class ModelCommand {
 public:
  virtual ~ModelCommand() = default;

  ModelOptions options;

  virtual const ProblemEntry& problem() const = 0;
  virtual ModelHelp help() const = 0;
  /// Options of the model's own: those of the data, before -p, and the others, after it.
  virtual void add_data_options(const OptionAdder&) {}
  virtual void add_own_options(const OptionAdder&) {}
  /// How the result is tested.
  virtual void add_test_options(const OptionAdder&) {}
  /// Once the command line is read: CLI::ParseError where its parts do not fit each other.
  virtual void prepare() {}

  /// The ridges that landfall cv chooses from, relative to the variance of each column.
  std::vector<double> ridges;

  virtual std::unique_ptr<ModelFit<float>> open_single() const = 0;
  virtual std::unique_ptr<ModelFit<double>> open_double() const = 0;
};

void setup_model(CLI::App& parent, Action action, const std::shared_ptr<ModelCommand>& model);

}  // namespace landfall::app
