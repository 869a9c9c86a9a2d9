#include "runs/run_checkpoints.hpp"

#include <landfall/errors.hpp>
#include <landfall/run/checkpoint_file.hpp>
#include <landfall/version.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "runs/run_folder.hpp"
#include <fmt/format.h>
#include <unistd.h>

namespace landfall::app {
namespace {

using Json = nlohmann::ordered_json;

volatile std::sig_atomic_t asked_to_stop = 0;  // the signal
volatile std::sig_atomic_t can_save = 0;       // a step is under way: its end is a place to stop at

extern "C" void stop_soon(int signal) {
  if (!can_save || asked_to_stop) ::_exit(128 + signal);  // nothing would be gained by waiting
  asked_to_stop = signal;
}

/// Options that change no number: other data is found out by its mark.
bool is_neutral(const std::string& name) {
  constexpr std::array names{"LEFT",     "RIGHT",     "DATA",    "--labels", "--truth",
                             "--out",    "--json",    "--quiet", "--force",  "--checkpoint-every",
                             "--resume", "--threads", "--curve", "--image",  "--verbose",
                             "--help"};
  return std::ranges::find(names, name) != names.end();
}

/// What was given on the command line and matters for the numbers.
Json options_of(const CLI::App& command) {
  Json options{{"command", command.get_name()}, {"landfall", version()}};
  for (const CLI::Option* option : command.get_options())
    if (const std::string name = option->get_name(); option->count() > 0 && !is_neutral(name))
      options[name] = option->as<std::string>();
  return options;
}

void require_same(const std::filesystem::path& path, const Json& then, const Json& now) {
  const auto text = [](const Json& all, const std::string& name) {
    return all.contains(name) ? all[name].get<std::string>() : std::string("not given");
  };
  for (const Json* options : {&then, &now})
    for (const auto& [name, value] : options->items())
      if (text(then, name) != text(now, name))
        throw UsageError(fmt::format("{}: of a run with other options: {} was {}, now {}", path.string(),
                                     name, text(then, name), text(now, name)));
}

}  // namespace

RunCheckpoints::RunCheckpoints(const RunOptions& run, const CLI::App& command) : run_(run) {
  if (run.out.empty()) return;
  const Json options = options_of(command);
  options_ = options.dump();
  const auto path = checkpoint_in(run.out);
  if (run.resume && std::filesystem::exists(path)) {
    auto stored = read_checkpoint(path);
    const Json then = Json::parse(stored.options, nullptr, false);
    if (!then.is_object())
      throw DataError(fmt::format("{}: a damaged checkpoint: its options", path.string()));
    require_same(path, then, options);
    resume_ = std::move(stored.state);
    begun_ = true;
  } else if (run.resume && !run.quiet) {
    fmt::print(stderr, "{}: no checkpoint, so the run begins anew\n", run.out);
  }
  asked_to_stop = 0;
  can_save = 0;
  std::signal(SIGINT, stop_soon);
  std::signal(SIGTERM, stop_soon);
}

RunCheckpoints::~RunCheckpoints() {
  if (run_.out.empty()) return;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

Checkpoints RunCheckpoints::hooks() {
  if (run_.out.empty()) return {};
  using Clock = std::chrono::steady_clock;
  saved_ = Clock::now();
  return {.due =
              [this] {
                can_save = 1;
                const std::chrono::duration<double> since = Clock::now() - saved_;
                return asked_to_stop != 0 || since.count() >= run_.checkpoint_every;
              },
          .save = [this](const std::string& state) { save(state); },
          .finish =
              [this](const std::string& state) {
                can_save = 0;
                last_ = state;
              },
          .resume = resume_,
          .name = checkpoint_in(run_.out).string()};
}

void RunCheckpoints::save(const std::string& state) {
  if (!std::exchange(begun_, true)) begin_run_folder(run_.out);
  write_checkpoint(checkpoint_in(run_.out), {options_, state});
  saved_ = std::chrono::steady_clock::now();
  if (asked_to_stop)
    throw Interrupted(fmt::format("interrupted; the same command with --resume goes on from {}",
                                  checkpoint_in(run_.out).string()));
}

void RunCheckpoints::write_last(const std::filesystem::path& folder) const {
  if (!last_.empty()) write_checkpoint(checkpoint_in(folder), {options_, last_});
}

}  // namespace landfall::app
