// The views of a data set for several users at once, each on a thread of its own: rows are read once and handed to all of them.
//
//   #include <thread>
//   std::vector<landfall::Source<float>*> views;                    // at their first row; outlive the readers
//   landfall::SharedReading<float> reading(views, 2);
//   auto one = reading.readers(), other = reading.readers();       // sources: one of each view
//   std::jthread first([&] { use(std::move(one)); }), second([&] { use(std::move(other)); });
//
// Where rows are read in order, a reader that is ahead waits for the slowest, so that a window of rows is in memory and no more. To
// start again it waits until the others have done so too, or have ended: a user that is finished destroys its readers, and rewinds
// all views before it reads again. Rows that can be read in any order are not kept: users that go through them in the same order find
// them in the pages of the system.
#pragma once

#include <landfall/data/rows/source.hpp>

#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace landfall {

template <class S>
class SharedReading {
 public:
  /// Rows are handed out once readers() has been called for all `users`. `window`: rows of a view that are kept; 0: default_window().
  SharedReading(const std::vector<Source<S>*>& views, int users, Index window = 0);
  std::vector<SourcePtr<S>> readers();

 private:
  class Reader;
  struct Place {
    Index pass = 0, row = 0;  // the next one
  };
  struct Block {
    Index first = 0;
    Batch<S> rows = {};
    std::vector<double> labels = {};
  };
  struct View {
    View(Source<S>& view, Index kept);
    bool has_room() const;
    bool all_have_left(Index earlier_than) const;
    void start(Index next_pass);
    void read_block();
    void forget_blocks();

    Source<S>& source;
    const Index window;       // rows that are kept
    std::list<Place> places;  // of the readers that live
    Index pass = 0;           // that the source is in
    std::deque<Block> blocks = {};
    Index end = 0;  // rows read in this pass
    bool at_end = false;
  };

  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, Ready ready);

  std::mutex mutex_;  // of everything below, and of reading
  std::condition_variable changed_;
  std::list<View> views_;
  int missing_;              // users that have no readers yet
  std::size_t waiting_ = 0;  // readers that do; a user reads one view at a time
};

extern template class SharedReading<float>;
extern template class SharedReading<double>;

}  // namespace landfall
