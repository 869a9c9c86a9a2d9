// landfall ica DATA: the independent components of the rows of a file.
#include <landfall/data/formats/matrix_file.hpp>
#include <landfall/data/formats/npy.hpp>
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
#include "runs/model_run.hpp"
#include "terminal/ranks.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

std::string_view kind(double sign) {
  return sign > 0 ? "super-Gaussian" : "sub-Gaussian";
}

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

/// Of all runs together, and of each source.
Json stability_json(const IcaStability& stability) {
  Json clusters = Json::array(), json{{"runs", stability.runs}, {"cluster", stability.cluster}};
  for (std::size_t c = 0; c < stability.clusters.size(); ++c) {
    const SourceCluster& cluster = stability.clusters[c];
    clusters.push_back({{"size", cluster.size()},
                        {"runs", cluster.runs},
                        {"quality", cluster.quality()},
                        {"within", cluster.within},
                        {"between", cluster.between},
                        {"departure", stability.departure(static_cast<Index>(c))},
                        {"stable", stability.is_stable(cluster)},
                        {"centrotype",
                         {{"run", cluster.centrotype / stability.sources()},
                          {"source", cluster.centrotype % stability.sources()}}}});
  }
  for (Index j = 0; j < stability.sources(); ++j) {
    json["quality"].push_back(stability.of(j).quality());
    json["found_in"].push_back(stability.of(j).runs);
    json["stable"].push_back(stability.is_stable(j));
  }
  json["clusters"] = std::move(clusters);
  return json;
}

/// The object that landfall cv prints.
Json grid_json(const IcaGridResult& found, int restarts) {
  const IcaGridRow& chosen = found.rows[found.chosen];
  Json choice{{"problem", "ica"},   {"measure", "stability"}, {"samples", found.samples},
              {"rank", found.rank}, {"restarts", restarts},   {"chosen_number", found.chosen}};
  for (const IcaGridRow& row : found.rows) {
    choice["components"].push_back(row.components);
    choice["explained_variance"].push_back(row.explained);
    choice["mean_quality"].push_back(row.mean_quality);
    choice["worst_quality"].push_back(row.worst_quality);
    choice["stable"].push_back(row.stable);
    choice["runs"].push_back(row.runs);
  }
  choice["choice"] = {{"components", chosen.components}};
  const std::string stable = chosen.stable == chosen.components ? "all" : fmt::format("{}", chosen.stable);
  choice["text"] =
      found.any_stable()
          ? fmt::format(
                "-p {}: {} of its components come back from other starts and halves of the rows and are not "
                "Gaussian; no number of components has more, and no smaller one as many. They are among "
                "principal "
                "components that hold {:.4g} % of the variance.",
                chosen.components, stable, 100 * chosen.explained)
          : fmt::format(
                "No component comes back from other starts and halves of the rows, with any of these "
                "numbers: there "
                "are no independent sources that ICA can tell apart. -p {} holds {:.4g} % of the variance.",
                chosen.components, 100 * chosen.explained);
  return choice;
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
      grid_ = grid_json(found, restarts);
      data->rewind();
    }
    result_ = fit_ica<S>(std::make_unique<BorrowedSource<S>>(*data), options);
    if (restarts > 0) {
      stability_ = ica_stability<S>(*data, result_, options, restarts);
      if (auto warning = stability_warning(stability_); !warning.empty())
        result_.warnings.push_back(std::move(warning));
    }
    if (mixing_) distance_ = distance();
    return result_;
  }

  void add_numbers(Json& summary) const override {
    std::vector<std::string_view> kinds;
    for (const double sign : result_.signs) kinds.push_back(kind(sign));
    summary["contrast"] = to_string(result_.contrast);
    summary["reduction"] = result_.reduction == Reduction::pca ? "pca" : "none";
    if (result_.reduction == Reduction::pca) summary["explained_variance"] = result_.explained_variance;
    summary["negentropy"] = numbers(result_.negentropy);
    summary["kinds"] = kinds;
    summary["kurtosis"] = numbers(result_.kurtosis);
  }

  void add_more(Json& summary) const override {
    if (distance_) summary["amari"] = *distance_;
    if (stability_.runs > 0) {
      summary["restarts"] = stability_.runs - 1;
      summary["stability"] = stability_json(stability_);
    }
    if (!grid_.is_null()) summary["component_choice"] = grid_;
  }

  void print_table() const override {
    const Vector<double>& share = result_.views[0].explained;
    const bool restarted = stability_.runs > 0;
    fmt::print("{:>5}  {:<14}  {:>10}  {:>9}{}{}\n", "", "source", "negentropy", "kurtosis",
               share.size() > 0 ? "  variance" : "", restarted ? "     Iq    found in" : "");
    for (Index j = 0; j < result_.signs.size(); ++j) {
      fmt::print("{:>5}  {:<14}  {:>10.3e}  {:>9.3g}", j + 1, kind(result_.signs(j)), result_.negentropy(j),
                 result_.kurtosis(j));
      if (share.size() > 0) fmt::print("  {:>6.2f} %", 100 * share(j));
      if (restarted)
        fmt::print("  {:>5.3f}  {:>3} of {:>3}", stability_.of(j).quality(), stability_.of(j).runs,
                   stability_.runs);
      fmt::print("\n");
    }
    if (distance_) fmt::print("{:>5}  {:<14}  {:>10.3e}\n", "", "Amari distance", *distance_);
  }

  void write_files(const std::filesystem::path& folder) const override {
    write_npy<S>(folder / "mixing.npy", result_.mixing);
    if (stability_.runs > 0)
      write_npy<double>(folder / "centrotypes.npy", stability_.centrotypes.transpose());
  }

  Json cross_validate(const FitOptions& options, const std::vector<double>&) override {
    const int restarts = restarts_.value_or(IcaGrid{}.restarts);
    return grid_json(choose_ica_components<S>(*this->views[0], options,
                                              {.most = options.components, .restarts = restarts}),
                     restarts);
  }
  void print_validation(const Json& choice) const override { print_validation_table(choice); }

 private:
  double distance() const {
    try {
      return amari_distance(result_.unmixing().template cast<double>(), *mixing_);
    } catch (const UsageError& error) {
      throw DataError(fmt::format("{}: {}", truth_, error.what()));
    }
  }

  std::string truth_;                     // a file
  std::optional<Matrix<double>> mixing_;  // in it
  IcaResult<S> result_;
  std::optional<double> distance_;  // Amari's, to the truth
  std::optional<int> restarts_;
  bool choose_components_ = false;
  IcaStability stability_;
  Json grid_;  // of -p auto
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
