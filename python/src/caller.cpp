#include "caller.hpp"

#include <chrono>
#include <utility>

#include "convert.hpp"
#include <unistd.h>

namespace landfall::python {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPoll = std::chrono::milliseconds(50);
constexpr auto kPatience = std::chrono::milliseconds(100);  // with work that was cancelled

/// How many threads of run_detached() there are. No lock, which a forked child might find taken for ever.
std::atomic<int> detached = 0;
const pid_t loaded_by = getpid();  // a forked child has none of the threads

struct CountedThread {
  CountedThread() { ++detached; }
  ~CountedThread() {
    --detached;
    detached.notify_all();
  }
};

}  // namespace

Caller::Caller(py::object tick) : tick_(std::move(tick)) {}

void Caller::call(const std::function<void()>& f) {
  if (std::this_thread::get_id() == owner_) return f();
  std::optional<py::gil_scoped_release> release;  // for the owner
  if (PyGILState_Check()) release.emplace();
  Errand errand{&f, {}};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return left_ || errand_ == nullptr; });  // of another thread
  if (left_) throw Cancelled();
  errand_ = &errand;
  changed_.notify_all();
  changed_.wait(lock, [&] { return left_ || errand.done; });
  errand_ = nullptr;
  changed_.notify_all();
  if (!errand.done) throw Cancelled();
  if (errand.error) std::rethrow_exception(errand.error);
}

void Caller::note(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

void Caller::note_rows(Index rows) {
  const std::lock_guard lock(mutex_);
  rows_ += rows;
}

void Caller::set_saving(bool saving) {
  saving_ = saving;
  if (!saving && asked_) cancel_.request();
}

void Caller::interrupt(std::exception_ptr error) {
  interrupt_ = std::move(error);
  asked_ = true;
  if (!saving_) cancel_.request();
}

void Caller::show() {
  Progress progress;
  Index rows = 0;
  {
    const std::lock_guard lock(mutex_);
    progress = progress_;
    rows = rows_;
  }
  tick_(progress_dict(progress), rows);
}

/// Signals and progress; an exception cancels the work.
void Caller::look_around() {
  const py::gil_scoped_acquire gil;
  if (interrupt_) return;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!tick_.is_none()) show();
  } catch (...) {
    interrupt(std::current_exception());
  }
}

/// On the thread of the caller, without the GIL, until the work has ended; false where it was left to itself.
bool Caller::attend(bool may_leave) {
  auto looked = Clock::now();
  std::optional<Clock::time_point> cancelled;
  std::unique_lock lock(mutex_);
  while (!done_) {
    if (errand_ && !errand_->done) {
      Errand& errand = *errand_;
      lock.unlock();
      {
        const py::gil_scoped_acquire gil;
        try {
          (*errand.work)();
        } catch (...) {
          errand.error = std::current_exception();
        }
      }
      lock.lock();
      errand.done = true;
      changed_.notify_all();
    } else {
      changed_.wait_for(lock, kPoll);
    }
    const auto now = Clock::now();
    if (cancelled && now - *cancelled >= kPatience && !done_) {
      left_ = true;
      changed_.notify_all();
      return false;
    }
    if (now - looked < kPoll) continue;
    looked = now;
    lock.unlock();
    look_around();
    if (may_leave && !cancelled && cancel_.requested()) cancelled = Clock::now();
    lock.lock();
  }
  return true;
}

void Caller::end() {
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_all();
}

void Caller::run(const std::function<void()>& work) {
  if (std::this_thread::get_id() != owner_) {
    const py::gil_scoped_release release;
    return work();
  }
  std::exception_ptr error;
  done_ = false;
  {
    const py::gil_scoped_release release;
    const std::jthread thread([&] {
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      end();
    });
    attend(false);
  }
  if (interrupt_) std::rethrow_exception(std::exchange(interrupt_, nullptr));
  if (error) std::rethrow_exception(error);
}

void run_detached(std::shared_ptr<DetachedCall> call) {
  Caller& caller = call->caller;
  std::thread thread([counted = std::make_unique<CountedThread>(), call]() mutable {
    {
      const py::gil_scoped_acquire gil;
      try {
        call->work();
      } catch (...) {
        call->error = std::current_exception();
      }
      call->caller.end();
      call.reset();
    }
    counted.reset();
  });
  bool ended = false;
  {
    const py::gil_scoped_release release;
    ended = caller.attend(true);
    ended ? thread.join() : thread.detach();
  }
  if (caller.interrupt_) std::rethrow_exception(std::exchange(caller.interrupt_, nullptr));
  if (ended && call->error) std::rethrow_exception(std::exchange(call->error, nullptr));
}

int detached_calls() {
  return detached;
}

void wait_for_detached() {
  if (loaded_by != getpid()) return;
  const py::gil_scoped_release release;
  for (int running = detached; running > 0; running = detached) detached.wait(running);
}

}  // namespace landfall::python
