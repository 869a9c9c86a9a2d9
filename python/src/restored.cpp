#include "restored.hpp"

#include <landfall/errors.hpp>
#include <landfall/models/ica/contrast.hpp>

#include <limits>

#include "convert.hpp"
#include "runs/cca_content.hpp"
#include "runs/ica_content.hpp"
#include "runs/lda_content.hpp"
#include <fmt/format.h>
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

bool has(const py::dict& dict, const char* key) {
  return dict.contains(key) && !dict[key].is_none();
}

/// The default where there is none.
template <class T>
T value_or(const py::dict& dict, const char* key, T otherwise) {
  return has(dict, key) ? dict[key].cast<T>() : otherwise;
}

/// None is not a number, as in the summary.
double number(const py::dict& dict, const char* key) {
  return value_or(dict, key, std::numeric_limits<double>::quiet_NaN());
}

template <class S = double>
void take(const py::dict& dict, const char* key, Matrix<S>& into) {
  if (has(dict, key) && py::len(dict[key]) > 0) into = matrix_of<S>(dict[key]);
}
void take(const py::dict& dict, const char* key, Vector<double>& into) {
  if (has(dict, key)) into = vector_of<double>(dict[key]);
}

/// The value whose name this is, of those up to the last.
template <class Enum>
Enum named(const std::string& name, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (to_string(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  throw UsageError(fmt::format("unknown name '{}' in a result", name));
}

template <class S>
FittedView<S> view_of(const py::dict& dict) {
  FittedView<S> view;
  take<S>(dict, "weights", view.weights);
  take(dict, "mean", view.mean);
  view.dropped = dict["dropped"].cast<std::vector<Index>>();
  view.ridge = dict["ridge"].cast<double>();
  view.infeasibility = dict["infeasibility"].cast<double>();
  view.method_infeasibility = dict["method_infeasibility"].cast<double>();
  take(dict, "structure", view.loadings);
  take(dict, "cross_structure", view.cross_loadings);
  take(dict, "explained", view.explained);
  take(dict, "redundancy", view.redundancy);
  return view;
}

void take_choice(const py::dict& dict, AdaptiveChoice& choice, int& back_offs) {
  choice.first_rows = dict["first_rows"].cast<Index>();
  choice.warm_up = dict["warm_up_passes"].cast<int>();
  choice.pilot_steps = dict["pilot_steps"].cast<int>();
  choice.rank = dict["rank"].cast<std::vector<Index>>();
  choice.noise = dict["row_noise"].cast<double>();
  choice.step = dict["step"].cast<double>();
  choice.momentum = dict["momentum"].cast<double>();
  choice.omega = dict["omega"].cast<double>();
  back_offs = dict["back_offs"].cast<int>();
}

/// The columns of history.csv.
std::vector<Progress> history_of(const Matrix<double>& table) {
  std::vector<Progress> history;
  for (Index i = 0; i < table.rows(); ++i)
    history.push_back({.iteration = static_cast<std::uint64_t>(table(i, 0)),
                       .passes = table(i, 1),
                       .seconds = table(i, 2),
                       .objective = table(i, 3),
                       .infeasibility = table(i, 4),
                       .stationarity = table(i, 5),
                       .step = table(i, 6)});
  return history;
}

template <class S>
void take_fit(const py::dict& dict, FitResult<S>& result) {
  for (const auto& view : dict["views"]) result.views.push_back(view_of<S>(view.cast<py::dict>()));
  result.method_name = PyUnicode_AsUTF8(dict["method"].ptr());  // lives as long as the dict
  result.reason = dict["reason"].cast<std::string>();
  result.ridge_kind = named(dict["ridge_kind"].cast<std::string>(), RidgeKind::relative);
  result.ridge_rows = dict["ridge_rows"].cast<double>();
  result.samples = dict["samples"].cast<Index>();
  result.held_out_samples = dict["held_out_samples"].cast<Index>();
  result.sum_of_weights = value_or(dict, "sum_of_weights", 0.0);
  result.stationarity = dict["stationarity"].cast<double>();
  if (has(dict, "estimated_gap")) result.estimated_gap = dict["estimated_gap"].cast<double>();
  result.passes = dict["passes"].cast<double>();
  result.mean_pass = dict["mean_pass"].cast<bool>();
  result.iterations = dict["iterations"].cast<std::uint64_t>();
  result.batch = dict["batch"].cast<Index>();
  take_choice(dict["choice"].cast<py::dict>(), result.choice, result.back_offs);
  result.termination = named(dict["termination"].cast<std::string>(), Termination::infeasible_start);
  result.converged = dict["converged"].cast<bool>();
  result.warnings = dict["warnings"].cast<std::vector<std::string>>();
  result.history = history_of(matrix_of<double>(dict["history"]));
  const py::dict seconds = dict["seconds"];
  result.seconds = {seconds["read"].cast<double>(), seconds["solve"].cast<double>(),
                    seconds["evaluate"].cast<double>()};
}

WilksTest wilks_of(const py::dict& dict) {
  WilksTest test;
  test.lambda = number(dict, "lambda");
  test.chi_squared = {.statistic = number(dict, "chi_squared"),
                      .degrees = number(dict, "chi_squared_df"),
                      .p = number(dict, "chi_squared_p")};
  test.f = {.statistic = number(dict, "f"),
            .degrees = number(dict, "f_df1"),
            .denominator = number(dict, "f_df2"),
            .p = number(dict, "f_p")};
  return test;
}

void take_bootstrap(const py::dict& dict, CcaBootstrap& intervals) {
  intervals.resamples = dict["resamples"].cast<int>();
  intervals.level = dict["level"].cast<double>();
  take(dict, "lower", intervals.lower);
  take(dict, "upper", intervals.upper);
  take(dict, "errors", intervals.errors);
  if (!has(dict, "loadings")) return;
  for (std::size_t v = 0; v < 2; ++v) {
    const py::dict view = dict["loadings"][py::int_(v)];
    take(view, "lower", intervals.loadings[v].lower);
    take(view, "upper", intervals.loadings[v].upper);
  }
}

template <class S>
std::unique_ptr<app::RunContent<S>> cca_of(const py::dict& dict) {
  auto content = std::make_unique<app::CcaContent<S>>();
  CcaResult<S>& result = content->result;
  take_fit(dict, result);
  take(dict, "correlations", result.correlations);
  take(dict, "regularized_correlations", result.regularized);
  take(dict, "held_out_correlations", result.held_out);
  result.cross_validated.folds = value_or(dict, "folds", 0);
  take(dict, "cross_validated_correlations", result.cross_validated.correlations);
  take(dict, "cross_validated_errors", result.cross_validated.errors);
  if (has(dict, "wilks"))
    for (const auto& test : dict["wilks"]) result.wilks.push_back(wilks_of(test.cast<py::dict>()));
  result.permutation.permutations = value_or(dict, "permutations", 0);
  take(dict, "permutation_p", result.permutation.p);
  if (has(dict, "bootstrap")) take_bootstrap(dict["bootstrap"], result.bootstrap);
  for (std::size_t v = 0; v < 2; ++v) {
    const py::dict view = dict["views"][py::int_(v)];
    take(view, "prediction", result.prediction[v]);
    take(view, "prediction_r2", result.prediction_r2[v]);
    take(view, "loadings", result.regression[v]);
  }
  return content;
}

template <class S>
std::unique_ptr<app::RunContent<S>> lda_of(const py::dict& dict) {
  auto content = std::make_unique<app::LdaContent<S>>();
  LdaResult<S>& result = content->result;
  take_fit(dict, result);
  result.classes = dict["classes"].cast<std::vector<std::string>>();
  take(dict, "centres", result.centres);
  take(dict, "priors", result.priors);
  take(dict, "eigenvalues", result.eigenvalues);
  take(dict, "explained_ratio", result.explained_ratio);
  result.training_accuracy = dict["training_accuracy"].cast<double>();
  take(dict, "within_structure", result.within_loadings);
  if (has(dict, "held_out_accuracy")) result.held_out_accuracy = dict["held_out_accuracy"].cast<double>();
  take(dict, "confusion", result.confusion);
  take(dict, "held_out_confusion", result.held_out_confusion);
  return content;
}

IcaStability stability_of_dict(const py::dict& dict) {
  IcaStability stability;
  stability.runs = dict["runs"].cast<Index>();
  stability.cluster = dict["cluster"].cast<std::vector<Index>>();
  stability.centrotypes = matrix_of<double>(dict["centrotypes"]).transpose();
  const py::list clusters = dict["clusters"];
  stability.departure.resize(static_cast<Index>(clusters.size()));
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const py::dict one = clusters[c];
    const py::dict centre = one["centrotype"];
    SourceCluster cluster;
    cluster.members.resize(one["size"].cast<std::size_t>());  // which they are is not kept
    cluster.runs = one["runs"].cast<Index>();
    cluster.within = one["within"].cast<double>();
    cluster.between = one["between"].cast<double>();
    cluster.centrotype = centre["run"].cast<Index>() * stability.sources() + centre["source"].cast<Index>();
    stability.departure(static_cast<Index>(c)) = one["departure"].cast<double>();
    stability.clusters.push_back(std::move(cluster));
  }
  return stability;
}

app::Json component_choice_of(const py::dict& dict) {
  IcaGridResult found;
  found.samples = dict["samples"].cast<Index>();
  found.rank = dict["rank"].cast<Index>();
  found.chosen = dict["chosen"].cast<std::size_t>();
  const auto each = [&]<class T>(const char* key, T IcaGridRow::*field) {
    const auto values = dict[key].cast<std::vector<T>>();
    found.rows.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) found.rows[i].*field = values[i];
  };
  each("components", &IcaGridRow::components);
  each("explained_variance", &IcaGridRow::explained);
  each("mean_quality", &IcaGridRow::mean_quality);
  each("worst_quality", &IcaGridRow::worst_quality);
  each("stable", &IcaGridRow::stable);
  each("runs", &IcaGridRow::runs);
  return app::component_choice_json(found, dict["restarts"].cast<int>());
}

template <class S>
std::unique_ptr<app::RunContent<S>> ica_of(const py::dict& dict) {
  auto content = std::make_unique<app::IcaContent<S>>();
  IcaResult<S>& result = content->result;
  take_fit(dict, result);
  take<S>(dict, "mixing", result.mixing);
  take(dict, "signs", result.signs);
  take(dict, "negentropy", result.negentropy);
  take(dict, "kurtosis", result.kurtosis);
  result.contrast = parse_contrast(dict["contrast"].cast<std::string>());
  result.reduction = dict["reduction"].cast<std::string>() == "pca" ? Reduction::pca : Reduction::none;
  result.explained_variance = dict["explained_variance"].cast<double>();
  if (has(dict, "stability")) content->stability = stability_of_dict(dict["stability"]);
  if (has(dict, "component_choice")) content->choice = component_choice_of(dict["component_choice"]);
  return content;
}

}  // namespace

template <class S>
std::unique_ptr<app::RunContent<S>> restored(const std::string& kind, const py::dict& result) {
  if (kind == "cca") return cca_of<S>(result);
  if (kind == "ica") return ica_of<S>(result);
  return lda_of<S>(result);
}

template std::unique_ptr<app::RunContent<float>> restored<float>(const std::string&, const py::dict&);
template std::unique_ptr<app::RunContent<double>> restored<double>(const std::string&, const py::dict&);

}  // namespace landfall::python
