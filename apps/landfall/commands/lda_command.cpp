// landfall lda DATA --labels FILE: the directions in which classes of rows differ most.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/lda/lda.hpp>
#include <landfall/models/lda/shrinkage.hpp>

#include <algorithm>

#include "commands/model_command.hpp"
#include "commands/weights_option.hpp"
#include "report/validation_page.hpp"
#include "runs/model_run.hpp"
#include "terminal/ranks.hpp"
#include "terminal/table.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// A file of labels, or a column of the data; where neither is given, svmlight's own.
struct LabelOptions {
  std::string file, column;
};

template <class S>
LabelledSource<S> open_data(const std::string& data, const LabelOptions& options, const TableOptions& table) {
  if (!options.column.empty()) return open_labelled<S>(data, options.column, table);
  auto source = open_source<S>(data, table);
  if (!options.file.empty()) {
    Labels labels = read_labels_of(options.file, source->rows());
    return {std::move(source), std::move(labels)};
  }
  if (source->format() != "svmlight")
    throw UsageError(
        fmt::format("{}: only svmlight files contain labels; expected --labels FILE or "
                    "--label-column NAME",
                    source->name()));
  Labels labels = labels_of(*source);
  return {std::move(source), std::move(labels)};
}

/// Whole numbers, but for sums of weights.
Json counts(const Matrix<double>& confusion, bool weighted) {
  Json rows = Json::array();
  for (Index i = 0; i < confusion.rows(); ++i) {
    const Vector<double> row = confusion.row(i);
    rows.push_back(weighted ? Json(numbers(row)) : Json(std::vector<Index>(row.begin(), row.end())));
  }
  return rows;
}

template <class S>
class LdaFit final : public ModelFit<S> {
 public:
  LdaFit(const ModelOptions& options, const LabelOptions& given)
      : choose_components_(options.choose_components) {
    auto data = open_data<S>(options.files[0], given, table_of(options, 0));
    this->views.push_back(std::move(data.source));
    this->labels = std::move(data.labels);
  }

  ShownPlan plan(const FitOptions& options) override {
    return shown(plan_lda<S>(*this->views[0], *this->labels, options));
  }

  const FitResult<S>& fit(const FitOptions& given) override {
    const SourcePtr<S> data = std::move(this->views[0]);
    FitOptions options = given;
    if (choose_components_) {
      require_one_process("-p auto of lda");
      options.components = real_directions<S>(*data, *this->labels, options);
      data->rewind();
    }
    result_ = fit_lda<S>(std::make_unique<BorrowedSource<S>>(*data), *this->labels, options);
    return result_;
  }

  void add_numbers(Json& summary) const override {
    summary["eigenvalues"] = numbers(result_.eigenvalues);
    summary["explained_ratio"] =
        result_.explained_ratio.size() > 0 ? Json(numbers(result_.explained_ratio)) : Json();
    summary["training_accuracy"] = result_.training_accuracy;
    if (result_.within_loadings.size() > 0) summary["within_loadings"] = matrix_json(result_.within_loadings);
  }

  std::vector<ColumnNumbers> column_numbers() const override {
    return {{"within_loading", {result_.within_loadings}}};
  }

  void add_more(Json& summary) const override {
    summary["classes"] = result_.classes;
    summary["priors"] = numbers(result_.priors);
    summary["confusion"] = counts(result_.confusion, result_.sum_of_weights > 0);
    const bool held_out = result_.held_out_confusion.size() > 0;
    if (held_out)
      summary["held_out_confusion"] = counts(result_.held_out_confusion, result_.sum_of_weights > 0);
    const ClassRates rates = class_rates(held_out ? result_.held_out_confusion : result_.confusion);
    summary["precision_by_class"] = numbers(rates.precision);
    summary["recall_by_class"] = numbers(rates.recall);
    if (result_.held_out_accuracy) {
      summary["held_out_samples"] = result_.held_out_samples;
      summary["held_out_accuracy"] = *result_.held_out_accuracy;
    }
  }

  void print_table() const override {
    const auto values = aligned(numbers(result_.eigenvalues), 6);
    const bool explained = result_.explained_ratio.size() > 0;
    fmt::print("{:>8}  {:>10}{}\n", "", "eigenvalue", explained ? "  explained" : "");
    for (Index j = 0; j < result_.eigenvalues.size(); ++j) {
      fmt::print("{:>8}  {:>10}", j + 1, values[static_cast<std::size_t>(j)]);
      if (explained) fmt::print("  {:>7.2f} %", 100 * result_.explained_ratio(j));
      fmt::print("\n");
    }
    const auto share = [](std::string_view name, double accuracy, Index rows) {
      fmt::print("{:>8}  {:>8.2f} %  of {}\n", name, 100 * accuracy,
                 counted(static_cast<std::size_t>(rows), "row"));
    };
    share("accuracy", result_.training_accuracy, result_.samples);
    if (result_.held_out_accuracy) share("held out", *result_.held_out_accuracy, result_.held_out_samples);
  }

  Json cross_validate(const FitOptions& options, const std::vector<double>& given) override {
    const auto found = cross_validate_shrinkage<S>(std::move(this->views[0]), *this->labels, options, given);
    const std::vector<double>& ridges = found.ridges;
    Json choice{
        {"problem", "lda"}, {"measure", "accuracy"}, {"folds", found.folds}, {"ridges", found.ridges}};
    for (std::size_t k = 0; k < found.components.size(); ++k) {
      const Index p = found.components[k];
      choice["columns"].push_back(fmt::format("{} {}", p, p == 1 ? "direction" : "directions"));
      choice["values"].push_back(numbers(found.accuracy.row(static_cast<Index>(k)).transpose()));
      choice["errors"].push_back(numbers(found.errors.row(static_cast<Index>(k)).transpose()));
    }
    const Index p = found.components[found.directions];
    choice["components"] = found.components;
    choice["best"] = {{"components", found.components.back()}, {"relative_ridge", ridges[found.best]}};
    choice["choice"] = {{"components", p}, {"relative_ridge", ridges[found.chosen]}};
    choice["chosen_ridge_number"] = found.chosen;
    choice["text"] = fmt::format(
        "-p {} with --relative-ridge {:g}: the smallest ridge whose accuracy on rows that were not fitted, "
        "with all directions, "
        "is within one standard error of the best ({:g}), and the fewest directions within one of its best.",
        p, ridges[found.chosen], ridges[found.best]);
    return choice;
  }
  void print_validation(const Json& choice) const override { print_validation_table(choice); }

  void write_files(const std::filesystem::path& folder) const override {
    write_npy<double>(folder / "centres.npy", result_.centres);
  }

 private:
  LdaResult<S> result_;
  bool choose_components_ = false;
};

class LdaCommand final : public ModelCommand {
 public:
  const ProblemEntry& problem() const override { return find_problem("lda"); }

  ModelHelp help() const override {
    return {.text = "Directions that separate classes of rows best",
            .components = "number of directions, or auto [number of classes - 1]",
            .automatic_components = true,
            .method = "auto, exact or landing [auto]",
            .defaults = {.passes = "by --tolerance",
                         .batch = "512 or 8p; sparse data 2048",
                         .ridge = "none if well posed"},
            .centring = false,
            .guard = "16 or p",
            .examples =
                "  landfall lda images.npy --labels labels.npy -p 5 --held-out 0.2\n"
                "  landfall lda iris.csv --label-column species --out run"};
  }

  void add_data_options(const OptionAdder& add) override {
    auto* file = add("--labels", labels_.file, "FILE", "labels, one per row: text, .npy or IDX");
    add("--label-column", labels_.column, "NAME", "column with the labels, by name or number from 1")
        ->excludes(file);
  }

  void prepare() override { labels_.file = path_of_rank(labels_.file); }

  std::unique_ptr<ModelFit<float>> open_single() const override {
    return std::make_unique<LdaFit<float>>(options, labels_);
  }
  std::unique_ptr<ModelFit<double>> open_double() const override {
    return std::make_unique<LdaFit<double>>(options, labels_);
  }

 private:
  LabelOptions labels_;
};

}  // namespace

void setup_lda(CLI::App& parent, Action action) {
  setup_model(parent, action, std::make_shared<LdaCommand>());
}

}  // namespace landfall::app
