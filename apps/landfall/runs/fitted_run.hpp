// Reads a fitted model from a run folder, to score new rows.
//
//   const FittedRun run = read_run("run");                       // DataError: not the folder of a run
//   const auto view = read_view<float>(run, 0);
//   use(view.weights, view.mean);                                // scores: (A - mean) weights
#pragma once

#include <landfall/data/rows/transform.hpp>
#include <landfall/models/fit/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "problems/problems.hpp"

namespace landfall::app {

struct FittedRun {
  std::filesystem::path folder;
  const ProblemEntry* problem = nullptr;
  std::string precision;                          // single or double
  bool centred = false;                           // the columns were
  Missing missing = Missing::error;               // what was done about missing values
  std::vector<std::optional<Index>> first_index;  // of an svmlight file, one for each view
  std::vector<std::vector<std::string>>
      columns;                       // names, one list for each view; empty where there were none
  bool one_hot = false;              // columns of text were made indicator columns
  std::vector<std::string> classes;  // where the problem has some
  Vector<double> priors;
};

FittedRun read_run(const std::filesystem::path& folder);

/// The weights and the mean of one of the views of the problem.
template <class S>
FittedView<S> read_view(const FittedRun& run, std::size_t view);

/// The columns of a view by the scores of the other, a row for each. DataError where the run has none.
Matrix<double> read_prediction(const FittedRun& run, std::size_t view, Index components);

/// Scores of the means of the classes, p x C.
Matrix<double> read_centres(const FittedRun& run, Index components);

extern template FittedView<float> read_view<float>(const FittedRun&, std::size_t);
extern template FittedView<double> read_view<double>(const FittedRun&, std::size_t);

}  // namespace landfall::app
