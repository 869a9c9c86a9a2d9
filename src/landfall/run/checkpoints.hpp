// Checkpoints of a run in its folder: written at intervals and when the run is asked to stop.
//
//   landfall::RunCheckpoints run({.folder = "run", .options = {{"seed", "0"}}, .resume = true});
//   const landfall::Checkpoints checkpoints = run.hooks();    // for the options of a model
//   run.write_last("run");                                    // after the fit
//
// The file: "landfall checkpoint 1\n", the sizes of options and state (64 bits each), their bytes, and the
// checksum of all of these. A new file replaces the old one only when all of it is on the disk.
#pragma once

#include <landfall/landing/checkpoints.hpp>
#include <landfall/parallel/communicator.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace landfall {

struct StoredCheckpoint {
  std::string options;  // the caller's text: what the run was asked for
  std::string state;    // of Checkpoints::save
};

void write_checkpoint(const std::filesystem::path& path, const StoredCheckpoint& checkpoint);
/// DataError: the file is damaged or was written by a newer version.
StoredCheckpoint read_checkpoint(const std::filesystem::path& path);

/// The run was asked to stop, and its state is in this file.
struct Interrupted : std::runtime_error {
  explicit Interrupted(const std::filesystem::path& path);
  std::filesystem::path checkpoint;
};

struct RunCheckpointOptions {
  std::filesystem::path folder = {};  // of the run; empty: no checkpoints
  /// Names and values that the numbers depend on: a run is resumed only with the same ones.
  std::vector<std::pair<std::string, std::string>> options = {};
  double every = 60;    // seconds between checkpoints
  bool resume = false;  // from the checkpoint in the folder, if there is one
  /// Called after every step; true writes a checkpoint and ends the run with Interrupted, on all ranks.
  std::function<bool()> stop = {};
  /// Ranks that make the run together; rank 0 reads and writes. Null: one.
  std::shared_ptr<Communicator> communicator = {};
};

class RunCheckpoints {
 public:
  /// UsageError: the checkpoint is of a run with other options; DataError: it cannot be read.
  explicit RunCheckpoints(RunCheckpointOptions options);
  RunCheckpoints(const RunCheckpoints&) = delete;
  RunCheckpoints& operator=(const RunCheckpoints&) = delete;

  /// For the options of a model. They refer to this object.
  Checkpoints hooks();
  bool resumed() const { return !resume_.empty(); }

  /// For a fit that was cancelled: saves the state after the last step, if it came to that. Returns whether there is a
  /// checkpoint of this run.
  bool save_last();
  const std::filesystem::path& path() const { return path_; }
  /// Writes the state after the last step into the folder of the finished run.
  void write_last(const std::filesystem::path& folder) const;

 private:
  using Clock = std::chrono::steady_clock;

  bool due();
  void save(const std::string& state);
  void write(const std::string& state);
  bool stopped() const { return options_.stop && options_.stop(); }
  Communicator& ranks() const {
    return options_.communicator ? *options_.communicator : serial_communicator();
  }

  RunCheckpointOptions options_;
  std::filesystem::path path_;  // of the checkpoint
  std::string resume_, last_;
  bool begun_ = false;  // the folder belongs to this run
  Clock::time_point saved_ = Clock::now();
};

}  // namespace landfall
