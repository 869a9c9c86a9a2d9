#include "child_run.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace landfall::app {
namespace {

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category(), "another process cannot be started");
}

}  // namespace

ChildRun run_self(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "landfall");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  std::array<int, 2> pipe{};  // to read from, to write to
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) fail(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  pid_t process = 0;
  const int error = posix_spawn(&process, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe[1]);
  ChildRun run;
  std::array<char, 4096> bytes{};
  for (ssize_t count = 0; error == 0; run.out.append(bytes.data(), static_cast<std::size_t>(count))) {
    count = read(pipe[0], bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      count = 0;
    else if (count <= 0)
      break;
  }
  close(pipe[0]);
  if (error != 0) fail(error);
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) fail(errno);
  run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

}  // namespace landfall::app
