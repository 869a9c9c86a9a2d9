// Saving and resuming a run, with the same result as an uninterrupted run.
//
//   landfall::Checkpoints checkpoints;
//   checkpoints.due = [&] { return true; };                               // after every step
//   checkpoints.save = [&](const std::string& state) { file = state; };
//   // later, with the same data and options:
//   checkpoints.resume = file;
#pragma once

#include <functional>
#include <string>

namespace landfall {

struct Checkpoints {
  std::function<bool()> due = {};                           // asked after every step
  /// When due on any rank, called on all of them; the state of the run is that of rank 0. What it throws ends the run.
  std::function<void(const std::string& state)> save = {};
  /// What the state was after the last step.
  std::function<void(const std::string& state)> finish = {};
  std::string resume = {};              // a state to go on from; empty: from the start
  std::string name = "the checkpoint";  // where it is from, for messages
};

}  // namespace landfall
