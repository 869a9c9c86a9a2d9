#include "runs/fitted_run.hpp"

#include <landfall/data/formats/npy.hpp>
#include <landfall/data/rows/missing.hpp>
#include <landfall/errors.hpp>

#include "problems/summary.hpp"
#include "runs/cca_content.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

namespace fs = std::filesystem;

/// A file of a run, of numbers that are finite; as many rows and columns as expected where that is known.
template <class S>
Matrix<S> read_part(const fs::path& path, std::optional<Index> rows, std::optional<Index> cols) {
  Matrix<S> matrix = read_npy<S>(path);
  if (matrix.rows() != rows.value_or(matrix.rows()) || matrix.cols() != cols.value_or(matrix.cols()))
    throw DataError(fmt::format("{}: {}x{}, expected {}x{}", path.string(), matrix.rows(), matrix.cols(),
                                rows.value_or(matrix.rows()), cols.value_or(matrix.cols())));
  if (!matrix.allFinite())
    throw DataError(fmt::format("{}: contains a number that is not finite", path.string()));
  return matrix;
}

}  // namespace

FittedRun read_run(const fs::path& folder) {
  FittedRun run;
  run.folder = folder;
  try {
    const Json summary = read_summary(folder);
    run.problem = &find_problem(summary.at("problem").get<std::string>());
    run.precision = summary.at("precision");
    if (run.precision != "single" && run.precision != "double")
      throw UsageError(fmt::format("unknown precision '{}'", run.precision));
    run.first_index.resize(run.problem->views.size());
    run.columns.resize(run.problem->views.size());
    if (!run.problem->has_rows) return run;
    run.centred = summary.at("centred");
    run.missing = parse_missing(summary.at("missing").get<std::string>());
    const Json& first = summary.at("first_index");
    for (std::size_t v = 0; v < run.first_index.size(); ++v)
      if (const Json& index = run.first_index.size() > 1 ? first.at(v) : first; !index.is_null())
        run.first_index[v] = index.get<Index>();
    run.one_hot = summary.value("categorical", "") == "one-hot";
    if (const Json columns = summary.value("columns", Json()); !columns.is_null())  // since 0.2
      for (std::size_t v = 0; v < run.columns.size(); ++v)
        if (const Json& names = run.columns.size() > 1 ? columns.at(v) : columns; !names.is_null())
          run.columns[v] = names.get<std::vector<std::string>>();
    if (run.problem->has_classes) {
      run.classes = summary.at("classes");
      const std::vector<double> priors = summary.at("priors");
      run.priors = Eigen::Map<const Vector<double>>(priors.data(), static_cast<Index>(priors.size()));
      if (priors.size() != run.classes.size())
        throw UsageError(fmt::format("{} priors of {} classes", priors.size(), run.classes.size()));
    }
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: {}", (folder / "summary.json").string(), error.what()));
  } catch (const Json::exception&) {
    throw DataError(fmt::format("{}: not a summary written by landfall", (folder / "summary.json").string()));
  }
  return run;
}

template <class S>
FittedView<S> read_view(const FittedRun& run, std::size_t view) {
  const ViewEntry& entry = run.problem->views[view];
  const auto any = std::nullopt;
  FittedView<S> result;
  std::optional<Index> columns;
  if (!entry.mean.empty()) {
    result.mean = read_part<double>(run.folder / entry.mean, any, 1);
    columns = result.mean.size();
  }
  if (entry.transposed)
    result.weights = read_part<S>(run.folder / entry.weights, any, columns).transpose();
  else
    result.weights = read_part<S>(run.folder / entry.weights, columns, any);
  if (entry.mean.empty()) result.mean.setZero(result.weights.rows());
  return result;
}

Matrix<double> read_prediction(const FittedRun& run, std::size_t view, Index components) {
  const fs::path file = run.folder / prediction_file(view);
  if (std::error_code error; !fs::exists(file, error))
    throw DataError(
        fmt::format("{}: no such file in the run; fit it again to predict columns", file.string()));
  return read_part<double>(file, std::nullopt, components);
}

Matrix<double> read_centres(const FittedRun& run, Index components) {
  return read_part<double>(run.folder / "centres.npy", components, static_cast<Index>(run.classes.size()));
}

template FittedView<float> read_view<float>(const FittedRun&, std::size_t);
template FittedView<double> read_view<double>(const FittedRun&, std::size_t);

}  // namespace landfall::app
