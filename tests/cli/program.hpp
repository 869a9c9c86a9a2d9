// The program as a user runs it: arguments in; standard output, standard error and exit code out.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace landfall::test {

using Words = std::vector<std::string>;

struct Outcome {
  int code = -1;
  std::string out, err;
};

/// The program of the build, or the one that the environment names: tools/coverage has another.
inline std::string program_path() {
  const char* other = std::getenv("LANDFALL_PROGRAM");
  return other ? other : LANDFALL_PROGRAM;
}

/// Whether the program has a sanitizer, which reserves more of the address space than any limit allows: by the compiler
/// where the tests have it too, by the environment where only the program does (tools/test-sanitizers).
inline bool sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return std::getenv("LANDFALL_SANITIZED") != nullptr;
#endif
}

/// Runs a command in a folder, its output going to files outside of it.
inline Outcome run_words(const std::filesystem::path& folder, const Words& command) {
  const TemporaryFolder output;
  const std::string out = output / "out", err = output / "err";
  Words words{"sh",
              "-c",
              "cd \"$1\" && out=$2 err=$3 && shift 3 && exec env \"$@\" >\"$out\" 2>\"$err\"",
              "sh",
              folder.string(),
              out,
              err};
  words.insert(words.end(), command.begin(), command.end());
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

/// Runs the program; `environment` is "NAME=value".
inline Outcome run_program(const std::filesystem::path& folder, const Words& arguments,
                           const Words& environment = {}) {
  Words words = environment;
  words.emplace_back(program_path());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_words(folder, words);
}

/// What makes a command that of a user who may not write everywhere; to be put before it.
inline Words as_nobody() {
  if (::geteuid() != 0) return {};
  return {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
}

/// The run failed with this code, printed nothing, and said this sentence.
inline void expect_error(const Outcome& run, int code, const std::string& sentence) {
  EXPECT_EQ(run.code, code);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "landfall: " + sentence + "\n");
}

/// A page of help: short enough to read, with examples.
inline void expect_help(const Outcome& run) {
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  const auto examples = run.out.find("Examples:\n  ");
  ASSERT_NE(examples, std::string::npos);
  EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 40);
  int shown = 0;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    if (static_cast<std::size_t>(lines.tellg()) > examples && line.find("landfall ") < 12) ++shown;
  }
  EXPECT_GE(shown, 2) << "examples";
}

}  // namespace landfall::test
