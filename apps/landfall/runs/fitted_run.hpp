// What a run folder holds of a fit, to apply it to other rows.
//
//   const FittedRun run = read_run("run");                       // DataError where it is no such folder
//   const auto view = read_view<float>(run, 0);
//   use(view.weights, view.mean);                                // scores: (A - mean) weights
#pragma once

#include <landfall/data/rows/transform.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace landfall::app {

struct FittedRun {
  std::filesystem::path folder;
  std::string problem;                            // cca, ica, lda or gevp
  std::string precision;                          // single or double
  bool centred = false;                           // the columns were
  Missing missing = Missing::error;               // what was done about missing values
  std::vector<std::optional<Index>> first_index;  // of an svmlight file, one for each view
  std::vector<std::string> classes;               // of LDA
  Vector<double> priors;

  std::size_t views() const { return first_index.size(); }
};

FittedRun read_run(const std::filesystem::path& folder);

template <class S>
struct FittedView {
  Matrix<S> weights;    // one row per column of the data
  Vector<double> mean;  // of the columns, 0 where they were not centred
};

/// Of CCA the left (0) or right one (1).
template <class S>
FittedView<S> read_view(const FittedRun& run, std::size_t view);

/// Scores of the means of the classes of LDA, p x C.
Matrix<double> read_centres(const FittedRun& run, Index components);

extern template FittedView<float> read_view<float>(const FittedRun&, std::size_t);
extern template FittedView<double> read_view<double>(const FittedRun&, std::size_t);

}  // namespace landfall::app
