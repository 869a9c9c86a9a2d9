// The ridge of a fit: given in the units of the file, relative to the variance of each column, or chosen by the model.
//
//   const landfall::FitOptions options{.components = 5, .relative_ridge = 0.01};
//   const auto scaling = landfall::ridge_scaling(options, landfall::Scaling::row_size);    // deviation
//   use(scaling, landfall::to_string(landfall::ridge_kind(options)));                      // "relative"
//
// Columns are scaled so that the ridge is a multiple of the identity: not at all for an absolute one, by their
// deviation for a relative one, by the usual size of their entries for an automatic one. Weights are given back in
// the units of the file.
#pragma once

#include <landfall/models/fit/options.hpp>

#include <string>
#include <string_view>

namespace landfall {

enum class RidgeKind {
  automatic,  // c/N E a_j^4 / E a_j^2 for column j: c rows of its own usual size; c = 0 where none is needed
  absolute,   // the same for every column
  relative,   // times the variance of each column
};

std::string_view to_string(RidgeKind kind);
RidgeKind ridge_kind(const FitOptions& options);
RidgeKind ridge_kind(const OnlineOptions& options);

/// What a model chose.
struct RidgeChoice {
  double rows = 0;          // c; 0: no ridge
  std::string reason = {};  // why one is needed
};

/// The scaling under which the ridge is a multiple of the identity; that of the options where they name one.
/// `automatic`: for an automatic ridge, or none.
Scaling ridge_scaling(const FitOptions& options, Scaling automatic);

}  // namespace landfall
