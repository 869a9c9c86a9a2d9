// How a model is fitted where covariances can be formed and where they cannot.
//
//   const landfall::FitMethod method = landfall::parse_fit_method("landing");
//   use(landfall::to_string(method));
#pragma once

#include <string_view>

namespace landfall {

enum class FitMethod {
  automatic,  // exact where the covariances fit in memory and take less time, else landing (plan.hpp)
  exact,      // covariances in one pass, then LAPACK: n^2 memory
  landing,    // the method of the paper, without a covariance: O(n (p + batch + rank)) memory
  baseline,   // another, by its name
};

std::string_view to_string(FitMethod method);

/// Of auto, exact and landing; UsageError with these names for another.
FitMethod parse_fit_method(std::string_view name);

}  // namespace landfall
