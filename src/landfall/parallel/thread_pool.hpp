// Threads that share the work of one run. They belong to whoever makes the pool and end with it.
//
//   landfall::ThreadPool pool(2);                      // the calling thread and one more
//   const landfall::ThreadPool::Use use(pool);         // for parallel_for in this thread, while it lives
//   std::vector<double> squares(100);
//   landfall::parallel_for(100, [&](std::ptrdiff_t i) { squares[i] = double(i) * double(i); });
//
// Work is cut into parts whose number and size do not depend on the number of threads. A part writes what no other part
// writes, or a sum of its own that is added to the others afterwards, in order: results then have the same bits with any
// number of threads, also with none.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace landfall {

/// What threads do while there are no parts to work on, such as reading ahead.
class BackgroundWork {
 public:
  virtual ~BackgroundWork() = default;
  /// Does a piece of it, about as long as a part; false where there is nothing to do.
  virtual bool work() = 0;
};

class ThreadPool {
 public:
  /// With the calling thread; 1: there are no others.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Makes it the pool of parallel_for in this thread.
  class Use {
   public:
    explicit Use(ThreadPool& pool);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    ThreadPool* before_;
  };
  /// That of this thread; null: none, or this is a part already.
  static ThreadPool* current();

  /// The work is done by one thread at a time. After remove() none does it.
  void add(BackgroundWork& work);
  void remove(BackgroundWork& work);
  /// There may be something to do.
  void wake();

  using Part = void (*)(void* context, std::ptrdiff_t part);
  /// Calls part(context, 0), ..., part(context, count - 1), in any order. The exception of the first part that threw is thrown
  /// again once all have ended.
  void run(std::ptrdiff_t count, Part part, void* context);

 private:
  void serve(std::stop_token stop);
  bool help();
  bool read_ahead();
  void take_parts();

  // The parts of one run(). open_: threads may join; inside_: those that have.
  std::atomic<bool> open_ = false;
  std::atomic<int> inside_ = 0;
  std::atomic<std::ptrdiff_t> next_ = 0;
  std::ptrdiff_t count_ = 0;
  Part part_ = nullptr;
  void* context_ = nullptr;
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::ptrdiff_t failed_ = 0;

  std::mutex background_mutex_;  // held while a piece is done
  std::vector<BackgroundWork*> background_;
  std::atomic<bool> wanted_ = false;   // there may be background work
  std::atomic<bool> reading_ = false;  // a thread does it

  std::mutex sleep_mutex_;
  std::condition_variable_any wake_;
  std::atomic<int> sleepers_ = 0;
  std::vector<std::jthread> workers_;  // last: they end before anything else goes
};

/// part(i) for i = 0, ..., count - 1, on the threads of the current pool; in the calling thread where there is none.
template <class F>
void parallel_for(std::ptrdiff_t count, F&& part) {
  ThreadPool* pool = count > 1 ? ThreadPool::current() : nullptr;
  if (pool == nullptr || pool->threads() == 1) {
    for (std::ptrdiff_t i = 0; i < count; ++i) part(i);
    return;
  }
  using Function = std::remove_reference_t<F>;
  pool->run(
      count, [](void* context, std::ptrdiff_t i) { (*static_cast<Function*>(context))(i); },
      const_cast<void*>(static_cast<const void*>(&part)));
}

}  // namespace landfall
