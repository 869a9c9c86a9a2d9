// landfall cca LEFT RIGHT -p K: the canonical correlations of two files whose rows belong together.
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/grid.hpp>

#include <algorithm>

#include "commands/model_command.hpp"
#include "commands/weights_option.hpp"
#include "report/validation_page.hpp"
#include "runs/cca_content.hpp"
#include "runs/cca_tests.hpp"
#include "runs/run_files.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// A column in both views would have the correlation 1 with itself.
template <class S>
void require_disjoint(const Source<S>& left, const Source<S>& right) {
  for (const auto& name : left.column_names())
    if (std::ranges::find(right.column_names(), name) != right.column_names().end())
      throw UsageError(
          fmt::format("{}: column '{}' is in both views, expected different columns in --left and --right",
                      left.name(), name));
}

template <class S>
class CcaFit final : public ModelFit<S> {
 public:
  CcaFit(const ModelOptions& options, const std::vector<TableOptions>& tables, double curve_every) {
    std::vector<std::filesystem::path> files(options.files.begin(), options.files.end());
    std::optional<SpooledFile> copy;  // of a pipe that both views are read from
    if (files[0] == files[1] && is_read_once(files[0])) files[0] = files[1] = copy.emplace(files[0]).path();
    for (std::size_t v = 0; v < files.size(); ++v) this->views.push_back(open_source<S>(files[v], tables[v]));
    if (files[0] == files[1]) require_disjoint(*this->views[0], *this->views[1]);
    if (curve_every > 0) curve_.emplace(options.fit.components, curve_every);
    choose_components_ = options.choose_components;
  }

  ShownPlan plan(const FitOptions& options) override {
    return shown(plan_cca<S>(*this->views[0], *this->views[1], options));
  }

  const FitResult<S>& fit(const FitOptions& given) override {
    FitOptions options = given;
    if (choose_components_ && !options.folds) options.folds = 5;
    CcaResult<S>& result = content_.result;
    result = fit_cca<S>(std::move(this->views[0]), std::move(this->views[1]), options,
                        curve_ ? &*curve_ : nullptr);
    if (choose_components_) keep_real_pairs(result);
    if (curve_ && !curve_->points().empty()) content_.curve = curve_json(curve_->points());
    return result;
  }

  const RunContent<S>& content() const override { return content_; }
  void print_table() const override { print_pairs(content_.result); }

  Json cross_validate(const FitOptions& options, const std::vector<double>& ridges) override {
    CcaGrid grid{.components = options.components};
    if (!ridges.empty()) grid.ridges = ridges;
    grid.folds = options.folds.value_or(grid.folds);
    const auto found =
        cross_validate_grid<S>(std::move(this->views[0]), std::move(this->views[1]), options, grid);
    Json choice{{"problem", "cca"},
                {"measure", "total correlation"},
                {"samples", found.rows},
                {"folds", found.folds},
                {"ridges", found.ridges}};
    for (Index p = 0; p < found.totals.rows(); ++p) {
      choice["columns"].push_back(fmt::format("{} {}", p + 1, p == 0 ? "pair" : "pairs"));
      choice["values"].push_back(numbers(found.totals.row(p).transpose()));
      choice["errors"].push_back(numbers(found.errors.row(p).transpose()));
    }
    const auto option = [&](std::size_t ridge) {
      return fmt::format("{} {} with --relative-ridge {:g}", found.pairs[ridge],
                         found.pairs[ridge] == 1 ? "pair" : "pairs", found.ridges[ridge]);
    };
    const auto numbers_of = [&](std::size_t ridge) {
      return Json{{"components", found.pairs[ridge]}, {"relative_ridge", found.ridges[ridge]}};
    };
    choice["best"] = numbers_of(found.best_ridge);
    choice["choice"] = numbers_of(found.ridge);
    choice["pairs_by_ridge"] = found.pairs;
    choice["chosen_ridge_number"] = found.ridge;
    choice["text"] =
        !found.any_real
            ? "No pair stands out from chance: on rows that were not fitted, not even the first correlation "
              "is two standard errors above 0."
            : fmt::format(
                  "{}: these pairs correlate by more than two standard errors on rows that were not "
                  "fitted. {}.",
                  option(found.ridge),
                  found.ridge == found.best_ridge
                      ? "Their total is the largest"
                      : fmt::format("Their total is within one standard error of the largest ({})",
                                    option(found.best_ridge)));
    return choice;
  }
  void print_validation(const Json& choice) const override { print_validation_table(choice); }

 private:
  CcaContent<S> content_;
  std::optional<CcaCurve<S>> curve_;
  bool choose_components_ = false;
};

class CcaCommand final : public ModelCommand {
 public:
  const ProblemEntry& problem() const override { return find_problem("cca"); }

  ModelHelp help() const override {
    return {.text = "Canonical correlations of two files with the same rows",
            .components = "number of canonical pairs, or auto [at most 10]",
            .automatic_components = true,
            .method = "auto, exact, landing or one of landfall methods [auto]",
            .baselines = Problem::cca,
            .defaults = {.passes = "by --tolerance",
                         .batch = "512 or 8p; sparse data 2048",
                         .ridge = "none if well posed"},
            .report_labels = true,
            .guard = "15 or p/4",
            .examples =
                "  landfall cca left.svm right.svm -p 10 --memory 512MiB --held-out 0.1 --out run\n"
                "  landfall cca table.csv --left bmi,bp --right 's1..s6' -p 2"};
  }

  void add_data_options(const OptionAdder& add) override {
    add("--left", left_, "LIST", "columns of the left view; given as for --columns")->group(kTables);
    add("--right", right_, "LIST", "columns of the right view")->group(kTables);
  }

  /// Both views may be columns of one file.
  void prepare() override {
    auto& files = options.files;
    if (!files[1].empty()) return;
    if (left_.empty() && right_.empty())
      throw CLI::RequiredError("RIGHT is required, or --left and --right with columns of one file",
                               CLI::ExitCodes::RequiredError);
    files[1] = files[0];
  }

  void add_own_options(const OptionAdder& add) override {
    add("--curve", curve_every_, "T", "passes between evaluations on all rows (used by compare)")
        ->check(positive_number())
        ->group("");  // not in the help
  }

  void add_test_options(const OptionAdder& add) override {
    add("--folds", options.fit.folds, "K", "folds of cross-validation, 0 for none [5 if exact]")
        ->check(whole_number(0));
    add("--permutations", options.fit.permutations, "N", "permutations to test each pair, such as 999 [0]")
        ->check(whole_number(0));
    add("--bootstrap", options.fit.bootstrap, "N", "resamples for 95 % intervals, such as 500 [0]")
        ->check(whole_number(0));
  }

  std::unique_ptr<ModelFit<float>> open_single() const override {
    return std::make_unique<CcaFit<float>>(options, tables(), curve_every_);
  }
  std::unique_ptr<ModelFit<double>> open_double() const override {
    return std::make_unique<CcaFit<double>>(options, tables(), curve_every_);
  }

 private:
  /// Of one file, a view that is not given takes the columns that the other leaves.
  std::vector<TableOptions> tables() const {
    std::vector<TableOptions> both{table_of(options, 0), table_of(options, 1)};
    const std::vector<std::string> lists[] = {split_list(left_), split_list(right_)};
    for (std::size_t v = 0; v < 2; ++v) {
      const auto &own = lists[v], &other = lists[1 - v];
      if (!own.empty())
        both[v].columns = own;
      else if (options.files[0] == options.files[1])
        both[v].exclude.insert(both[v].exclude.end(), other.begin(), other.end());
    }
    return both;
  }

  std::string left_, right_;
  double curve_every_ = 0;
};

}  // namespace

void setup_cca(CLI::App& parent, Action action) {
  setup_model(parent, action, std::make_shared<CcaCommand>());
}

}  // namespace landfall::app
