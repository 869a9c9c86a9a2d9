#include <landfall/parallel/kernels.hpp>
#include <landfall/version.hpp>

#include "commands/commands.hpp"
#include "commands/problem_commands.hpp"
#include "problems/problems.hpp"
#include "terminal/help_page.hpp"
#include <fmt/format.h>

namespace landfall::app {

void setup_program(CLI::App& program) {
  program.name("landfall");
  program.description(
      "Canonical correlations, independent components, discriminants and generalized\n"
      "eigenproblems, by the landing method and by others.");
  program.set_help_flag("-h,--help", "print this help and exit");
  program.set_version_flag(
      "--version", [] { return fmt::format("landfall {}\n{}", version(), describe_computation()); },
      "print the version, BLAS and its kernels, and exit");
  program.require_subcommand(1);
  program.formatter(help_page());
  program.footer(
      "Examples:\n"
      "  landfall cca left.npy right.npy -p 5 --out run\n"
      "  landfall transform run left.npy right.npy -o scores.npy\n"
      "Run landfall COMMAND --help for details.\n"
      "Exit codes: 0 success, 2 wrong usage, 3 bad data, 4 failed numerics, 130 stopped");
  for (const ProblemEntry& problem : problems()) setup_problem(problem.name, program, Action::run);
  setup_transform(program);
  setup_report(program);
  setup_plan(program);
  setup_compare(program);
  setup_cv(program);
  setup_reproduce(program);
  setup_data(program);
  setup_methods(program);
  setup_help(program);
  setup_completion(program);
  setup_man(program);
}

}  // namespace landfall::app
