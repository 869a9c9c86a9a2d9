// The command of each problem.
#pragma once

#include <string_view>

namespace CLI {
class App;
}

namespace landfall::app {

/// What to do with a problem and its options.
enum class Action {
  run,
  plan,     // print what run would do
  compare,  // nothing: the options are there, and compare runs them
  validate,  // choose components and ridge by cross-validation
};

/// Adds the command of this name.
void setup_problem(std::string_view name, CLI::App& parent, Action action);

}  // namespace landfall::app
