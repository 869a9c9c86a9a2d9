#include "terminal/plan_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace landfall::app {

ShownPlan shown(const Plan& plan) {
  return {plan.exact_is_chosen ? "exact" : "landing",
          plan.reason,
          {{"exact", plan.exact}, {"landing", plan.landing}}};
}

void print_plan(std::FILE* out, const ShownPlan& plan) {
  const bool rows =
      std::ranges::any_of(plan.alternatives, [](const auto& one) { return one.cost.passes > 0; });
  fmt::print(out, "{:<10}{:>10}  {:>12}{}\n", "", "memory", "time", rows ? "  passes" : "");
  for (const auto& [name, cost] : plan.alternatives)
    fmt::print(out, "{:<10}{:>10}  {:>12}{}{}\n", name, memory_text(cost.bytes), time_text(cost.seconds),
               rows ? fmt::format("  {:>6.3g}", cost.passes) : "", name == plan.method ? "  <- chosen" : "");
  fmt::print(out, "{}: {}\n", plan.method, plan.reason);
}

void tell_plan(std::string_view problem, const ShownPlan& plan, bool json) {
  if (!json) return print_plan(stdout, plan);
  nlohmann::ordered_json object{{"problem", problem}, {"method", plan.method}, {"reason", plan.reason}};
  for (const auto& [name, cost] : plan.alternatives) {
    nlohmann::ordered_json one{{"method", name}, {"memory_bytes", cost.bytes}, {"seconds", cost.seconds}};
    if (cost.passes > 0) one["passes"] = cost.passes;
    object["alternatives"].push_back(std::move(one));
  }
  fmt::print("{}\n", object.dump(2));
}

}  // namespace landfall::app
