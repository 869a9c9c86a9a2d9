// Loadings of a fit as keys of the summary, files of the run folder and a table.
//
//   add_loadings(summary, find_problem("cca"), result.views);
//   write_loadings(folder, {problem, result.views, names});
//   print_loadings({problem, result.views, names});
#pragma once

#include <landfall/models/fit/result.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "problems/problems.hpp"
#include "problems/summary.hpp"

namespace landfall::app {

/// More numbers per column, beside its loadings: bounds of intervals, correlations within classes.
struct ColumnNumbers {
  std::string name;  // of the columns of the csv file: lower, upper, within
  std::vector<Matrix<double>> of_view;
};

/// Up to so many numbers are in the summary, row by row; else null: the files have them.
Json matrix_json(const Matrix<double>& matrix);

/// loadings, cross_loadings, variance_explained and redundancy: one for each view, or the one there is.
template <class S>
void add_loadings(Json& summary, const std::vector<FittedView<S>>& views);

/// loadings[_VIEW].npy, cross_loadings_VIEW.npy and loadings[_VIEW].csv, with a row for each column of the file.
template <class S>
void write_loadings(const std::filesystem::path& folder, const ProblemEntry& problem,
                    const std::vector<FittedView<S>>& views, const Json& names,
                    const std::vector<ColumnNumbers>& more);

/// The columns with the largest loadings, those of the first component first.
template <class S>
void print_loadings(const ProblemEntry& problem, const std::vector<FittedView<S>>& views, const Json& names);

#define LANDFALL_LOADINGS(EXTERN, S)                                                        \
  EXTERN template void add_loadings<S>(Json&, const std::vector<FittedView<S>>&);           \
  EXTERN template void write_loadings<S>(const std::filesystem::path&, const ProblemEntry&, \
                                         const std::vector<FittedView<S>>&, const Json&,    \
                                         const std::vector<ColumnNumbers>&);                \
  EXTERN template void print_loadings<S>(const ProblemEntry&, const std::vector<FittedView<S>>&, const Json&);
LANDFALL_LOADINGS(extern, float)
LANDFALL_LOADINGS(extern, double)

}  // namespace landfall::app
