// fit_cca, plan_cca and cross_validate_cca.
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/curve.hpp>
#include <landfall/models/cca/grid.hpp>
#include <landfall/run/loadings.hpp>

#include <array>

#include "convert.hpp"
#include "inputs.hpp"
#include "models.hpp"
#include "options.hpp"
#include "results.hpp"
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

py::list curve_list(const std::vector<CurvePoint>& points) {
  py::list list;
  for (const CurvePoint& at : points) {
    py::dict one;
    one["passes"] = at.passes;
    one["seconds"] = at.seconds;
    one["regularized_total"] = at.total_correlation;
    one["infeasibility"] = at.infeasibility;
    list.append(one);
  }
  return list;
}

/// What a fit does beside fitting.
struct CcaRun {
  bool choose = false;     // the number of pairs
  double curve_every = 0;  // passes between evaluations on all rows; 0: none
};

template <class S>
py::dict fit(const std::array<InputPtr, 2>& inputs, const FitOptions& options, const CcaRun& run,
             Caller& caller) {
  auto left = open_watched<S>(*inputs[0], caller), right = open_watched<S>(*inputs[1], caller);
  std::array<SourcePtr<S>, 2> again{open<S>(*inputs[0], caller), open<S>(*inputs[1], caller)};
  CcaCurve<S> curve(options.components, run.curve_every);
  const auto [result, taken] = caller.wait_for(timed([&] {
    auto fitted =
        fit_cca<S>(std::move(left), std::move(right), options, run.curve_every > 0 ? &curve : nullptr);
    if (run.choose) keep_real_pairs(fitted);
    for (std::size_t v = 0; v < 2; ++v)
      if (fitted.regression[v].size() == 0)  // it did not fit in memory beside the rest
        fitted.regression[v] = loadings_of<S>(*again[v], fitted.views[v], options);
    return fitted;
  }));
  py::dict dict = cca_dict(result);
  taken.write(dict);
  if (run.curve_every > 0) dict["curve"] = curve_list(curve.points());
  return dict;
}

template <class S>
py::dict cross_validate(const std::array<InputPtr, 2>& inputs, const FitOptions& options,
                        const std::vector<double>& ridges, Caller& caller) {
  auto left = open_watched<S>(*inputs[0], caller), right = open_watched<S>(*inputs[1], caller);
  CcaGrid grid{.components = options.components};
  if (!ridges.empty()) grid.ridges = ridges;
  grid.folds = options.folds.value_or(grid.folds);
  const auto found = caller.wait_for(
      [&] { return cross_validate_grid<S>(std::move(left), std::move(right), options, grid); });
  py::dict dict;
  dict["folds"] = found.folds;
  dict["ridges"] = found.ridges;
  dict["values"] = array_of<double>(found.totals);
  dict["errors"] = array_of<double>(found.errors);
  dict["components_by_ridge"] = found.pairs;
  dict["any_real"] = found.any_real;
  dict["best"] = found.best_ridge;
  dict["chosen"] = found.ridge;
  return dict;
}

py::list wilks_list(const std::vector<WilksTest>& tests) {
  py::list list;
  for (const WilksTest& test : tests) {
    py::dict one;
    one["lambda"] = test.lambda;
    one["chi_squared"] = test.chi_squared.statistic;
    one["chi_squared_df"] = test.chi_squared.degrees;
    one["chi_squared_p"] = test.chi_squared.p;
    one["f"] = test.f.statistic;
    one["f_df1"] = test.f.degrees;
    one["f_df2"] = test.f.denominator;
    one["f_p"] = test.f.p;
    list.append(one);
  }
  return list;
}

/// None where there was no bootstrap.
py::object bootstrap_dict(const CcaBootstrap& intervals) {
  if (intervals.resamples == 0) return py::none();
  py::dict dict;
  dict["resamples"] = intervals.resamples;
  dict["level"] = intervals.level;
  dict["lower"] = array_of<double>(intervals.lower);
  dict["upper"] = array_of<double>(intervals.upper);
  dict["errors"] = array_of<double>(intervals.errors);
  py::list loadings;
  for (const LoadingIntervals& view : intervals.loadings) {
    py::dict one;
    one["lower"] = array_of<double>(view.lower);
    one["upper"] = array_of<double>(view.upper);
    loadings.append(one);
  }
  dict["loadings"] = loadings;
  return dict;
}

}  // namespace

template <class S>
py::dict cca_dict(const CcaResult<S>& result) {
  py::dict dict = fit_dict(result);
  dict["correlations"] = array_of<double>(result.correlations);
  dict["regularized_correlations"] = array_of<double>(result.regularized);
  dict["held_out_correlations"] = array_of<double>(result.held_out);
  dict["folds"] = result.cross_validated.folds;
  dict["cross_validated_correlations"] = array_of<double>(result.cross_validated.correlations);
  dict["cross_validated_errors"] = array_of<double>(result.cross_validated.errors);
  dict["wilks"] = wilks_list(result.wilks);
  dict["permutations"] = result.permutation.permutations;
  dict["permutation_p"] = array_of<double>(result.permutation.p);
  dict["bootstrap"] = bootstrap_dict(result.bootstrap);
  for (std::size_t v = 0; v < 2; ++v) {
    const py::object view = dict["views"][py::int_(v)];
    if (result.regression[v].size() > 0) view["loadings"] = array_of<double>(result.regression[v]);
    if (result.prediction[v].size() > 0) view["prediction"] = array_of<double>(result.prediction[v]);
    if (result.prediction_r2[v].size() > 0) view["prediction_r2"] = array_of<double>(result.prediction_r2[v]);
  }
  return dict;
}
template py::dict cca_dict<float>(const CcaResult<float>&);
template py::dict cca_dict<double>(const CcaResult<double>&);

void bind_cca(py::module_& module) {
  module.def(
      "fit_cca",
      [](const InputPtr& left, const InputPtr& right, const py::dict& options, const std::string& precision,
         const py::object& callback, const py::object& tick, bool choose, double curve) {
        return interruptibly(tick, [=](Caller& caller) {
          FitOptions fitting = fit_options(options, callback, caller);
          if (choose && !fitting.folds) fitting.folds = 5;
          const std::array inputs{left, right};
          return in_precision(precision, inputs, caller, [&]<class S>(S) {
            return fit<S>(inputs, fitting, {choose, curve}, caller);
          });
        });
      },
      py::arg("left"), py::arg("right"), py::arg("options"), py::arg("precision") = "auto",
      py::arg("callback") = py::none(), py::arg("tick") = py::none(), py::arg("choose") = false,
      py::arg("curve") = 0.0);
  module.def(
      "plan_cca",
      [](const InputPtr& left, const InputPtr& right, const py::dict& options, const std::string& precision) {
        Caller caller;
        const FitOptions fitting = fit_options(options, py::none(), caller);
        const std::array inputs{left, right};
        return in_precision(precision, inputs, caller, [&]<class S>(S) {
          const auto a = open<S>(*left, caller), b = open<S>(*right, caller);
          return plan_dict(caller.wait_for([&] { return plan_cca<S>(*a, *b, fitting); }));
        });
      },
      py::arg("left"), py::arg("right"), py::arg("options"), py::arg("precision") = "auto");
  module.def(
      "cross_validate_cca",
      [](const InputPtr& left, const InputPtr& right, const py::dict& options,
         const std::vector<double>& ridges, const std::string& precision) {
        return interruptibly(py::none(), [=](Caller& caller) {
          const FitOptions fitting = fit_options(options, py::none(), caller);
          const std::array inputs{left, right};
          return in_precision(precision, inputs, caller,
                              [&]<class S>(S) { return cross_validate<S>(inputs, fitting, ridges, caller); });
        });
      },
      py::arg("left"), py::arg("right"), py::arg("options"), py::arg("ridges"),
      py::arg("precision") = "auto");
}

}  // namespace landfall::python
