#include "convert.hpp"

#include <landfall/errors.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

template <class S>
using Columns = py::array_t<S, py::array::f_style | py::array::forcecast>;

template <class S>
py::list views_of(const FitResult<S>& result) {
  py::list views;
  for (const FittedView<S>& view : result.views) {
    py::dict one;
    one["weights"] = array_of<S>(view.weights);
    one["mean"] = array_of<double>(view.mean);
    one["dropped"] = view.dropped;
    one["ridge"] = view.ridge;
    one["infeasibility"] = view.infeasibility;
    one["method_infeasibility"] = view.method_infeasibility;
    if (view.loadings.size() > 0) {
      one["structure"] = array_of<double>(view.loadings);
      one["explained"] = array_of<double>(view.explained);
    }
    if (view.cross_loadings.size() > 0) {
      one["cross_structure"] = array_of<double>(view.cross_loadings);
      one["redundancy"] = array_of<double>(view.redundancy);
    }
    views.append(one);
  }
  return views;
}

py::dict choice_dict(const AdaptiveChoice& choice, int back_offs) {
  py::dict dict;
  dict["first_rows"] = choice.first_rows;
  dict["warm_up_passes"] = choice.warm_up;
  dict["pilot_steps"] = choice.pilot_steps;
  dict["rank"] = choice.rank;
  dict["row_noise"] = choice.noise;
  dict["step"] = choice.step;
  dict["momentum"] = choice.momentum;
  dict["omega"] = choice.omega;
  dict["back_offs"] = back_offs;
  return dict;
}

}  // namespace

template <class S>
py::array array_of(const Matrix<S>& matrix) {
  py::array_t<S, py::array::f_style> array({matrix.rows(), matrix.cols()});
  std::copy_n(matrix.data(), matrix.size(), array.mutable_data());
  return array;
}

template <class S>
py::array array_of(const Vector<S>& vector) {
  py::array_t<S> array(vector.size());
  std::copy_n(vector.data(), vector.size(), array.mutable_data());
  return array;
}

template <class S>
Matrix<S> matrix_of(const py::handle& object) {
  const auto array = Columns<S>::ensure(object);
  if (!array) throw py::error_already_set();
  if (array.ndim() != 2) throw UsageError(fmt::format("an array of {} dimensions, expected 2", array.ndim()));
  return Eigen::Map<const Matrix<S>>(array.data(), array.shape(0), array.shape(1));
}

template <class S>
Vector<S> vector_of(const py::handle& object) {
  const auto array = Columns<S>::ensure(object);
  if (!array) throw py::error_already_set();
  if (array.ndim() != 1) throw UsageError(fmt::format("an array of {} dimensions, expected 1", array.ndim()));
  return Eigen::Map<const Vector<S>>(array.data(), array.shape(0));
}

py::dict progress_dict(const Progress& progress) {
  py::dict dict;
  dict["iteration"] = progress.iteration;
  dict["passes"] = progress.passes;
  dict["seconds"] = progress.seconds;
  dict["objective"] = progress.objective;
  dict["infeasibility"] = progress.infeasibility;
  dict["stationarity"] = progress.stationarity;
  dict["step"] = progress.step;
  return dict;
}

py::array history_array(const std::vector<Progress>& history) {
  Matrix<double> rows(static_cast<Index>(history.size()), 7);
  for (Index i = 0; i < rows.rows(); ++i) {
    const Progress& at = history[static_cast<std::size_t>(i)];
    rows.row(i) << static_cast<double>(at.iteration), at.passes, at.seconds, at.objective, at.infeasibility,
        at.stationarity, at.step;
  }
  return array_of<double>(rows);
}

py::dict plan_dict(const Plan& plan) {
  const auto cost = [](const Cost& of) {
    py::dict dict;
    dict["bytes"] = of.bytes;
    dict["seconds"] = of.seconds;
    dict["passes"] = of.passes;
    return dict;
  };
  py::dict dict;
  dict["method"] = plan.exact_is_chosen ? "exact" : "landing";
  dict["reason"] = plan.reason;
  dict["exact"] = cost(plan.exact);
  dict["landing"] = cost(plan.landing);
  return dict;
}

template <class S>
py::dict fit_dict(const FitResult<S>& result) {
  py::dict dict;
  dict["views"] = views_of(result);
  dict["method"] = result.method_name;
  dict["reason"] = result.reason;
  dict["ridge_kind"] = to_string(result.ridge_kind);
  dict["ridge_rows"] = result.ridge_rows;
  dict["samples"] = result.samples;
  dict["held_out_samples"] = result.held_out_samples;
  if (result.sum_of_weights > 0) dict["sum_of_weights"] = result.sum_of_weights;
  dict["stationarity"] = result.stationarity;
  dict["estimated_gap"] = result.estimated_gap ? py::cast(*result.estimated_gap) : py::none();
  dict["passes"] = result.passes;
  dict["mean_pass"] = result.mean_pass;
  dict["iterations"] = result.iterations;
  dict["batch"] = result.batch;
  dict["termination"] = to_string(result.termination);
  dict["converged"] = result.converged;
  dict["warnings"] = result.warnings;
  dict["history"] = history_array(result.history);
  dict["choice"] = choice_dict(result.choice, result.back_offs);
  py::dict seconds;
  seconds["read"] = result.seconds.read;
  seconds["solve"] = result.seconds.solve;
  seconds["evaluate"] = result.seconds.evaluate;
  seconds["total"] = result.seconds.read + result.seconds.solve + result.seconds.evaluate;
  dict["seconds"] = seconds;
  dict["precision"] = sizeof(S) == sizeof(float) ? "single" : "double";
  return dict;
}

#define LANDFALL_CONVERT(S)                           \
  template py::array array_of<S>(const Matrix<S>&);   \
  template py::array array_of<S>(const Vector<S>&);   \
  template Matrix<S> matrix_of<S>(const py::handle&); \
  template Vector<S> vector_of<S>(const py::handle&); \
  template py::dict fit_dict<S>(const FitResult<S>&);
LANDFALL_CONVERT(float)
LANDFALL_CONVERT(double)

}  // namespace landfall::python
