// Run folders and reports: the same files as those of the program.
#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/run/run_folder.hpp>

#include "convert.hpp"
#include "inputs.hpp"
#include "models.hpp"
#include "options.hpp"
#include "report/report_data.hpp"
#include "report/report_rows.hpp"
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace landfall::python {
namespace {

namespace fs = std::filesystem;

bool is_float(const py::array& array) {
  return array.dtype().kind() == 'f' && array.itemsize() == 4;
}

void write_array(const fs::path& path, const py::array& array) {
  if (array.ndim() == 1)
    write_npy_vector<double>(path, vector_of<double>(array));
  else if (is_float(array))
    write_npy<float>(path, matrix_of<float>(array));
  else
    write_npy<double>(path, matrix_of<double>(array));
}

/// files: arrays by the names of their files. summary and rows: JSON; rows may be empty.
void save_run(const fs::path& folder, bool replace, const std::map<std::string, py::array>& files,
              const py::array& history, const std::string& summary, const std::string& rows) {
  require_usable_folder(folder, replace ? Existing::replace : Existing::refuse);
  write_run_folder(folder, [&](const fs::path& fresh) {
    for (const auto& [name, array] : files) write_array(fresh / name, array);
    if (!rows.empty()) write_text(fresh / app::kReportRows, rows + "\n");
    if (history.shape(0) > 0)
      write_csv<double>(fresh / "history.csv", matrix_of<double>(history),
                        {.names = {"iteration", "passes", "seconds", "objective", "infeasibility",
                                   "stationarity", "step"}});
    app::write_json(summary_in(fresh), app::Json::parse(summary));
    app::write_report(fresh / "report.html", app::read_report(fresh));
  });
}

/// The content of report.json: names, pixels, and the scores of some rows.
template <class S>
std::string report_rows(const std::vector<InputPtr>& inputs, const std::vector<py::array>& weights,
                        const std::vector<py::array>& means, const std::string& image,
                        const std::vector<std::string>& classes, const std::vector<std::uint32_t>& codes,
                        bool in_order, const FitOptions& options, Caller& caller) {
  std::vector<SourcePtr<S>> sources;
  std::vector<Source<S>*> views;
  std::vector<FittedView<S>> fitted(inputs.size());
  for (std::size_t v = 0; v < inputs.size(); ++v) {
    sources.push_back(open<S>(*inputs[v], caller));
    views.push_back(sources.back().get());
    fitted[v].weights = matrix_of<S>(weights[v]);
    fitted[v].mean = vector_of<double>(means[v]);
  }
  const Labels labels("labels", classes, codes);
  return caller.wait_for([&] {
    app::ReportRows<S> rows({.image = image, .labels = {}}, views,
                            {.memory = options.memory,
                             .sampling = in_order ? app::Sampling::in_order : app::Sampling::spread,
                             .labels = classes.empty() ? nullptr : &labels});
    return rows.json(fitted, options.transform).dump(-1, ' ', false, app::Json::error_handler_t::replace);
  });
}

}  // namespace

void bind_runs(py::module_& module) {
  module.def("save_run", &save_run, py::arg("folder"), py::arg("replace"), py::arg("files"),
             py::arg("history"), py::arg("summary"), py::arg("rows"));
  module.def(
      "write_report",
      [](const fs::path& folder) { app::write_report(folder / "report.html", app::read_report(folder)); },
      py::arg("folder"));
  module.def(
      "report_rows",
      [](const std::vector<InputPtr>& inputs, const std::vector<py::array>& weights,
         const std::vector<py::array>& means, const std::string& image,
         const std::vector<std::string>& classes, const std::vector<std::uint32_t>& codes, bool in_order,
         const py::dict& options) {
        Caller caller;
        const FitOptions fitting = fit_options(options, py::none(), caller);
        const auto make = is_float(weights.at(0)) ? &report_rows<float> : &report_rows<double>;
        return make(inputs, weights, means, image, classes, codes, in_order, fitting, caller);
      },
      py::arg("inputs"), py::arg("weights"), py::arg("means"), py::arg("image"), py::arg("classes"),
      py::arg("codes"), py::arg("in_order"), py::arg("options"));
  module.def("peak_memory", &peak_memory);
}

}  // namespace landfall::python
