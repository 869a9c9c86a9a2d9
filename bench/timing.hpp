// Times of pieces of code that are to be compared, taken in turn so that a noisy machine disturbs all alike.
//
//   const auto times = landfall::bench::interleave({.rounds = 9}, {{[&] { ours(); }}, {[&] { theirs(); }}});
//   landfall::bench::report("ours_over_theirs", landfall::bench::ratio(times[0], times[1]));
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace landfall::bench {

struct Piece {
  std::function<void()> run;
  std::function<void()> prepare = {};  // before each run, outside the clock
};

struct Effort {
  int rounds = 9;       // at most
  double seconds = 60;  // no new round after so long, but never fewer than three
};

struct Times {
  double median = 0, best = 0;   // seconds of one run
  std::vector<double> rounds{};  // and of each
  std::vector<double> busy{};    // of each, the seconds that the processor gave to the calling thread
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double busy_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Every piece once per round, each round starting with another one.
inline std::vector<Times> interleave(Effort effort, const std::vector<Piece>& pieces) {
  std::vector<std::vector<double>> seconds(pieces.size()), busy(pieces.size());
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < effort.rounds; ++round) {
    if (round >= 3 && seconds_since(begin) > effort.seconds) break;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::size_t at = (i + static_cast<std::size_t>(round)) % pieces.size();
      if (pieces[at].prepare) pieces[at].prepare();
      const auto start = std::chrono::steady_clock::now();
      const double busy_start = busy_seconds();
      pieces[at].run();
      busy[at].push_back(busy_seconds() - busy_start);
      seconds[at].push_back(seconds_since(start));
    }
  }
  std::vector<Times> times;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    times.push_back(
        {median(seconds[i]), *std::min_element(seconds[i].begin(), seconds[i].end()), seconds[i], busy[i]});
  return times;
}

/// How many times as long a takes as b: median over the rounds, in each of which both met the same machine.
inline double ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return median(ratios);
}
inline double ratio(const Times& a, const Times& b) {
  return ratio(a.rounds, b.rounds);
}
/// The same for the time of the processor: of two pieces that use one thread and wait for nothing, what an
/// idle machine would show.
inline double busy_ratio(const Times& a, const Times& b) {
  return ratio(a.busy, b.busy);
}

/// A line that bench/run finds again.
inline void report(std::string_view what, double value) {
  fmt::print("measured {} {:.4g}\n", what, value);
}

}  // namespace landfall::bench
