// SIGINT and SIGTERM during a run: the first ends it in order, or after five seconds where that takes longer and there is
// nothing to save; the second ends it at once.
//
//   Interrupts interrupts;
//   options.cancel = interrupts.cancel();
//   while (step()) if (interrupts.asked()) save();
//   interrupts.end_saving();
#pragma once

#include <landfall/parallel/cancel.hpp>

namespace landfall::app {

/// Handles the signals during its life. Between the first call of asked() and end_saving() a signal is told by asked(), so
/// that the run can be saved after the step; otherwise it requests cancel().
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  const CancelFlag& cancel() const { return cancel_; }
  /// Whether a signal has arrived.
  bool asked();
  /// There is nothing more to save.
  void end_saving();

 private:
  CancelFlag cancel_ = CancelFlag::create();
};

}  // namespace landfall::app
