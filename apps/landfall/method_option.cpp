#include "method_option.hpp"

#include <landfall/errors.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall::app {

void add_method(const OptionAdder& add, std::vector<std::string> names, Problem problem,
                std::function<void(const std::string&)> choose, std::string& rival, const std::string& text) {
  add.command
      ->add_option_function<std::string>(
          "--method",
          [names = std::move(names), problem, choose = std::move(choose), &rival](const std::string& name) {
            if (std::ranges::find(names, name) != names.end())
              choose(name);
            else
              rival = find_rival(name, problem).name;
          },
          text)
      ->option_text("NAME");
}

void require_planned(const std::string& rival) {
  if (!rival.empty())
    throw UsageError(fmt::format("plan knows the costs of exact and landing, not of {}", rival));
}

}  // namespace landfall::app
