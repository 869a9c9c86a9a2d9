// landfall data: makes data sets whose answer is known, and says what is in one.
#include <landfall/data/formats/writer.hpp>

#include "commands/commands.hpp"
#include "commands/data_commands.hpp"
#include "terminal/arguments.hpp"
#include <fmt/format.h>

namespace landfall::app {

CLI::Option* add_format(const OptionAdder& add, std::string& format, const std::string& standard) {
  std::vector<std::string> names;
  for (const auto& ending : writer_endings()) names.push_back(ending.substr(1));
  return add("--format", format, "NAME", fmt::format("{} [{}]", alternatives(names), standard))
      ->check(one_of(names));
}

void setup_data(CLI::App& program) {
  auto* data = program.add_subcommand("data", "Generate data sets or describe one");
  data->require_subcommand(1);
  setup_data_info(*data);
  setup_data_pencil(*data);
  setup_data_planted_cca(*data);
  setup_data_laplace_ica(*data);
  setup_data_split_images(*data);
  data->footer(
      "Examples:\n"
      "  landfall data planted-cca out --left 300 --correlations 0.9,0.7,0.4\n"
      "  landfall data info out/left.npy data.h5:/right");
}

}  // namespace landfall::app
