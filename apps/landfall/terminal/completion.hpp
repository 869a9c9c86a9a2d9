// Shell completion scripts for the commands, options, choices and files of a command line.
#pragma once

#include "terminal/command_table.hpp"

namespace landfall::app {

std::string bash_completion(const CommandEntry& program);
std::string zsh_completion(const CommandEntry& program);

}  // namespace landfall::app
