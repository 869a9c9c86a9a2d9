// Long computations run on a thread of their own, without the GIL, while the thread that called them waits: it looks at
// signals, shows progress, and runs all Python code that the computation asks for (callbacks, generators). So Ctrl-C
// works in every phase, and Python objects stay on the thread they belong to.
//
//   Caller caller(tick);
//   auto result = caller.wait_for([&] { return fit(..., caller.cancel()); });
#pragma once

#include <landfall/landing/result.hpp>
#include <landfall/parallel/cancel.hpp>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <pybind11/pybind11.h>

namespace landfall::python {

namespace py = pybind11;

class Caller {
 public:
  /// `tick` is None, or called about ten times per second with what note() last said.
  explicit Caller(py::object tick = py::none());

  const CancelFlag& cancel() const { return cancel_; }

  /// While a run saves itself when it is asked to end, it is not cancelled but asked.
  bool asked_to_end() const { return asked_; }
  void set_saving(bool saving);
  /// Ends the run and throws this when it has ended. On the thread of the caller.
  void interrupt(std::exception_ptr error);
  /// Lives as long as this object.
  void hold(std::shared_ptr<void> thing) { held_ = std::move(thing); }

  /// Runs f on the thread that made this object, with the GIL. From any thread; what f throws is thrown here.
  void call(const std::function<void()>& f);

  /// What progress there is to show. From any thread.
  void note(const Progress& progress);
  void note_rows(Index rows);

  /// The result of work(), which runs on another thread. KeyboardInterrupt and other exceptions of signal handlers
  /// cancel it and are thrown when it has ended.
  template <class Work>
  auto wait_for(Work work) -> decltype(work()) {
    std::optional<decltype(work())> result;
    run([&] { result.emplace(work()); });
    return std::move(*result);
  }

 private:
  struct Errand {
    const std::function<void()>* work;
    std::exception_ptr error;
    bool done = false;
  };

  void run(const std::function<void()>& work);
  void look_around();
  void show();

  const std::thread::id owner_ = std::this_thread::get_id();
  const CancelFlag cancel_ = CancelFlag::create();
  py::object tick_;
  std::atomic<bool> asked_ = false, saving_ = false;
  std::shared_ptr<void> held_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Errand* errand_ = nullptr;
  bool done_ = false;
  Progress progress_;
  Index rows_ = 0;

  std::exception_ptr interrupt_;  // of the owner alone
};

}  // namespace landfall::python
