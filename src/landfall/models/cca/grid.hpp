// How many pairs, and how much ridge: both chosen by cross-validation in one reading of the rows.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto choice = landfall::cross_validate_grid<float>(landfall::open_source<float>("left.npy"),
//                                                            landfall::open_source<float>("right.npy"), {}, {.ridges = {0.01, 0.1, 1}});
//   use(choice.components, choice.ridges[choice.ridge], choice.totals);
#pragma once

#include <landfall/models/cca/cca.hpp>

namespace landfall {

struct CcaGrid {
  Index components = 0;  // the most pairs; 0: as many as the smaller view has columns, 10 at most
  std::vector<double> ridges{0, 0.01, 0.03, 0.1, 0.3, 1, 3};  // relative to the variance of each column
  int folds = 5;
};

struct CcaGridResult {
  Index rows = 0;
  int folds = 0;
  std::vector<double> ridges;
  /// Means over the folds of the sum of the first p correlations on rows that were not fitted, and their standard errors: row
  /// p - 1, a column for each ridge.
  Matrix<double> totals, errors;
  std::vector<Index> pairs;    // with each ridge: real_pairs(), but at least one
  bool any_real = false;       // false: with no ridge does even the first pair stand out from chance
  std::size_t best_ridge = 0;  // where the total of its pairs is largest
  std::size_t ridge = 0;       // the choice: the smallest whose total is within one standard error of that
  Index components = 0;        // pairs[ridge]
};

/// Leaves the first p pairs of a result.
template <class S>
void keep_pairs(CcaResult<S>& result, Index p);

/// Leaves the pairs that stand out from chance in the cross-validation of the result (real_pairs()), at least one. Warns where not even the first does, or there
/// was no cross-validation.
template <class S>
void keep_real_pairs(CcaResult<S>& result);

/// UsageError where the covariances of the folds do not fit in options.memory. A ridge of 0 is left out where rows are fewer than columns.
template <class S>
CcaGridResult cross_validate_grid(SourcePtr<S> left, SourcePtr<S> right, const FitOptions& options,
                                  const CcaGrid& grid);

extern template void keep_pairs<float>(CcaResult<float>&, Index);
extern template void keep_pairs<double>(CcaResult<double>&, Index);
extern template void keep_real_pairs<float>(CcaResult<float>&);
extern template void keep_real_pairs<double>(CcaResult<double>&);
extern template CcaGridResult cross_validate_grid<float>(SourcePtr<float>, SourcePtr<float>,
                                                         const FitOptions&, const CcaGrid&);
extern template CcaGridResult cross_validate_grid<double>(SourcePtr<double>, SourcePtr<double>,
                                                          const FitOptions&, const CcaGrid&);

}  // namespace landfall
