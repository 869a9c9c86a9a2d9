// Wall-clock seconds since construction.
#pragma once

#include <algorithm>
#include <chrono>

namespace landfall::app {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Seconds that one call of `work` takes: the least of three means over as many calls as fill the time, or of the only
/// call where it takes that long alone.
template <class Work>
double seconds_per_call(const Work& work, double least) {
  Stopwatch first;
  work();
  double best = first.seconds();
  for (int round = 0; round < 3 && best < least; ++round) {
    int calls = 0;
    const Stopwatch watch;
    do {
      work();
      ++calls;
    } while (watch.seconds() < least / 3);
    best = std::min(best, watch.seconds() / calls);
  }
  return best;
}

}  // namespace landfall::app
