// Checkpoints in the run folder: every so often, and when the run is interrupted.
//
//   RunCheckpoints checkpoints(options.run, *command);    // reads the one there is, with --resume
//   options.cca.checkpoints = checkpoints.hooks();
//   fit_cca<S>(...);                                      // throws Interrupted after SIGINT or SIGTERM
//   checkpoints.write_last(folder);
#pragma once

#include <landfall/landing/checkpoints.hpp>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "terminal/model_options.hpp"

namespace landfall::app {

/// A signal ended the run, and its state is in the folder.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class RunCheckpoints {
 public:
  /// Without a run folder it does nothing. UsageError: the checkpoint is of a run with other options;
  /// DataError: it cannot be read.
  RunCheckpoints(const RunOptions& run, const CLI::App& command);
  ~RunCheckpoints();
  RunCheckpoints(const RunCheckpoints&) = delete;
  RunCheckpoints& operator=(const RunCheckpoints&) = delete;

  /// Not beyond this object's life.
  Checkpoints hooks();
  bool resumed() const { return !resume_.empty(); }

  /// The state after the last step, into the folder of the finished run.
  void write_last(const std::filesystem::path& folder) const;

 private:
  void save(const std::string& state);

  const RunOptions& run_;
  std::string options_;  // JSON of those that matter for the numbers
  std::string resume_, last_;
  bool begun_ = false;  // the folder is this run's
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace landfall::app
