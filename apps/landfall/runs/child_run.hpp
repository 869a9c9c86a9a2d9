// Runs this program as a child process, to measure its time and memory separately.
//
//   const ChildRun run = run_self({"cca", "left.npy", "right.npy", "-p", "5", "--json"});
//   if (run.code == 0) use(nlohmann::json::parse(run.out));
#pragma once

#include <string>
#include <vector>

namespace landfall::app {

struct ChildRun {
  int code = -1;    // as a shell tells it: 128 more than the signal that ended it
  std::string out;  // its standard output; its standard error is that of this process
};

/// It failed, and has said why on standard error: there is nothing to add but its exit code.
struct ChildFailed {
  int code;
};

/// Throws std::system_error where no process can be started.
ChildRun run_self(std::vector<std::string> arguments);

}  // namespace landfall::app
