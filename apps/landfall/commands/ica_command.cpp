// landfall ica DATA: the independent components of the rows of a file.
#include <landfall/data/formats/matrix_file.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/component_choice.hpp>
#include <landfall/models/ica/contrast.hpp>
#include <landfall/models/ica/ica.hpp>

#include "commands/model_command.hpp"
#include "commands/weights_option.hpp"
#include "report/validation_page.hpp"
#include "runs/ica_content.hpp"
#include "terminal/ranks.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// The mixing matrix, of as many rows as the data has columns, one column for each component.
Matrix<double> read_truth(const std::string& path, const ModelOptions& options, Index features) {
  Matrix<double> mixing =
      std::visit([](const auto& m) { return Matrix<double>(m); }, load_matrix<double>(path));
  const Index p = options.choose_components    ? mixing.cols()  // known after the choice
                  : options.fit.components > 0 ? options.fit.components
                                               : features;
  if (mixing.rows() != features || mixing.cols() != p)
    throw DataError(
        fmt::format("{}: {}x{}, expected {}x{}: a row for each column of {}, a column for each component",
                    path, mixing.rows(), mixing.cols(), features, p, options.files[0]));
  return mixing;
}

template <class S>
class IcaFit final : public ModelFit<S> {
 public:
  IcaFit(const ModelOptions& options, const std::string& truth, const std::string& label,
         std::optional<int> restarts)
      : truth_(truth), restarts_(restarts), choose_components_(options.choose_components) {
    TableOptions table = table_of(options, 0);
    if (!label.empty()) table.exclude.push_back(label);
    this->views.push_back(open_source<S>(options.files[0], table));
    if (!truth.empty()) mixing_ = read_truth(truth, options, this->views[0]->cols());
  }

  ShownPlan plan(const FitOptions& options) override {
    return {"landing",
            options.method == FitMethod::landing ? "requested" : "the only method",
            {{"landing", plan_ica<S>(*this->views[0], options)}}};
  }

  const FitResult<S>& fit(const FitOptions& given) override {
    const SourcePtr<S> data = std::move(this->views[0]);
    FitOptions options = given;
    const int restarts = restarts_.value_or(choose_components_ ? IcaGrid{}.restarts : 0);
    if (choose_components_) {
      require_one_process("-p auto of ica");
      const auto found = choose_ica_components<S>(*data, options, {.restarts = restarts});
      options.components = found.rows[found.chosen].components;
      content_.choice = component_choice_json(found, restarts);
      data->rewind();
    }
    IcaResult<S>& result = content_.result;
    result = fit_ica<S>(std::make_unique<BorrowedSource<S>>(*data), options);
    if (restarts > 0) {
      content_.stability = ica_stability<S>(*data, result, options, restarts);
      if (auto warning = stability_warning(content_.stability); !warning.empty())
        result.warnings.push_back(std::move(warning));
    }
    if (mixing_) content_.distance = distance();
    return result;
  }

  const RunContent<S>& content() const override { return content_; }

  void print_table() const override {
    const IcaResult<S>& result = content_.result;
    const Vector<double>& share = result.views[0].explained;
    const IcaStability& stability = content_.stability;
    const bool restarted = stability.runs > 0;
    fmt::print("{:>5}  {:<14}  {:>10}  {:>9}{}{}\n", "", "source", "negentropy", "kurtosis",
               share.size() > 0 ? "  variance" : "", restarted ? "     Iq    found in" : "");
    for (Index j = 0; j < result.signs.size(); ++j) {
      fmt::print("{:>5}  {:<14}  {:>10.3e}  {:>9.3g}", j + 1, source_kind(result.signs(j)),
                 result.negentropy(j), result.kurtosis(j));
      if (share.size() > 0) fmt::print("  {:>6.2f} %", 100 * share(j));
      if (restarted)
        fmt::print("  {:>5.3f}  {:>3} of {:>3}", stability.of(j).quality(), stability.of(j).runs,
                   stability.runs);
      fmt::print("\n");
    }
    if (content_.distance) fmt::print("{:>5}  {:<14}  {:>10.3e}\n", "", "Amari distance", *content_.distance);
  }

  Json cross_validate(const FitOptions& options, const std::vector<double>&) override {
    const int restarts = restarts_.value_or(IcaGrid{}.restarts);
    return component_choice_json(choose_ica_components<S>(*this->views[0], options,
                                                          {.most = options.components, .restarts = restarts}),
                                 restarts);
  }
  void print_validation(const Json& choice) const override { print_validation_table(choice); }

 private:
  double distance() const {
    try {
      return amari_distance(content_.result.unmixing().template cast<double>(), *mixing_);
    } catch (const UsageError& error) {
      throw DataError(fmt::format("{}: {}", truth_, error.what()));
    }
  }

  std::string truth_;                     // a file
  std::optional<Matrix<double>> mixing_;  // in it
  IcaContent<S> content_;
  std::optional<int> restarts_;
  bool choose_components_ = false;
};

class IcaCommand final : public ModelCommand {
 public:
  const ProblemEntry& problem() const override { return find_problem("ica"); }

  ModelHelp help() const override {
    return {.text = "Independent components of the rows of a file",
            .components = "number of components, or auto [rank of the columns]",
            .automatic_components = true,
            .methods = {"auto", "landing"},
            .method = "auto, landing or a name from landfall methods [auto]",
            .baselines = Problem::ica,
            .defaults = {.passes = "by --tolerance", .batch = "1024 or 8p", .ridge = "none"},
            .passes = 1,
            .held_out = false,
            .ridge_grid = false,
            .examples =
                "  landfall ica mixtures.npy --out run\n"
                "  landfall ica out/data.npy --truth out/mixing.npy --passes 4"};
  }

  void add_own_options(const OptionAdder& add) override {
    add.choice(
        "--contrast", {"logcosh", "exp", "cube"},
        [this](const std::string& name) { options.fit.contrast = parse_contrast(name); },
        "logcosh, exp (outliers) or cube (kurtosis) [logcosh]");
    add.choice(
        "--reduce", {"pca", "none"},
        [this](const std::string& name) {
          options.fit.reduction = name == "none" ? Reduction::none : Reduction::pca;
        },
        "reduction to K components first: pca or none [pca]");
    add("--label-column", label_, "NAME", "column to exclude, by name or number from 1")->group(kTables);
    add("--truth", truth_, "FILE", "true mixing matrix; reports the Amari distance to it");
  }

  void add_test_options(const OptionAdder& add) override {
    add("--restarts", restarts_, "N", "more runs, each on half of the rows [0, auto: 10]")
        ->check(whole_number(0));
  }

  std::unique_ptr<ModelFit<float>> open_single() const override {
    return std::make_unique<IcaFit<float>>(options, truth_, label_, restarts_);
  }
  std::unique_ptr<ModelFit<double>> open_double() const override {
    return std::make_unique<IcaFit<double>>(options, truth_, label_, restarts_);
  }

 private:
  std::string truth_, label_;
  std::optional<int> restarts_;
};

}  // namespace

void setup_ica(CLI::App& parent, Action action) {
  setup_model(parent, action, std::make_shared<IcaCommand>());
}

}  // namespace landfall::app
