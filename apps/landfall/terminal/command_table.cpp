#include "terminal/command_table.hpp"

#include <algorithm>

#include "terminal/arguments.hpp"

namespace landfall::app {
namespace {

OptionEntry entry_of(CLI::Option& option) {
  OptionEntry entry{.names = {},
                    .argument = option.get_option_text(),
                    .text = option.get_description(),
                    .group = option.get_group(),
                    .choices = choices_of(option)};
  if (option.get_positional()) entry.names.push_back(option.get_name(true));
  for (const auto& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) entry.names.push_back("--" + name);
  return entry;
}

CommandEntry table_of(CLI::App& command, const std::string& above) {
  CommandEntry entry{.path = above + command.get_name(),
                     .name = command.get_name(),
                     .text = command.get_description(),
                     .footer = command.get_footer()};
  for (CLI::Option* option : command.get_options())
    if (!option->get_group().empty())
      (option->get_positional() ? entry.positionals : entry.options).push_back(entry_of(*option));
  for (CLI::App* below : command.get_subcommands(nullptr))
    if (!below->get_group().empty()) entry.commands.push_back(table_of(*below, entry.path + " "));
  return entry;
}

}  // namespace

std::vector<std::string> CommandEntry::option_names() const {
  std::vector<std::string> names;
  for (const auto& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> CommandEntry::command_names() const {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  return names;
}

CommandEntry command_table(CLI::App& program) {
  return table_of(program, "");
}

}  // namespace landfall::app
