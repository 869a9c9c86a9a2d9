// Seconds of the parts of a fit.
//
//   landfall::Timer timer;
//   use(timer.lap());    // since the timer was made
//   use(timer.lap());    // since the last lap
#pragma once

#include <chrono>
#include <utility>

namespace landfall {

class Timer {
 public:
  /// Since the last lap, or since the timer was made.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace landfall
