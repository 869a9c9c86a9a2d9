// landfall report RUN: the report of a run folder once more.
#include <memory>

#include "commands/commands.hpp"
#include "report/comparison_report.hpp"
#include "report/figure_svg.hpp"
#include "report/report_data.hpp"
#include "terminal/arguments.hpp"
#include <fmt/format.h>

namespace landfall::app {

void setup_report(CLI::App& program) {
  auto run = std::make_shared<std::string>(), figures = std::make_shared<std::string>();
  auto* command = program.add_subcommand("report", "Write the report of a run again");
  const OptionAdder add{command};
  add("RUN", *run, "FOLDER", "folder written by --out; report.html goes there")->required();
  add("--figures", *figures, "FORMAT", "svg: write each chart to FOLDER/figures as well")
      ->check(one_of({"svg"}));
  command->footer(
      "Examples:\n"
      "  landfall report run\n"
      "  landfall report run --figures svg\n"
      "  landfall report build/demo/comparison");
  command->callback([run, figures] {
    const auto file = std::filesystem::path(*run) / "report.html";
    const bool comparison = is_comparison(*run);
    comparison ? write_comparison_report(*run) : write_report(file, read_report(*run));
    fmt::print("{}\n", file.string());
    if (figures->empty()) return;
    const Json page = comparison ? comparison_json(*run) : report_json(read_report(*run));
    for (const auto& figure : write_figures(std::filesystem::path(*run) / "figures", page))
      fmt::print("{}\n", figure.string());
  });
}

}  // namespace landfall::app
