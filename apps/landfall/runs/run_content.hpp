// What a fitted model puts into the summary and the folder of its run, beside what all models have.
//
//   CcaContent<float> content;
//   content.result = fit_cca<float>(...);
//   Json summary = summarize<float>({.problem = find_problem("cca"), .options = options}, content);
//   write_fitted<float>(folder, find_problem("cca"), content, names);
#pragma once

#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/result.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "problems/problems.hpp"
#include "problems/summary.hpp"
#include "runs/loadings.hpp"

namespace landfall::app {

template <class S>
class RunContent {
 public:
  virtual ~RunContent() = default;

  virtual const FitResult<S>& fitted() const = 0;
  /// Keys of the summary: the main numbers, and those at its end.
  virtual void add_numbers(Json& summary) const = 0;
  virtual void add_more(Json&) const {}
  /// Files of the run folder beside the weights, means and loadings.
  virtual void write_files(const std::filesystem::path&) const {}
  /// Beside the loadings in their csv file.
  virtual std::vector<ColumnNumbers> column_numbers() const { return {}; }
};

/// What the summary says of the run that the result does not.
struct RunFacts {
  const ProblemEntry& problem;
  const FitOptions& options;
  std::vector<std::string> data = {};  // as the user named it
  std::string weights = {};            // of rows, the same
  double seconds = 0;                  // of all
  std::vector<std::string> command = {};
};

template <class S>
Json summarize(const RunFacts& facts, const RunContent<S>& content);

/// Of the files or arrays: one value for each view, or the one there is.
struct DataFacts {
  Json first_index, columns;
  std::string categorical;
  Index dropped_rows = 0;
};
void append_data(Json& summary, const DataFacts& facts);

/// Weights, means, loadings and what the model adds.
template <class S>
void write_fitted(const std::filesystem::path& folder, const ProblemEntry& problem,
                  const RunContent<S>& content, const Json& column_names);

#define LANDFALL_RUN_CONTENT(EXTERN, S)                                                   \
  EXTERN template Json summarize<S>(const RunFacts&, const RunContent<S>&);               \
  EXTERN template void write_fitted<S>(const std::filesystem::path&, const ProblemEntry&, \
                                       const RunContent<S>&, const Json&);
LANDFALL_RUN_CONTENT(extern, float)
LANDFALL_RUN_CONTENT(extern, double)

}  // namespace landfall::app
