#include "caller.hpp"

#include <chrono>
#include <utility>

#include "convert.hpp"

namespace landfall::python {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(50);

}  // namespace

Caller::Caller(py::object tick) : tick_(std::move(tick)) {}

void Caller::call(const std::function<void()>& f) {
  if (std::this_thread::get_id() == owner_) return f();
  Errand errand{&f, {}};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return errand_ == nullptr; });  // of another thread
  errand_ = &errand;
  changed_.notify_all();
  changed_.wait(lock, [&] { return errand.done; });
  errand_ = nullptr;
  changed_.notify_all();
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

void Caller::run(const std::function<void()>& work) {
  std::exception_ptr error;
  done_ = false;
  {
    const py::gil_scoped_release release;
    std::jthread thread([&] {
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_all();
    });
    auto looked = std::chrono::steady_clock::now();
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
      if (const auto now = std::chrono::steady_clock::now(); now - looked >= kPoll) {
        looked = now;
        lock.unlock();
        look_around();
        lock.lock();
      }
    }
  }
  if (interrupt_) std::rethrow_exception(std::exchange(interrupt_, nullptr));
  if (error) std::rethrow_exception(error);
}

}  // namespace landfall::python
