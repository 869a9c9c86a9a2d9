// One file per subcommand: each adds itself to the program and runs when chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace landfall::app {

/// What becomes of a problem and its options.
enum class Action {
  run,
  plan,     // told what run would do
  compare,  // nothing: the options are there, and compare runs them
};

void setup_cca(CLI::App& parent, Action action);
void setup_ica(CLI::App& parent, Action action);
void setup_lda(CLI::App& parent, Action action);
void setup_gevp(CLI::App& parent, Action action);
void setup_transform(CLI::App& program);
void setup_report(CLI::App& program);
void setup_plan(CLI::App& program);
void setup_compare(CLI::App& program);
void setup_reproduce(CLI::App& program);
void setup_data(CLI::App& program);
void setup_completion(CLI::App& program);
void setup_man(CLI::App& program);
void setup_methods(CLI::App& program);

}  // namespace landfall::app
