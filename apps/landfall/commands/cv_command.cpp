// landfall cv cca|ica|lda ...: how many components and how much ridge, by cross-validation or stability.
#include "commands/commands.hpp"
#include "commands/problem_commands.hpp"

namespace landfall::app {

void setup_cv(CLI::App& program) {
  auto* command = program.add_subcommand("cv", "Choose components and ridge by cross-validation");
  command->require_subcommand(1);
  for (const char* problem : {"cca", "ica", "lda"}) setup_problem(problem, *command, Action::validate);
  command->footer(
      "Accepts the data options of the command.\n"
      "Examples:\n"
      "  landfall cv cca left.npy right.npy\n"
      "  landfall cv ica recording.npy --restarts 20\n"
      "  landfall cv lda iris.csv --label-column species --ridges 0,0.01,0.1,1");
}

}  // namespace landfall::app
