// What `landfall plan` prints: the methods side by side, the chosen one marked, and why.
//
//   tell_plan("cca", "exact", plan.reason, {{"exact", plan.exact}, {"landing", plan.landing}}, json);
#pragma once

#include <landfall/models/plan.hpp>

#include <string_view>
#include <vector>

namespace landfall::app {

struct Alternative {
  std::string_view method;
  Cost cost;
};

/// A table, or one JSON object, on standard output.
void tell_plan(std::string_view problem, std::string_view method, std::string_view reason,
               const std::vector<Alternative>& alternatives, bool json);

}  // namespace landfall::app
