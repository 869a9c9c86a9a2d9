// fit_lda, plan_lda, cross_validate_lda, and the classes of scores.
#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/models/lda/lda.hpp>
#include <landfall/models/lda/posterior.hpp>
#include <landfall/models/lda/shrinkage.hpp>

#include <array>

#include "convert.hpp"
#include "inputs.hpp"
#include "models.hpp"
#include "options.hpp"
#include "results.hpp"
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

/// codes[i] is the class of row i, a position in names.
Labels labels_of_codes(std::vector<std::string> names, const py::array_t<std::uint32_t>& codes) {
  const auto* first = codes.data();
  return {"y", std::move(names), std::vector<std::uint32_t>(first, first + codes.size())};
}

template <class S>
py::dict fit(const Input& input, const Labels& labels, FitOptions options, bool choose, Caller& caller) {
  const auto data = open_watched<S>(input, caller);
  const auto [result, taken] = caller.wait_for(timed([&] {
    if (choose) {
      options.components = real_directions<S>(*data, labels, options);
      data->rewind();
    }
    return fit_lda<S>(std::make_unique<BorrowedSource<S>>(*data), labels, options);
  }));
  py::dict dict = lda_dict(result);
  taken.write(dict);
  return dict;
}

template <class S>
py::dict cross_validate(const Input& input, const Labels& labels, const FitOptions& options,
                        const std::vector<double>& ridges, Caller& caller) {
  auto data = open_watched<S>(input, caller);
  const auto found =
      caller.wait_for([&] { return cross_validate_shrinkage<S>(std::move(data), labels, options, ridges); });
  py::dict dict;
  dict["folds"] = found.folds;
  dict["ridges"] = found.ridges;
  dict["components"] = found.components;
  dict["values"] = array_of<double>(found.accuracy);
  dict["errors"] = array_of<double>(found.errors);
  dict["directions"] = found.components[found.directions];
  dict["best"] = found.best;
  dict["chosen"] = found.chosen;
  return dict;
}

}  // namespace

template <class S>
py::dict lda_dict(const LdaResult<S>& result) {
  py::dict dict = fit_dict(result);
  dict["classes"] = result.classes;
  dict["centres"] = array_of<double>(result.centres);
  dict["priors"] = array_of<double>(result.priors);
  dict["eigenvalues"] = array_of<double>(result.eigenvalues);
  dict["explained_ratio"] = array_of<double>(result.explained_ratio);
  dict["training_accuracy"] = result.training_accuracy;
  dict["within_structure"] = array_of<double>(result.within_loadings);
  dict["held_out_accuracy"] = result.held_out_accuracy;
  dict["confusion"] = array_of<double>(result.confusion);
  dict["held_out_confusion"] = array_of<double>(result.held_out_confusion);
  return dict;
}
template py::dict lda_dict<float>(const LdaResult<float>&);
template py::dict lda_dict<double>(const LdaResult<double>&);

void bind_lda(py::module_& module) {
  module.def(
      "fit_lda",
      [](const InputPtr& data, const std::vector<std::string>& names, const py::array_t<std::uint32_t>& codes,
         const py::dict& options, const std::string& precision, const py::object& callback,
         const py::object& tick, bool choose) {
        return interruptibly(tick, [=](Caller& caller) {
          const FitOptions fitting = fit_options(options, callback, caller);
          const Labels labels = labels_of_codes(names, codes);
          return in_precision(precision, std::array{data}, caller,
                              [&]<class S>(S) { return fit<S>(*data, labels, fitting, choose, caller); });
        });
      },
      py::arg("data"), py::arg("classes"), py::arg("codes"), py::arg("options"),
      py::arg("precision") = "auto", py::arg("callback") = py::none(), py::arg("tick") = py::none(),
      py::arg("choose") = false);
  module.def(
      "plan_lda",
      [](const InputPtr& data, const std::vector<std::string>& names, const py::array_t<std::uint32_t>& codes,
         const py::dict& options, const std::string& precision) {
        Caller caller;
        const FitOptions fitting = fit_options(options, py::none(), caller);
        const Labels labels = labels_of_codes(names, codes);
        return in_precision(precision, std::array{data}, caller, [&]<class S>(S) {
          const auto source = open<S>(*data, caller);
          return plan_dict(caller.wait_for([&] { return plan_lda<S>(*source, labels, fitting); }));
        });
      },
      py::arg("data"), py::arg("classes"), py::arg("codes"), py::arg("options"),
      py::arg("precision") = "auto");
  module.def(
      "cross_validate_lda",
      [](const InputPtr& data, const std::vector<std::string>& names, const py::array_t<std::uint32_t>& codes,
         const py::dict& options, const std::vector<double>& ridges, const std::string& precision) {
        return interruptibly(py::none(), [=](Caller& caller) {
          const FitOptions fitting = fit_options(options, py::none(), caller);
          const Labels labels = labels_of_codes(names, codes);
          return in_precision(precision, std::array{data}, caller, [&]<class S>(S) {
            return cross_validate<S>(*data, labels, fitting, ridges, caller);
          });
        });
      },
      py::arg("data"), py::arg("classes"), py::arg("codes"), py::arg("options"), py::arg("ridges"),
      py::arg("precision") = "auto");
  module.def(
      "read_labels",
      [](const std::string& path) {
        const Labels labels = read_labels(path);
        std::vector<std::uint32_t> codes;
        for (Index i = 0; i < labels.rows(); ++i) codes.push_back(static_cast<std::uint32_t>(labels.of(i)));
        return std::pair(std::vector<std::string>(labels.names().begin(), labels.names().end()),
                         py::array_t<std::uint32_t>(static_cast<Index>(codes.size()), codes.data()));
      },
      py::arg("path"));
  module.def(
      "class_scores",
      [](const py::array& scores, const py::array& centres, const py::array& priors, bool log_posterior) {
        const auto of = log_posterior ? &log_posteriors : &class_scores;
        return array_of<double>(
            of(matrix_of<double>(scores), matrix_of<double>(centres), vector_of<double>(priors)));
      },
      py::arg("scores"), py::arg("centres"), py::arg("priors"), py::arg("log_posterior"));
}

}  // namespace landfall::python
