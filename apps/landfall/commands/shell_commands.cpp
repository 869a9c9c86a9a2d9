// landfall completion bash|zsh, landfall man: for the shell and for man, made of the table of commands.
#include <landfall/errors.hpp>
#include <landfall/version.hpp>

#include <algorithm>
#include <memory>

#include "commands/commands.hpp"
#include "terminal/arguments.hpp"
#include "terminal/completion.hpp"
#include "terminal/man_page.hpp"
#include "terminal/nearest.hpp"
#include <fmt/format.h>

namespace landfall::app {

void setup_completion(CLI::App& program) {
  auto shell = std::make_shared<std::string>();
  auto* command = program.add_subcommand("completion", "Print a completion script for bash or zsh");
  const OptionAdder add{command};
  add("SHELL", *shell, "NAME", "bash or zsh")->required()->check(one_of({"bash", "zsh"}));
  command->footer(
      "make install installs both. To enable one manually, for example:\n"
      "Examples:\n"
      "  source <(landfall completion bash)\n"
      "  landfall completion zsh > ~/.zfunc/_landfall");
  command->callback([&program, shell] {
    const CommandEntry table = command_table(program);
    fmt::print("{}", *shell == "bash" ? bash_completion(table) : zsh_completion(table));
  });
}

void setup_help(CLI::App& program) {
  auto words = std::make_shared<std::vector<std::string>>();
  auto* command = program.add_subcommand("help", "Show the help page of a command");
  const OptionAdder add{command};
  add("COMMAND", *words, "NAME ...", "such as cca, or data info; none: the program itself");
  command->footer(
      "Examples:\n"
      "  landfall help cca\n"
      "  landfall help data info");
  command->callback([&program, words] {
    CLI::App* shown = &program;
    std::string above;
    for (const auto& word : *words) {
      const auto names = command_table(*shown).command_names();
      if (std::find(names.begin(), names.end(), word) == names.end())
        throw UsageError(fmt::format("unknown command '{}'{}", word, suggestion(word, names)));
      above += (above.empty() ? "" : " ") + shown->get_name();
      shown = shown->get_subcommand(word);
    }
    fmt::print("{}", shown->get_formatter()->make_help(
                         shown, above.empty() ? shown->get_name() : above + " " + shown->get_name(),
                         CLI::AppFormatMode::Normal));
  });
}

void setup_man(CLI::App& program) {
  auto* command = program.add_subcommand("man", "Print the manual page (roff)");
  command->footer(
      "Examples:\n"
      "  landfall man | man -l -\n"
      "  landfall man > /usr/local/share/man/man1/landfall.1");
  command->callback([&program] { fmt::print("{}", man_page(command_table(program), version())); });
}

}  // namespace landfall::app
