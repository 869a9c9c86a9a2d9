// Long computations run on a thread of their own, without the GIL, while the thread that called them waits: it looks at
// signals, shows progress, and runs all Python code that the computation asks for (callbacks, generators). So Ctrl-C
// works in every phase, and Python objects stay on the thread they belong to.
//
//   Caller caller(tick);
//   auto result = caller.wait_for([&] { return fit(..., caller.cancel()); });
//
// A computation ends at its next look at the cancel flag, but one call of LAPACK may take seconds. Where nobody needs what it
// works on any more, its caller need not wait for that:
//
//   return interruptibly(tick, [=](Caller& caller) { return dict_of(caller.wait_for([&] { ... })); });
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
#include <utility>

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

  /// The result of work(), which runs on another thread, without the GIL. KeyboardInterrupt and other exceptions of signal
  /// handlers cancel it and are thrown when it has ended. Inside interruptibly(), which has another thread already, work() runs
  /// on that one.
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

  friend void run_detached(std::shared_ptr<struct DetachedCall> call);

  void run(const std::function<void()>& work);
  bool attend(bool may_leave);
  void end();
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
  bool done_ = false, left_ = false;  // the work has ended; nobody waits for it
  Progress progress_;
  Index rows_ = 0;

  std::exception_ptr interrupt_;  // of the owner alone
};

/// What interruptibly() runs. It holds Python objects, so that whoever drops it last has the GIL.
struct DetachedCall {
  explicit DetachedCall(py::object tick) : caller(std::move(tick)) {}
  virtual ~DetachedCall() = default;
  virtual void work() = 0;

  Caller caller;
  std::exception_ptr error;
};

/// Calls work() on a thread of its own, with the GIL. Exceptions as in wait_for(), but those of signals are thrown after a tenth of a
/// second even if the work has not ended: it then goes on to its next look at the cancel flag.
void run_detached(std::shared_ptr<DetachedCall> call);

/// How many threads of run_detached() there are.
int detached_calls();

/// Until no work is left that nobody waits for. Python must call it before it ends, since the work needs the GIL to end.
void wait_for_detached();

/// The result of body(caller), by run_detached(). The body must own all it uses: it may outlive the call.
template <class Body>
auto interruptibly(const py::object& tick, Body body) -> decltype(body(std::declval<Caller&>())) {
  struct Call final : DetachedCall {
    Call(const py::object& shown, Body&& given) : DetachedCall(shown), body(std::move(given)) {}
    void work() override { result.emplace(body(caller)); }
    Body body;
    std::optional<decltype(body(std::declval<Caller&>()))> result;
  };
  const auto call = std::make_shared<Call>(tick, std::move(body));
  run_detached(call);
  return std::move(*call->result);
}

}  // namespace landfall::python
