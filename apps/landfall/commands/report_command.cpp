// landfall report RUN: the report of a run folder once more.
#include <memory>

#include "commands/commands.hpp"
#include "report/comparison_report.hpp"
#include "report/report_data.hpp"
#include "terminal/arguments.hpp"
#include <fmt/format.h>

namespace landfall::app {

void setup_report(CLI::App& program) {
  auto run = std::make_shared<std::string>();
  auto* command = program.add_subcommand("report", "Write the report of a run again");
  const OptionAdder add{command};
  add("RUN", *run, "FOLDER", "folder written by --out; report.html goes there")->required();
  command->footer(
      "Examples:\n"
      "  landfall report run\n"
      "  landfall report build/demo/comparison");
  command->callback([run] {
    const auto file = std::filesystem::path(*run) / "report.html";
    is_comparison(*run) ? write_comparison_report(*run) : write_report(file, read_report(*run));
    fmt::print("{}\n", file.string());
  });
}

}  // namespace landfall::app
