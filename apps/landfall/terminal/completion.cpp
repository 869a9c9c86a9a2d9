#include "terminal/completion.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

void each_command(const CommandEntry& command, const std::function<void(const CommandEntry&)>& use) {
  use(command);
  for (const auto& below : command.commands) each_command(below, use);
}

/// Of a case statement: "landfall cca:--out" | "landfall cca:-o".
std::string bash_pattern(const CommandEntry& command, const OptionEntry& option) {
  std::vector<std::string> patterns;
  for (const auto& name : option.names) patterns.push_back(fmt::format("'{}:{}'", command.path, name));
  return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string bash_values(const OptionEntry& option) {
  if (!option.choices.empty())
    return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", fmt::join(option.choices, " "));
  if (option.takes_file()) return "_landfall_files -f";
  if (option.takes_folder()) return "_landfall_files -d";
  return ":";
}

/// What stands for itself within single quotes and the brackets of _arguments.
std::string zsh_text(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\n') {
      quoted += ' ';
    } else if (c == '\'') {
      quoted += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted;
}

std::string zsh_values(const OptionEntry& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  if (option.takes_file()) return "_files";
  if (option.takes_folder()) return "_files -/";
  return " ";
}

std::string zsh_option(const OptionEntry& option) {
  const std::string value =
      option.argument.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.argument), zsh_values(option));
  const std::string text = fmt::format("[{}]{}'", zsh_text(option.text), value);
  if (option.names.size() == 1) return fmt::format("'{}{}", option.names[0], text);
  return fmt::format("'({})'{{{}}}'{}", fmt::join(option.names, " "), fmt::join(option.names, ","), text);
}

std::string zsh_function(const CommandEntry& command) {
  std::string name = "_" + command.path;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string zsh_command(const CommandEntry& command) {
  std::string text = fmt::format("{}() {{\n", zsh_function(command));
  std::string arguments;
  for (const auto& option : command.options) arguments += " \\\n    " + zsh_option(option);
  if (command.commands.empty()) {
    for (const auto& positional : command.positionals)
      arguments += fmt::format(" \\\n    '{}:{}:{}'", positional.argument.ends_with("...") ? "*" : "",
                               zsh_text(positional.names[0]), zsh_values(positional));
    return text + "  _arguments" + arguments + "\n}\n";
  }
  text += "  local state line\n  _arguments -C" + arguments +
          " \\\n    '1: :->command' \\\n    '*:: :->rest'\n"
          "  case $state in\n  command)\n    local -a commands=(";
  for (const auto& below : command.commands)
    text += fmt::format("\n      '{}:{}'", below.name, zsh_text(below.text));
  text += "\n    )\n    _describe command commands\n    ;;\n  rest)\n    case $words[1] in\n";
  for (const auto& below : command.commands)
    text += fmt::format("    {}) {} ;;\n", below.name, zsh_function(below));
  return text + "    esac\n    ;;\n  esac\n}\n";
}

}  // namespace

std::string bash_completion(const CommandEntry& program) {
  std::vector<std::string> paths;
  std::string values, words;
  each_command(program, [&](const CommandEntry& command) {
    if (command.path != program.path) paths.push_back(fmt::format("'{}'", command.path));
    for (const auto& option : command.options)
      if (!option.argument.empty())
        values += fmt::format("    {}) {}; return ;;\n", bash_pattern(command, option), bash_values(option));
    std::string choices;
    if (!command.positionals.empty())
      choices = fmt::format("{}", fmt::join(command.positionals[0].choices, " "));
    words += fmt::format(
        "    '{}') options='{}' commands='{}' ;;\n", command.path, fmt::join(command.option_names(), " "),
        command.commands.empty() ? choices : fmt::format("{}", fmt::join(command.command_names(), " ")));
  });
  return fmt::format(
      "# Completion of {0} for bash, made by: {0} completion bash\n"
      "_{0}_files() {{\n"
      "  local IFS=$'\\n'\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  COMPREPLY=($(compgen \"$1\" -- \"$word\"))\n"
      "}}\n"
      "_{0}() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path='{0}'\n"
      "  local one options commands\n"
      "  COMPREPLY=()\n"
      "  for one in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case \"$path $one\" in\n"
      "    {1}) path=\"$path $one\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$path:$before\" in\n"
      "{2}"
      "  esac\n"
      "  case \"$path\" in\n"
      "{3}"
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  elif [[ -n $commands ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
      "  else\n"
      "    _{0}_files -f\n"
      "  fi\n"
      "}}\n"
      "complete -F _{0} {0}\n",
      program.name, fmt::join(paths, "|"), values, words);
}

std::string zsh_completion(const CommandEntry& program) {
  std::string text =
      fmt::format("#compdef {0}\n# Completion of {0} for zsh, made by: {0} completion zsh\n", program.name);
  each_command(program, [&](const CommandEntry& command) { text += zsh_command(command); });
  return text + fmt::format("if [ \"$funcstack[1]\" = _{0} ]; then _{0} \"$@\"; else compdef _{0} {0}; fi\n",
                            program.name);
}

}  // namespace landfall::app
