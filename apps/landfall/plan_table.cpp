#include "plan_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace landfall::app {

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
  fmt::print("{:<10}{:>10}  {:>12}\n", "", "memory", "time");
  for (const auto& [name, cost] : alternatives)
    fmt::print("{:<10}{:>10}  {:>12}{}\n", name, memory_text(cost.bytes), time_text(cost.seconds),
               name == method ? "  <- chosen" : "");
  fmt::print("{}: {}\n", method, reason);
}

}  // namespace landfall::app
