// Seconds since a moment.
//
//   const auto begin = Clock::now();
//   const double seconds = since(begin);
#pragma once

#include <chrono>

namespace landfall::app {

using Clock = std::chrono::steady_clock;

inline double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace landfall::app
