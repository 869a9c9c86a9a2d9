// The commands and their options as a table, which completion, the man page and suggestions are made of.
//
//   for (const CommandEntry& command : command_table(program).commands) use(command.path, command.options);
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace landfall::app {

struct OptionEntry {
  std::vector<std::string> names;  // "-p", "--components"; of a positional "LEFT"
  std::string argument;            // "K"; empty: there is none
  std::string text, group;
  std::vector<std::string> choices;  // empty: anything

  bool takes_file() const { return argument.starts_with("FILE"); }
  bool takes_folder() const { return argument.starts_with("FOLDER"); }
};

struct CommandEntry {
  std::string path;  // "landfall data pencil"
  std::string name;  // "pencil"
  std::string text, footer;
  std::vector<OptionEntry> positionals{}, options{};
  std::vector<CommandEntry> commands{};

  std::vector<std::string> option_names() const;
  std::vector<std::string> command_names() const;
};

/// Without what is hidden.
CommandEntry command_table(CLI::App& program);

}  // namespace landfall::app
