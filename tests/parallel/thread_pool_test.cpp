#include <landfall/errors.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

namespace landfall {
namespace {

TEST(ThreadPool, EveryPartIsDoneOnce) {
  for (const int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    const ThreadPool::Use use(pool);
    for (const std::ptrdiff_t count : {0, 1, 2, 7, 100})
      for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<int> done(static_cast<std::size_t>(count));
        parallel_for(count, [&](std::ptrdiff_t i) { ++done[static_cast<std::size_t>(i)]; });
        ASSERT_EQ(done, std::vector<int>(static_cast<std::size_t>(count), 1));
      }
  }
}

/// Each part waits until the other has begun.
TEST(ThreadPool, PartsRunAtTheSameTime) {
  ThreadPool pool(2);
  const ThreadPool::Use use(pool);
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  parallel_for(2, [&](std::ptrdiff_t) {
    std::unique_lock lock(mutex);
    ++begun;
    changed.notify_all();
    changed.wait(lock, [&] { return begun == 2; });
  });
  EXPECT_EQ(begun, 2);
}

TEST(ThreadPool, WithoutOneTheCallerDoesEverything) {
  EXPECT_EQ(ThreadPool::current(), nullptr);
  std::set<std::thread::id> ids;
  parallel_for(10, [&](std::ptrdiff_t) { ids.insert(std::this_thread::get_id()); });
  EXPECT_EQ(ids, std::set{std::this_thread::get_id()});
}

TEST(ThreadPool, PartsDoNotCutTheirWorkAgain) {
  ThreadPool pool(3);
  const ThreadPool::Use use(pool);
  std::atomic<int> inner = 0;
  parallel_for(8, [&](std::ptrdiff_t) {
    const auto own = std::this_thread::get_id();
    parallel_for(8, [&](std::ptrdiff_t) { inner += std::this_thread::get_id() == own; });
  });
  EXPECT_EQ(inner, 64);
  EXPECT_EQ(ThreadPool::current(), &pool);
}

TEST(ThreadPool, TheFirstPartThatThrowsIsHeardAndTheOthersEnd) {
  for (const int threads : {1, 4}) {
    ThreadPool pool(threads);
    const ThreadPool::Use use(pool);
    std::atomic<int> done = 0;
    const auto work = [&](std::ptrdiff_t i) {
      if (i == 3 || i == 50) throw std::runtime_error(std::to_string(i));
      ++done;
    };
    try {
      parallel_for(100, work);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
    if (threads > 1) {
      EXPECT_EQ(done, 98);
    }
    done = 0;
    parallel_for(3, work);  // nothing is left of it
    EXPECT_EQ(done, 3);
  }
}

TEST(ThreadPool, UsesAreNested) {
  ThreadPool outer(2), inner(2);
  const ThreadPool::Use use(outer);
  {
    const ThreadPool::Use other(inner);
    EXPECT_EQ(ThreadPool::current(), &inner);
  }
  EXPECT_EQ(ThreadPool::current(), &outer);
  EXPECT_THROW(ThreadPool(0), UsageError);
}

class Counted final : public BackgroundWork {
 public:
  explicit Counted(int pieces) : left_(pieces) {}
  bool work() override {
    const std::lock_guard lock(mutex_);
    if (left_ == 0) return false;
    --left_;
    changed_.notify_all();
    return true;
  }
  void add(int pieces) {
    const std::lock_guard lock(mutex_);
    left_ += pieces;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return left_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int left_;
};

TEST(ThreadPool, WorksInTheBackgroundBetweenParts) {
  ThreadPool pool(3);
  const ThreadPool::Use use(pool);
  Counted work(10);
  pool.add(work);
  std::atomic<int> parts = 0;
  for (int round = 0; round < 2000; ++round) {
    work.add(3);
    pool.wake();
    parallel_for(16, [&](std::ptrdiff_t) { ++parts; });
    work.wait();
  }
  EXPECT_EQ(parts, 2000 * 16);
  pool.remove(work);
  work.add(1);
  pool.wake();
  parallel_for(16, [&](std::ptrdiff_t) { ++parts; });
  EXPECT_TRUE(work.work());  // nobody else has done it
}

}  // namespace
}  // namespace landfall
