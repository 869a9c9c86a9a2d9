// fit_ica and plan_ica.
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/ica.hpp>

#include <array>

#include "convert.hpp"
#include "inputs.hpp"
#include "models.hpp"
#include "options.hpp"
#include "results.hpp"

namespace landfall::python {
namespace {

template <class S>
py::dict fit(const Input& input, const FitOptions& options, Caller& caller) {
  auto data = open_watched<S>(input, caller);
  const auto result = caller.wait_for([&] { return fit_ica<S>(std::move(data), options); });
  return ica_dict(result);
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
  return dict;
}
template py::dict ica_dict<float>(const IcaResult<float>&);
template py::dict ica_dict<double>(const IcaResult<double>&);

void bind_ica(py::module_& module) {
  module.def(
      "fit_ica",
      [](const InputPtr& data, const py::dict& options, const std::string& precision,
         const py::object& callback, const py::object& tick) {
        Caller caller(tick);
        const FitOptions fitting = fit_options(options, callback, caller);
        return in_precision(precision, std::array{data}, caller,
                            [&]<class S>(S) { return fit<S>(*data, fitting, caller); });
      },
      py::arg("data"), py::arg("options"), py::arg("precision") = "auto", py::arg("callback") = py::none(),
      py::arg("tick") = py::none());
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
