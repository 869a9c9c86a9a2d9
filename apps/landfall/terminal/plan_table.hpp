// What `landfall plan` prints: the methods side by side, the chosen one marked, and why.
//
//   tell_plan("cca", plan, json);
//   tell_plan("ica", "landing", reason, {{"landing", cost}}, json);
#pragma once

#include <landfall/models/fit/plan.hpp>

#include <cstdio>
#include <string_view>
#include <vector>

namespace landfall::app {

struct Alternative {
  std::string_view method;
  Cost cost;
};

/// The table alone, with the reason below; to standard error while a run begins.
void print_plan(std::FILE* out, std::string_view method, std::string_view reason,
                const std::vector<Alternative>& alternatives);

/// The table, or one JSON object, on standard output.
void tell_plan(std::string_view problem, std::string_view method, std::string_view reason,
               const std::vector<Alternative>& alternatives, bool json);

/// Both, of exact and landing.
void print_plan(std::FILE* out, const Plan& plan);
void tell_plan(std::string_view problem, const Plan& plan, bool json);

}  // namespace landfall::app
