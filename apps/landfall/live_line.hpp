// One line on a terminal that is rewritten a few times a second and gone at the end.
//
//   LiveLine line(!quiet);
//   line.show([&] { return fmt::format("iteration {}", i); });    // the text is made only when it is shown
#pragma once

#include <chrono>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace landfall::app {

using Clock = std::chrono::steady_clock;

inline double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class LiveLine {
 public:
  explicit LiveLine(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO)) {}
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;
  ~LiveLine() {
    if (shown_ != Clock::time_point{}) fmt::print(stderr, "\r\033[K");
  }

  template <class Text>
  void show(const Text& text) {
    if (!wanted_ || since(shown_) < 0.2) return;
    shown_ = Clock::now();
    fmt::print(stderr, "\r\033[K{} ", text());
  }

 private:
  bool wanted_;
  Clock::time_point shown_{};
};

}  // namespace landfall::app
