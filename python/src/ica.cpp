// fit_ica, plan_ica and cross_validate_ica.
#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/component_choice.hpp>
#include <landfall/models/ica/ica.hpp>

#include <array>

#include "convert.hpp"
#include "inputs.hpp"
#include "models.hpp"
#include "options.hpp"
#include "results.hpp"
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

/// None where there were no restarts.
py::object stability_dict(const IcaStability& stability) {
  if (stability.runs == 0) return py::none();
  py::dict dict;
  py::list clusters;
  for (std::size_t c = 0; c < stability.clusters.size(); ++c) {
    const SourceCluster& cluster = stability.clusters[c];
    py::dict one;
    one["size"] = cluster.size();
    one["runs"] = cluster.runs;
    one["quality"] = cluster.quality();
    one["within"] = cluster.within;
    one["between"] = cluster.between;
    one["departure"] = stability.departure(static_cast<Index>(c));
    one["stable"] = stability.is_stable(cluster);
    py::dict centrotype;
    centrotype["run"] = cluster.centrotype / stability.sources();
    centrotype["source"] = cluster.centrotype % stability.sources();
    one["centrotype"] = centrotype;
    clusters.append(one);
  }
  dict["runs"] = stability.runs;
  dict["cluster"] = stability.cluster;
  dict["clusters"] = clusters;
  dict["centrotypes"] = array_of<double>(Matrix<double>(stability.centrotypes.transpose()));
  return dict;
}

py::dict grid_dict(const IcaGridResult& found, int restarts) {
  std::vector<Index> components, stable, runs;
  std::vector<double> explained, mean, worst;
  for (const IcaGridRow& row : found.rows) {
    components.push_back(row.components);
    stable.push_back(row.stable);
    runs.push_back(row.runs);
    explained.push_back(row.explained);
    mean.push_back(row.mean_quality);
    worst.push_back(row.worst_quality);
  }
  py::dict dict;
  dict["samples"] = found.samples;
  dict["restarts"] = restarts;
  dict["rank"] = found.rank;
  dict["components"] = components;
  dict["stable"] = stable;
  dict["runs"] = runs;
  dict["explained_variance"] = explained;
  dict["mean_quality"] = mean;
  dict["worst_quality"] = worst;
  dict["chosen"] = found.chosen;
  return dict;
}

/// How many runs there are beside the fit, and whether they choose the number of components.
struct Restarts {
  int count = 0;
  bool choose = false;
};

template <class S>
py::dict fit(const Input& input, FitOptions options, const Restarts& restarts, Caller& caller) {
  const auto data = open_watched<S>(input, caller);
  IcaStability stability;
  std::optional<IcaGridResult> grid;
  const auto [result, taken] = caller.wait_for(timed([&] {
    if (restarts.choose) {
      grid = choose_ica_components<S>(*data, options, {.restarts = restarts.count});
      options.components = grid->rows[grid->chosen].components;
      data->rewind();
    }
    auto fitted = fit_ica<S>(std::make_unique<BorrowedSource<S>>(*data), options);
    if (restarts.count > 0) {
      stability = ica_stability<S>(*data, fitted, options, restarts.count);
      if (auto warning = stability_warning(stability); !warning.empty())
        fitted.warnings.push_back(std::move(warning));
    }
    return fitted;
  }));
  py::dict dict = ica_dict(result);
  taken.write(dict);
  dict["stability"] = stability_dict(stability);
  if (grid) dict["component_choice"] = grid_dict(*grid, restarts.count);
  return dict;
}

}  // namespace

template <class S>
py::dict ica_dict(const IcaResult<S>& result) {
  py::dict dict = fit_dict(result);
  dict["mixing"] = array_of<S>(result.mixing);
  dict["signs"] = array_of<double>(result.signs);
  dict["negentropy"] = array_of<double>(result.negentropy);
  dict["kurtosis"] = array_of<double>(result.kurtosis);
  dict["explained_variance"] = result.explained_variance;
  dict["contrast"] = to_string(result.contrast);
  dict["reduction"] = result.reduction == Reduction::pca ? "pca" : "none";
  return dict;
}
template py::dict ica_dict<float>(const IcaResult<float>&);
template py::dict ica_dict<double>(const IcaResult<double>&);

void bind_ica(py::module_& module) {
  module.def(
      "fit_ica",
      [](const InputPtr& data, const py::dict& options, const std::string& precision,
         const py::object& callback, const py::object& tick, int restarts, bool choose) {
        return interruptibly(tick, [=](Caller& caller) {
          const FitOptions fitting = fit_options(options, callback, caller);
          return in_precision(precision, std::array{data}, caller, [&]<class S>(S) {
            return fit<S>(*data, fitting, {.count = restarts, .choose = choose}, caller);
          });
        });
      },
      py::arg("data"), py::arg("options"), py::arg("precision") = "auto", py::arg("callback") = py::none(),
      py::arg("tick") = py::none(), py::arg("restarts") = 0, py::arg("choose") = false);
  module.def(
      "cross_validate_ica",
      [](const InputPtr& data, const py::dict& options, int restarts, const std::string& precision) {
        return interruptibly(py::none(), [=](Caller& caller) {
          const FitOptions fitting = fit_options(options, py::none(), caller);
          return in_precision(precision, std::array{data}, caller, [&]<class S>(S) {
            const auto source = open_watched<S>(*data, caller);
            return grid_dict(caller.wait_for([&] {
              return choose_ica_components<S>(*source, fitting,
                                              {.most = fitting.components, .restarts = restarts});
            }),
                             restarts);
          });
        });
      },
      py::arg("data"), py::arg("options"), py::arg("restarts"), py::arg("precision") = "auto");
  module.def(
      "plan_ica",
      [](const InputPtr& data, const py::dict& options, const std::string& precision) {
        Caller caller;
        const FitOptions fitting = fit_options(options, py::none(), caller);
        return in_precision(precision, std::array{data}, caller, [&]<class S>(S) {
          const auto source = open<S>(*data, caller);
          const Cost cost = caller.wait_for([&] { return plan_ica<S>(*source, fitting); });
          py::dict dict = plan_dict({.exact_is_chosen = false, .reason = "the only method", .landing = cost});
          dict.attr("pop")("exact");
          return dict;
        });
      },
      py::arg("data"), py::arg("options"), py::arg("precision") = "auto");
  module.def(
      "amari_distance",
      [](const py::array& unmixing, const py::array& mixing) {
        return amari_distance(matrix_of<double>(unmixing), matrix_of<double>(mixing));
      },
      py::arg("unmixing"), py::arg("mixing"));
}

}  // namespace landfall::python
