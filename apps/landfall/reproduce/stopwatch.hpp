// Wall-clock seconds since it was made.
#pragma once

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

/// Seconds that one call of `work` takes: the mean over as many as fill the time, at least one, after one that is
/// not counted unless it takes that long alone.
template <class Work>
double seconds_per_call(const Work& work, double least) {
  Stopwatch first;
  work();
  if (first.seconds() > least) return first.seconds();
  int calls = 0;
  Stopwatch watch;
  do {
    work();
    ++calls;
  } while (watch.seconds() < least);
  return watch.seconds() / calls;
}

}  // namespace landfall::app
