// solve_gevp.
#include <landfall/models/gevp/gevp.hpp>

#include "convert.hpp"
#include "models.hpp"
#include "operators.hpp"
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

GevpOptions gevp_options(const py::dict& given) {
  GevpOptions options{.components = given["components"].cast<Index>(),
                      .smallest = given["smallest"].cast<bool>(),
                      .step = given["step"].cast<double>(),
                      .tolerance = given["tolerance"].cast<double>(),
                      .max_iterations = given["max_iterations"].cast<std::uint64_t>(),
                      .seed = given["seed"].cast<std::uint64_t>()};
  const auto method = given["method"].cast<std::string>();
  if (method == "auto" || method == "direct" || method == "lobpcg" || method == "landing")
    options.method = parse_gevp_method(method);
  else
    options.baseline = method;
  if (!given["direction"].is_none())
    options.direction = parse_direction(given["direction"].cast<std::string>());
  return options;
}

py::dict progress_of(const GevpProgress& progress) {
  py::dict dict;
  dict["iteration"] = progress.iteration;
  dict["residual"] = progress.residual;
  dict["infeasibility"] = progress.infeasibility;
  return dict;
}

template <class S>
py::dict solve(const py::tuple& a, const py::tuple& b, GevpOptions options, const py::object& callback,
               Caller& caller) {
  const auto first = operator_of<S>(a, caller), second = operator_of<S>(b, caller);
  options.observer = [&](const GevpProgress& progress) {
    bool stop = caller.cancel().requested();
    if (!callback.is_none() && !stop)
      caller.call([&] {
        const py::object answer = callback(progress_of(progress));
        stop = !answer.is_none() && answer.cast<bool>();
      });
    return !stop;
  };
  const auto result = caller.wait_for([&] { return solve_gevp<S>(first, second, options); });
  py::dict dict;
  dict["values"] = array_of<S>(result.values);
  dict["vectors"] = array_of<S>(result.vectors);
  dict["residuals"] = array_of<S>(result.residuals);
  dict["infeasibility"] = result.infeasibility;
  dict["stationarity"] = result.stationarity;
  dict["method"] = result.method_name;
  dict["reason"] = result.reason;
  dict["iterations"] = result.iterations;
  dict["termination"] = to_string(result.termination);
  dict["warnings"] = result.warnings;
  return dict;
}

}  // namespace

void bind_gevp(py::module_& module) {
  module.def(
      "solve_gevp",
      [](const py::tuple& a, const py::tuple& b, const py::dict& options, bool single,
         const py::object& callback) {
        return interruptibly(py::none(), [=](Caller& caller) {
          const GevpOptions solving = gevp_options(options);
          return single ? solve<float>(a, b, solving, callback, caller)
                        : solve<double>(a, b, solving, callback, caller);
        });
      },
      py::arg("a"), py::arg("b"), py::arg("options"), py::arg("single"), py::arg("callback") = py::none());
}

}  // namespace landfall::python
