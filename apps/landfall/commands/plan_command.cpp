// landfall plan cca|ica|lda|gevp ...: what the command of that name would do, and why; runs nothing.
#include "commands/commands.hpp"
#include "commands/problem_commands.hpp"
#include "problems/problems.hpp"

namespace landfall::app {

void setup_plan(CLI::App& program) {
  auto* command = program.add_subcommand("plan", "Predict the method, memory and time of a command");
  command->require_subcommand(1);
  for (const ProblemEntry& problem : problems()) setup_problem(problem.name, *command, Action::plan);
  command->footer(
      "Accepts the arguments of the command.\n"
      "Examples:\n"
      "  landfall plan cca left.npy right.npy -p 5 --memory 512MiB\n"
      "  landfall plan gevp A.npy B.npy -p 10 --json");
}

}  // namespace landfall::app
