#include <landfall/errors.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

thread_local ThreadPool* current_pool = nullptr;

// Looks for work before a thread goes to sleep, about ten microseconds: waking it takes as long.
constexpr int kLooks = 400;

void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  if (threads < 1) throw UsageError(fmt::format("a pool of {} threads, expected at least 1", threads));
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this](std::stop_token stop) { serve(stop); });
}

ThreadPool::~ThreadPool() {
  for (auto& worker : workers_) worker.request_stop();  // all, before the first is waited for
}

ThreadPool::Use::Use(ThreadPool& pool) : before_(current_pool) {
  current_pool = &pool;
}

ThreadPool::Use::~Use() {
  current_pool = before_;
}

ThreadPool* ThreadPool::current() {
  return current_pool;
}

void ThreadPool::add(BackgroundWork& work) {
  {
    const std::lock_guard lock(background_mutex_);
    background_.push_back(&work);
  }
  wake();
}

void ThreadPool::remove(BackgroundWork& work) {
  const std::lock_guard lock(background_mutex_);
  std::erase(background_, &work);
}

void ThreadPool::wake() {
  wanted_ = true;
  if (sleepers_ == 0) return;
  const std::lock_guard lock(sleep_mutex_);
  wake_.notify_all();
}

// A thread joins by adding itself to inside_ and then looking at open_; run() closes and then looks at inside_. Whichever
// comes first, the other sees it, so that nobody is inside when the next run() changes what they read.
void ThreadPool::run(std::ptrdiff_t count, Part part, void* context) {
  count_ = count;
  part_ = part;
  context_ = context;
  error_ = nullptr;
  next_ = count;
  open_ = true;
  if (sleepers_ > 0) {
    const std::lock_guard lock(sleep_mutex_);
    wake_.notify_all();
  }
  take_parts();
  open_ = false;
  for (int looks = 0; looks < kLooks && inside_ > 0; ++looks) pause();
  for (int inside = inside_; inside > 0; inside = inside_) inside_.wait(inside);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::take_parts() {
  ThreadPool* const before = std::exchange(current_pool, nullptr);  // parts do not cut their work again
  for (std::ptrdiff_t left = next_--; left > 0; left = next_--) {
    const std::ptrdiff_t i = count_ - left;
    try {
      part_(context_, i);
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_ || i < failed_) {
        error_ = std::current_exception();
        failed_ = i;
      }
    }
  }
  current_pool = before;
}

bool ThreadPool::help() {
  if (!open_ || next_ <= 0) return false;
  ++inside_;
  const bool joined = open_;
  if (joined) take_parts();
  if (--inside_ == 0) inside_.notify_one();
  return joined;
}

// Only the thread that reads may take wanted_ back: wake() may come while it is at the end of its list, and the others must
// leave that for it to see.
bool ThreadPool::read_ahead() {
  if (!wanted_ || reading_.exchange(true))
    return false;  // another thread does it, and looks again afterwards
  wanted_ = false;
  {
    const std::lock_guard lock(background_mutex_);
    for (BackgroundWork* work : background_)
      if (work->work()) {
        wanted_ = true;
        break;
      }
  }
  reading_ = false;
  return wanted_;
}

void ThreadPool::serve(std::stop_token stop) {
  int looks = 0;
  while (!stop.stop_requested()) {
    if (help() || read_ahead()) {
      looks = 0;
    } else if (++looks < kLooks) {
      pause();
    } else {
      ++sleepers_;
      std::unique_lock lock(sleep_mutex_);
      wake_.wait(lock, stop, [&] { return (open_ && next_ > 0) || (wanted_ && !reading_); });
      --sleepers_;
      looks = 0;
    }
  }
}

}  // namespace landfall
