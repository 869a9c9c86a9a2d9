// Runs the program as a user does: arguments in; standard output, standard error and exit code out.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <data/temporary_folder.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace landfall::test {

using Words = std::vector<std::string>;

struct Outcome {
  int code = -1;
  std::string out, err;
};

/// In the folder, its output going to files outside of it. `setting` is what the shell is told before, such as
/// "ulimit -v 1000000;", and the words that may stand before a command, such as "setpriv --reuid=1000".
inline Outcome run_program(const std::filesystem::path& folder, const Words& arguments,
                           const std::string& setting = "", const std::string& before = "",
                           const std::string& input = "/dev/null") {
  const TemporaryFolder output;
  const std::string out = output / "out", err = output / "err";
  Words words{"sh",
              "-c",
              setting + " cd \"$1\" && in=$2 out=$3 err=$4 && shift 4 && exec " + before +
                  " \"$@\" <\"$in\" >\"$out\" 2>\"$err\"",
              "sh",
              folder.string(),
              input,
              out,
              err,
              LANDFALL_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t process = 0;
  int status = 0;
  if (posix_spawn(&process, "/bin/sh", nullptr, nullptr, argv.data(), environ) != 0 ||
      waitpid(process, &status, 0) != process)
    throw std::runtime_error("the program could not be started");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

}  // namespace landfall::test
