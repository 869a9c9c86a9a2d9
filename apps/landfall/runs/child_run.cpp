#include "runs/child_run.hpp"

#include <array>
#include <cerrno>
#include <csignal>
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

/// Ctrl-C goes to both processes: the child writes its checkpoint, and this one waits for it.
class InterruptsIgnored {
 public:
  InterruptsIgnored() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &before_);
  }
  InterruptsIgnored(const InterruptsIgnored&) = delete;
  InterruptsIgnored& operator=(const InterruptsIgnored&) = delete;
  ~InterruptsIgnored() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

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
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &interrupts);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const InterruptsIgnored ignored;
  pid_t process = 0;
  const int error = posix_spawn(&process, "/proc/self/exe", &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
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
