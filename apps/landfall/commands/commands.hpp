// One file per subcommand: each adds itself to the program and runs when chosen. Those of the problems are in
// problem_commands.hpp.
#pragma once

#include <CLI/CLI.hpp>

namespace landfall::app {

/// The program with all its commands.
void setup_program(CLI::App& program);

void setup_transform(CLI::App& program);
void setup_report(CLI::App& program);
void setup_plan(CLI::App& program);
void setup_compare(CLI::App& program);
void setup_cv(CLI::App& program);
void setup_reproduce(CLI::App& program);
void setup_data(CLI::App& program);
void setup_help(CLI::App& program);
void setup_completion(CLI::App& program);
void setup_man(CLI::App& program);
void setup_methods(CLI::App& program);

}  // namespace landfall::app
