// landfall completion bash|zsh, landfall man: for the shell and for man, made of the table of commands.
#include <landfall/version.hpp>

#include <memory>

#include "commands/commands.hpp"
#include "terminal/arguments.hpp"
#include "terminal/completion.hpp"
#include "terminal/man_page.hpp"
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

void setup_man(CLI::App& program) {
  auto* command = program.add_subcommand("man", "Print the manual page (roff)");
  command->footer(
      "Examples:\n"
      "  landfall man | man -l -\n"
      "  landfall man > /usr/local/share/man/man1/landfall.1");
  command->callback([&program] { fmt::print("{}", man_page(command_table(program), version())); });
}

}  // namespace landfall::app
