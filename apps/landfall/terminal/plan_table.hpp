// What `landfall plan` prints: the methods side by side, the chosen one marked, and why.
//
//   tell_plan("cca", shown(plan), json);
//   tell_plan("ica", {"landing", reason, {{"landing", cost}}}, json);
#pragma once

#include <landfall/models/fit/plan.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace landfall::app {

struct Alternative {
  std::string_view method;
  Cost cost;
};

struct ShownPlan {
  std::string_view method;  // the chosen one
  std::string reason;
  std::vector<Alternative> alternatives;
};

/// Of exact and landing.
ShownPlan shown(const Plan& plan);

/// The table alone, with the reason below; to standard error while a run begins.
void print_plan(std::FILE* out, const ShownPlan& plan);

/// The table, or one JSON object, on standard output.
void tell_plan(std::string_view problem, const ShownPlan& plan, bool json);

}  // namespace landfall::app
