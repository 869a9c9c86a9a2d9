#include "terminal/plan_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace landfall::app {
namespace {

std::string_view chosen(const Plan& plan) {
  return plan.exact_is_chosen ? "exact" : "landing";
}

std::vector<Alternative> both(const Plan& plan) {
  return {{"exact", plan.exact}, {"landing", plan.landing}};
}

}  // namespace

void print_plan(std::FILE* out, std::string_view method, std::string_view reason,
                const std::vector<Alternative>& alternatives) {
  fmt::print(out, "{:<10}{:>10}  {:>12}\n", "", "memory", "time");
  for (const auto& [name, cost] : alternatives)
    fmt::print(out, "{:<10}{:>10}  {:>12}{}\n", name, memory_text(cost.bytes), time_text(cost.seconds),
               name == method ? "  <- chosen" : "");
  fmt::print(out, "{}: {}\n", method, reason);
}

void tell_plan(std::string_view problem, std::string_view method, std::string_view reason,
               const std::vector<Alternative>& alternatives, bool json) {
  if (json) {
    nlohmann::ordered_json plan{{"problem", problem}, {"method", method}, {"reason", reason}};
    for (const auto& [name, cost] : alternatives)
      plan["alternatives"].push_back(
          {{"method", name}, {"memory_bytes", cost.bytes}, {"seconds", cost.seconds}});
    fmt::print("{}\n", plan.dump(2));
    return;
  }
  print_plan(stdout, method, reason, alternatives);
}

void print_plan(std::FILE* out, const Plan& plan) {
  print_plan(out, chosen(plan), plan.reason, both(plan));
}

void tell_plan(std::string_view problem, const Plan& plan, bool json) {
  tell_plan(problem, chosen(plan), plan.reason, both(plan), json);
}

}  // namespace landfall::app
