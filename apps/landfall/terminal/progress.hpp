// Progress: one line on a terminal that is rewritten a few times a second and gone at the end; elsewhere a
// line every five seconds.
//
//   ProgressLine line(standard_error(), !quiet);
//   options.observer = show_progress(line, {.passes = 4, .rows = source->rows()});
#pragma once

#include <landfall/landing/result.hpp>

#include <mutex>
#include <optional>
#include <vector>

#include "terminal/screen.hpp"

namespace landfall::app {

/// What there is to say, the most important first: a narrow terminal shows as many as fit.
using Parts = std::vector<std::string>;

/// The parts that fit in so many columns, two spaces between them.
std::string fitted(const Parts& parts, std::size_t columns);

class ProgressLine {
 public:
  explicit ProgressLine(Screen screen, bool wanted = true);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  /// The parts are made only when they are shown.
  template <class MakeParts>
  void show(const MakeParts& parts) {
    const std::lock_guard lock(mutex_);
    stepped_ = now();
    if (is_due()) put(parts());
  }
  /// From the thread that reads: nothing while there are steps to tell of.
  template <class MakeParts>
  void show_reading(const MakeParts& parts) {
    const std::lock_guard lock(mutex_);
    if (is_due() && !(now() < stepped_ + kQuiet)) put(parts());
  }
  /// A line that stays.
  void say(std::string_view text);

  double now() const { return screen_.now(); }  // seconds

 private:
  static constexpr double kQuiet = 1;  // seconds after a step, or the beginning

  bool is_due() const { return wanted_ && screen_.now() >= next_; }
  void put(const Parts& parts);
  void clear();

  Screen screen_;
  bool wanted_, shown_ = false;
  double next_;     // when to show something again
  double stepped_;  // when there was a step, or the beginning
  std::mutex mutex_;
};

/// What is known of a run before it begins.
struct PlannedRun {
  double passes = 0;               // 0: until it has converged
  std::optional<Index> rows = {};  // of one pass; unknown: the rate is told in passes
  bool verbose = false;            // also says when the step was halved
};

Parts landing_parts(const Progress& progress, const PlannedRun& run, std::uint64_t memory);

/// For the observer of a model: never ends the run.
std::function<bool(const Progress&)> show_progress(ProgressLine& line, const PlannedRun& run);

/// "950", "41.2k", "1.2M"
std::string count_text(double count);

}  // namespace landfall::app
