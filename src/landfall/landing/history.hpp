// The progress of a run, thinned out as it grows: when it is full every second record is dropped.
//
//   landfall::ProgressHistory history(2048);
//   history.add(landfall::Progress{.iteration = 1});
//   use(history.records());
#pragma once

#include <landfall/landing/result.hpp>
#include <landfall/linalg/state.hpp>

namespace landfall {

class ProgressHistory {
 public:
  explicit ProgressHistory(Index most) : most_(most) { records_.reserve(static_cast<std::size_t>(most)); }

  void add(const Progress& progress) {
    if (most_ == 0 || progress.iteration % every_ != 0) return;
    if (static_cast<Index>(records_.size()) == most_) {
      std::size_t kept = 0;
      for (std::size_t i = 1; i < records_.size(); i += 2) records_[kept++] = records_[i];
      records_.resize(kept);
      every_ *= 2;
      if (progress.iteration % every_ != 0) return;
    }
    records_.push_back(progress);
  }

  const std::vector<Progress>& records() const { return records_; }
  void state(State& state) { state(every_, records_); }
  void forget_times() {
    for (Progress& at : records_) at.seconds = 0;
  }

 private:
  Index most_;
  std::uint64_t every_ = 1;
  std::vector<Progress> records_;
};

/// Without times, equal runs have equal states.
inline void save_progress(State& state, bool times, Progress& progress, ProgressHistory& history) {
  if (times || state.loading()) {
    state(progress);
    history.state(state);
    return;
  }
  Progress timeless = progress;
  timeless.seconds = 0;
  ProgressHistory records = history;
  records.forget_times();
  state(timeless);
  records.state(state);
}

}  // namespace landfall
