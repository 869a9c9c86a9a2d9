#include "runs/fitted_run.hpp"

#include <landfall/data/formats/npy.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <fstream>

#include "terminal/model_options.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json read_summary(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) throw DataError(fmt::format("{}: no such folder", folder.string()));
  const fs::path path = folder / "summary.json";
  if (!fs::exists(path, error))
    throw DataError(
        fmt::format("{}: no summary.json in it, expected a folder that --out has made", folder.string()));
  std::ifstream text(path);
  return Json::parse(text);
}

/// A file of a run, of numbers that are finite; as many rows and columns as expected where that is known.
template <class S>
Matrix<S> read_part(const fs::path& path, std::optional<Index> rows, std::optional<Index> cols) {
  Matrix<S> matrix = read_npy<S>(path);
  if (matrix.rows() != rows.value_or(matrix.rows()) || matrix.cols() != cols.value_or(matrix.cols()))
    throw DataError(fmt::format("{}: {}x{}, expected {}x{}", path.string(), matrix.rows(), matrix.cols(),
                                rows.value_or(matrix.rows()), cols.value_or(matrix.cols())));
  if (!all_finite(matrix)) throw DataError(fmt::format("{}: a number that is not finite", path.string()));
  return matrix;
}

}  // namespace

FittedRun read_run(const fs::path& folder) {
  FittedRun run;
  run.folder = folder;
  try {
    const Json summary = read_summary(folder);
    run.problem = summary.at("problem");
    run.precision = summary.at("precision");
    if (run.precision != "single" && run.precision != "double")
      throw UsageError(fmt::format("unknown precision '{}'", run.precision));
    if (run.problem == "gevp") {  // two matrices, no rows
      run.first_index = {std::nullopt};
      return run;
    }
    if (run.problem != "cca" && run.problem != "ica" && run.problem != "lda")
      throw UsageError(fmt::format("unknown problem '{}'", run.problem));
    run.centred = summary.at("centred");
    run.missing = parse_missing(summary.at("missing").get<std::string>());
    const auto index = [](const Json& json) {
      return json.is_null() ? std::optional<Index>() : std::optional(json.get<Index>());
    };
    const Json& first = summary.at("first_index");
    if (run.problem == "cca")
      run.first_index = {index(first.at(0)), index(first.at(1))};
    else
      run.first_index = {index(first)};
    if (run.problem == "lda") {
      run.classes = summary.at("classes");
      const std::vector<double> priors = summary.at("priors");
      run.priors = Eigen::Map<const Vector<double>>(priors.data(), static_cast<Index>(priors.size()));
      if (priors.size() != run.classes.size())
        throw UsageError(fmt::format("{} priors of {} classes", priors.size(), run.classes.size()));
    }
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: {}", (folder / "summary.json").string(), error.what()));
  } catch (const Json::exception&) {
    throw DataError(
        fmt::format("{}: not the summary that landfall writes of a run", (folder / "summary.json").string()));
  }
  return run;
}

template <class S>
FittedView<S> read_view(const FittedRun& run, std::size_t view) {
  const auto any = std::nullopt;
  FittedView<S> result;
  if (run.problem == "gevp") {
    result.weights = read_part<S>(run.folder / "eigenvectors.npy", any, any);
    result.mean.setZero(result.weights.rows());
    return result;
  }
  const std::string side = run.problem != "cca" ? "" : view == 0 ? "_left" : "_right";
  result.mean = read_part<double>(run.folder / fmt::format("mean{}.npy", side), any, 1);
  const Index n = result.mean.size();
  if (run.problem == "ica")
    result.weights = read_part<S>(run.folder / "unmixing.npy", any, n).transpose();
  else
    result.weights = read_part<S>(run.folder / fmt::format("weights{}.npy", side), n, any);
  return result;
}

Matrix<double> read_centres(const FittedRun& run, Index components) {
  return read_part<double>(run.folder / "centres.npy", components, static_cast<Index>(run.classes.size()));
}

template FittedView<float> read_view<float>(const FittedRun&, std::size_t);
template FittedView<double> read_view<double>(const FittedRun&, std::size_t);

}  // namespace landfall::app
