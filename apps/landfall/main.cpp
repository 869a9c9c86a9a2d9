// landfall: the command-line tool. Results go to standard output, everything else to standard error.
// Exit codes: 0 success, 2 wrong usage, 3 bad input data, 4 numerical failure, 130 interrupted.
#include <landfall/errors.hpp>
#include <landfall/run/checkpoints.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "commands/commands.hpp"
#include "runs/child_run.hpp"
#include "terminal/arguments.hpp"
#include "terminal/command_line.hpp"
#include "terminal/process.hpp"
#include "terminal/ranks.hpp"
#include <fmt/format.h>

namespace {

/// Ends the program past the handlers of exit(): HDF5's would add a line of its own after a damaged file.
[[noreturn]] void fail(int code, std::string_view message) {
  landfall::app::fail_on_ranks(code, message);
}

/// What several ranks can do.
void require_shared_command(int argc, const char* const* argv) {
  using namespace landfall::app;
  if (!ranks().several() || argc < 2 || argv[1][0] == '-') return;
  constexpr std::array<std::string_view, 5> shared{"cca", "lda", "ica", "transform", "help"};
  if (std::ranges::find(shared, argv[1]) == shared.end())
    require_one_process(fmt::format("landfall {}", argv[1]));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace landfall::app;
  std::set_terminate([] { fail(3, "not enough memory"); });  // the JSON library allocates in its destructors
  if (const std::string refusal = prepare_process(argv); !refusal.empty()) fail(3, refusal);
  try {
    join_ranks(argc, argv);
    require_shared_command(argc, argv);
  } catch (const landfall::UsageError& error) {
    fail(2, error.what());
  }
  set_command_line(argc, argv);
  CLI::App program;
  setup_program(program);

  try {
    program.parse(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) fail(3, "standard output cannot be written");
    finish_ranks();
    return 0;
  } catch (const CLI::Success& help) {
    const int code = program.exit(help);
    finish_ranks();
    return code;
  } catch (const CLI::ParseError& error) {
    fail(2, explain(program, error));
  } catch (const ChildFailed& child) {
    return child.code;
  } catch (const landfall::Interrupted& error) {
    fail(130, fmt::format("interrupted; run the same command with --resume to continue from {}",
                          error.checkpoint.string()));
  } catch (const landfall::Cancelled&) {
    fail(130, "interrupted");
  } catch (const landfall::UsageError& error) {
    fail(2, error.what());
  } catch (const landfall::DataError& error) {
    fail(3, error.what());
  } catch (const landfall::NumericalError& error) {
    fail(4, error.what());
  } catch (const std::bad_alloc&) {
    fail(3, "not enough memory");
  } catch (const std::system_error& error) {  // a thread, a process, a stream
    fail(3, error.what());
  } catch (const std::exception& error) {
    fail(4, error.what());
  }
}
