// landfall methods: the names that --method takes beside those of the problem itself.
#include <landfall/baselines/registry.hpp>

#include <algorithm>
#include <string>

#include "commands/commands.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

void print_methods() {
  std::size_t width = 6;
  for (const Baseline& baseline : baselines()) width = std::max(width, baseline.name.size());
  fmt::print("{:<{}}  cca  gevp  ica  {:<13}  description\n", "method", width, "formulas");
  for (const Baseline& baseline : baselines()) {
    const auto mark = [&](Problem problem) { return baseline.solves(problem) ? "x" : ""; };
    fmt::print("{:<{}}  {:^3}  {:^4}  {:^3}  {:<13}  {} ({})\n", baseline.name, width, mark(Problem::cca),
               mark(Problem::gevp), mark(Problem::ica), to_string(baseline.origin), baseline.text,
               baseline.source);
  }
}

}  // namespace

void setup_methods(CLI::App& program) {
  auto* command = program.add_subcommand("methods", "List the methods that --method accepts besides landing");
  command->footer(
      "Examples:\n"
      "  landfall methods\n"
      "  landfall cca left.npy right.npy -p 5 --method ey-adam");
  command->callback([] { print_methods(); });
}

}  // namespace landfall::app
