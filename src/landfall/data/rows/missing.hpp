// The names of what is done about missing values.
//
//   const landfall::Missing rule = landfall::parse_missing("drop");    // UsageError: neither error, drop nor mean
//   use(landfall::to_string(rule));
#pragma once

#include <landfall/data/rows/transform.hpp>

#include <string_view>

namespace landfall {

Missing parse_missing(std::string_view name);
std::string_view to_string(Missing missing);

}  // namespace landfall
