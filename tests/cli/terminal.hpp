// The program on a terminal: what it writes there, and the exit code.
#pragma once

#include <array>

#include "program.hpp"
#include <pty.h>
#include <unistd.h>

namespace landfall::test {

/// Standard output and error are a terminal with so many columns. `environment` is "NAME=value".
inline Outcome run_on_terminal(const std::filesystem::path& folder, const Words& arguments,
                               unsigned short columns, const Words& environment = {}) {
  Words words{"env", "-u", "NO_COLOR", "TERM=xterm"};
  words.insert(words.end(), environment.begin(), environment.end());
  words.emplace_back(program_path());
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t process = forkpty(&terminal, nullptr, nullptr, &size);
  if (process < 0) throw std::runtime_error("there is no terminal to be had");
  if (process == 0) {
    if (chdir(folder.c_str()) == 0) execvp(argv[0], argv.data());
    _exit(127);
  }
  Outcome outcome;
  std::array<char, 4096> bytes{};
  for (ssize_t count = 0; (count = read(terminal, bytes.data(), bytes.size())) > 0;)
    outcome.out.append(bytes.data(), static_cast<std::size_t>(count));
  close(terminal);
  int status = 0;
  if (waitpid(process, &status, 0) == process && WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return outcome;
}

}  // namespace landfall::test
