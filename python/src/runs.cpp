// Run folders, reports and comparisons: the files of the program, written by the same code.
#include <landfall/run/run_folder.hpp>

#include <map>

#include "convert.hpp"
#include "inputs.hpp"
#include "models.hpp"
#include "options.hpp"
#include "report/report_rows.hpp"
#include "restored.hpp"
#include "runs/compared_runs.hpp"
#include "runs/run_files.hpp"
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace landfall::python {
namespace {

namespace fs = std::filesystem;
using app::Json;

bool is_float(const py::array& array) {
  return array.dtype().kind() == 'f' && array.itemsize() == 4;
}

/// A fitted model as the package describes it: kind, result, options, names of columns by view, command, and the JSON of its rows.
template <class S>
class DescribedRun {
 public:
  explicit DescribedRun(const py::dict& run)
      : problem_(app::find_problem(run["kind"].cast<std::string>())),
        content_(restored<S>(std::string(problem_.name), run["result"])),
        rows_(run["rows"].cast<std::string>()) {
    Caller caller;
    const FitOptions options = fit_options(run["options"], py::none(), caller);
    const py::dict seconds = run["result"]["seconds"];
    const auto& views = content_->fitted().views;
    summary_ = app::summarize<S>({.problem = problem_,
                                  .options = options,
                                  .data = std::vector<std::string>(views.size(), "memory"),
                                  .weights = content_->fitted().sum_of_weights > 0 ? "sample_weight" : "",
                                  .seconds = seconds["total"].cast<double>(),
                                  .command = run["command"].cast<std::vector<std::string>>()},
                                 *content_);
    const auto names = run["columns"].cast<std::vector<std::vector<std::string>>>();
    app::append_data(summary_, {.first_index = app::per_view(views, [](const auto&) { return Json(); }),
                                .columns = app::per_view(
                                    names, [](const auto& own) { return own.empty() ? Json() : Json(own); }),
                                .categorical = "leave-out"});
  }

  const Json& summary() const { return summary_; }

  void write(const fs::path& folder) const {
    app::write_fitted<S>(folder, problem_, *content_, summary_["columns"]);
    app::write_json(summary_in(folder), summary_);
    app::RunReport report{.problem = problem_, .summary = summary_};
    if (!rows_.empty()) report.rows = Json::parse(rows_);
    for (const auto& view : content_->fitted().views) {
      report.weights.push_back(view.weights.template cast<double>());
      report.loadings.push_back(view.loadings);
    }
    app::write_shown(folder, report, app::history_table(content_->fitted().history));
  }

 private:
  const app::ProblemEntry& problem_;
  std::unique_ptr<app::RunContent<S>> content_;
  std::string rows_;
  Json summary_;
};

/// Calls use() with the run in its precision.
template <class Use>
void describe(const py::dict& run, const Use& use) {
  if (run["result"]["precision"].cast<std::string>() == "single")
    use(DescribedRun<float>(run));
  else
    use(DescribedRun<double>(run));
}

std::string summary_of(const py::dict& run) {
  std::string text;
  describe(run, [&](const auto& described) { text = app::json_text(described.summary()); });
  return text;
}

void save_run(const fs::path& folder, bool replace, const py::dict& run) {
  require_usable_folder(folder, replace ? Existing::replace : Existing::refuse);
  describe(run, [&](const auto& described) {
    write_run_folder(folder, [&](const fs::path& fresh) { described.write(fresh); });
  });
}

/// runs: method, passes ("" where they are not given), JSON of the summary ("" where the numbers failed) and of the curve, or "".
/// exact: the summary of an exact run that is not among them, or "".
std::string compare_runs(const std::string& kind, const std::vector<std::array<std::string, 4>>& runs,
                         bool folders, const std::string& exact, const std::vector<std::string>& command) {
  const app::ProblemEntry& problem = app::find_problem(kind);
  const auto parsed = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(Json::parse(text));
  };
  Json entries = Json::array();
  for (const auto& [method, passes, summary, curve] : runs) {
    const std::string name = app::compared_name(method, passes);
    entries.push_back(
        app::compared_run(problem, {name, method, folders ? app::folder_name(name) : ""}, parsed(summary)));
    if (!curve.empty()) entries.back()["curve"] = Json::parse(curve);
  }
  const std::string method(problem.exact);
  auto optimum = app::exact_among(problem, entries);
  if (!optimum && !exact.empty()) optimum = app::compared_run(problem, {method, method}, parsed(exact));
  Json result = app::compared(problem, std::move(entries), optimum);
  result["heading"] = app::measure_heading(problem, result["measure"]);
  result["one_process"] = true;
  result["command"] = command;
  return app::json_text(result);
}

/// The folders of the runs by their names, in that of the comparison.
void save_comparison(const fs::path& folder, bool replace, const std::string& result,
                     const std::map<std::string, py::dict>& runs) {
  require_usable_folder(folder, replace ? Existing::replace : Existing::refuse);
  write_run_folder(folder, [&](const fs::path& fresh) {
    for (const auto& [name, run] : runs) {
      fs::create_directory(fresh / name);
      describe(run, [&, path = fresh / name](const auto& described) { described.write(path); });
    }
    app::write_comparison(fresh, Json::parse(result));
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
    return rows.json(fitted, options.transform).dump(-1, ' ', false, Json::error_handler_t::replace);
  });
}

}  // namespace

void bind_runs(py::module_& module) {
  module.def("summary_of", &summary_of, py::arg("run"));
  module.def("save_run", &save_run, py::arg("folder"), py::arg("replace"), py::arg("run"));
  module.def("compare_runs", &compare_runs, py::arg("kind"), py::arg("runs"), py::arg("folders"),
             py::arg("exact"), py::arg("command"));
  module.def("save_comparison", &save_comparison, py::arg("folder"), py::arg("replace"), py::arg("result"),
             py::arg("runs"));
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
}

}  // namespace landfall::python
