// SIGINT and SIGTERM while a run can be saved.
//
//   Interrupts interrupts;
//   while (step()) if (interrupts.asked()) save();
//   interrupts.end_now();
#pragma once

namespace landfall::app {

/// Handles the signals during its life. A signal ends the program at once, except between the first call of
/// asked() and end_now(), when only a second one does.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  /// Whether a signal has arrived.
  bool asked();
  /// From now on there is nothing to save: a signal ends the program again.
  void end_now();
};

}  // namespace landfall::app
