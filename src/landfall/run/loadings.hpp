// Loadings: the regression of each column of a view on the scores, which says what a component is made of and
// brings scores back to columns.
//
//   #include <landfall/data/formats/open_source.hpp>
//   landfall::FitResult<float> result;
//   const auto source = landfall::open_source<float>("left.npy");
//   const auto loadings = landfall::loadings_of<float>(*source, result.views[0], {.seed = 1});    // n x p
//   use(loadings);                                                // a is near mean + loadings score
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/result.hpp>

namespace landfall {

/// P = C W (W'CW)^-1 with the second moments C of the centred training rows: reads the source once, from its first row.
/// The options are those of the fit. A row of zeros for a column that was dropped.
template <class S>
Matrix<double> loadings_of(Source<S>& source, const FittedView<S>& view, const FitOptions& options);

extern template Matrix<double> loadings_of<float>(Source<float>&, const FittedView<float>&,
                                                  const FitOptions&);
extern template Matrix<double> loadings_of<double>(Source<double>&, const FittedView<double>&,
                                                   const FitOptions&);

}  // namespace landfall
