// landfall ica DATA: the independent components of the rows of a file.
#include <landfall/data/formats/matrix_file.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/contrast.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/ica/stability.hpp>

#include "commands/model_command.hpp"
#include "commands/weights_option.hpp"
#include "runs/model_run.hpp"
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
  const Index p = options.fit.components > 0 ? options.fit.components : features;
  if (mixing.rows() != features || mixing.cols() != p)
    throw DataError(
        fmt::format("{}: {}x{}, expected {}x{}: a row for each column of {}, a column for each component",
                    path, mixing.rows(), mixing.cols(), features, p, options.files[0]));
  return mixing;
}

template <class S>
class IcaFit final : public ModelFit<S> {
 public:
  IcaFit(const ModelOptions& options, const std::string& truth, const std::string& label, int restarts)
      : truth_(truth), restarts_(restarts) {
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

  const FitResult<S>& fit(const FitOptions& options) override {
    const SourcePtr<S> data = std::move(this->views[0]);
    result_ = fit_ica<S>(std::make_unique<BorrowedSource<S>>(*data), options);
    if (restarts_ > 0) stability_ = ica_stability<S>(*data, result_, options, restarts_);
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
    if (stability_.restarts > 0) {
      summary["restarts"] = stability_.restarts;
      summary["returned"] = stability_.returned;
      summary["similarity"] = numbers(stability_.similarity);
    }
  }

  void print_table() const override {
    const Vector<double>& share = result_.views[0].explained;
    const bool restarted = stability_.restarts > 0;
    fmt::print("{:>5}  {:<14}  {:>10}  {:>9}{}{}\n", "", "source", "negentropy", "kurtosis",
               share.size() > 0 ? "  variance" : "", restarted ? "   returned" : "");
    for (Index j = 0; j < result_.signs.size(); ++j) {
      fmt::print("{:>5}  {:<14}  {:>10.3e}  {:>9.3g}", j + 1, kind(result_.signs(j)), result_.negentropy(j),
                 result_.kurtosis(j));
      if (share.size() > 0) fmt::print("  {:>6.2f} %", 100 * share(j));
      if (restarted)
        fmt::print("  {:>3} of {:>2}", stability_.returned[static_cast<std::size_t>(j)], stability_.restarts);
      fmt::print("\n");
    }
    if (distance_) fmt::print("{:>5}  {:<14}  {:>10.3e}\n", "", "Amari distance", *distance_);
  }

  void write_files(const std::filesystem::path& folder) const override {
    write_npy<S>(folder / "mixing.npy", result_.mixing);
  }

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
  int restarts_ = 0;
  IcaStability stability_;
};

class IcaCommand final : public ModelCommand {
 public:
  const ProblemEntry& problem() const override { return find_problem("ica"); }

  ModelHelp help() const override {
    return {.text = "Independent components of the rows of a file",
            .components = "number of components [rank of the columns]",
            .methods = {"auto", "landing"},
            .method = "auto, landing or a name from landfall methods [auto]",
            .baselines = Problem::ica,
            .defaults = {.tolerance = false,
                         .passes = "1 to 4, as needed",
                         .batch = "1024 or 8p",
                         .ridge = "none"},
            .passes = 1,
            .held_out = false,
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
    add("--restarts", restarts_, "N", "fits from other starts: which sources come back [0]")
        ->check(whole_number(0));
    add("--truth", truth_, "FILE", "true mixing matrix; reports the Amari distance to it");
  }

  std::unique_ptr<ModelFit<float>> open_single() const override {
    return std::make_unique<IcaFit<float>>(options, truth_, label_, restarts_);
  }
  std::unique_ptr<ModelFit<double>> open_double() const override {
    return std::make_unique<IcaFit<double>>(options, truth_, label_, restarts_);
  }

 private:
  std::string truth_, label_;
  int restarts_ = 0;
};

}  // namespace

void setup_ica(CLI::App& parent, Action action) {
  setup_model(parent, action, std::make_shared<IcaCommand>());
}

}  // namespace landfall::app
