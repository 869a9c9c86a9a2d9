#include "terminal/method_option.hpp"

#include <landfall/errors.hpp>

#include <algorithm>

#include "terminal/nearest.hpp"
#include <fmt/format.h>

namespace landfall::app {

CLI::Validator known_method(std::vector<std::string> names, Problem problem) {
  for (const Baseline& baseline : baselines())
    if (baseline.solves(problem) && std::ranges::find(names, baseline.name) == names.end())
      names.emplace_back(baseline.name);
  const std::string title = one_of(names).get_name();  // by which completion knows them
  return CLI::Validator(
             [names = std::move(names)](std::string& text) {
               if (std::ranges::find(names, text) != names.end()) return std::string();
               return fmt::format("'{}' is not a method for this problem; see landfall methods{}", text,
                                  suggestion(text, names));
             },
             "")
      .name(title);
}

void add_method(const OptionAdder& add, std::vector<std::string> names, Problem problem,
                std::function<void(const std::string&)> choose, std::string& baseline,
                const std::string& text) {
  const CLI::Validator known = known_method(names, problem);
  add.command
      ->add_option_function<std::string>(
          "--method",
          [names = std::move(names), problem, choose = std::move(choose),
           &baseline](const std::string& name) {
            if (std::ranges::find(names, name) != names.end())
              choose(name);
            else
              baseline = find_baseline(name, problem).name;
          },
          text)
      ->option_text("NAME")
      ->check(known);
}

void require_planned(const std::string& baseline) {
  if (!baseline.empty()) throw UsageError(fmt::format("plan supports exact and landing, not {}", baseline));
}

}  // namespace landfall::app
