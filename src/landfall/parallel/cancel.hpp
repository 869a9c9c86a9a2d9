// A flag that ends a computation early. Copies share one flag.
//
//   const auto cancel = landfall::CancelFlag::create();
//   std::function<void()> on_interrupt = [cancel] { cancel.request(); };    // from any thread
//   try {
//     cancel.throw_if_requested();    // what reading and solving do once per batch
//   } catch (const landfall::Cancelled& error) {
//     std::cerr << error.what() << '\n';
//   }
#pragma once

#include <landfall/errors.hpp>

#include <atomic>
#include <memory>

namespace landfall {

class CancelFlag {
 public:
  CancelFlag() = default;  // never requested
  static CancelFlag create() {
    CancelFlag flag;
    flag.requested_ = std::make_shared<std::atomic<bool>>(false);
    return flag;
  }

  /// Safe from any thread, and from a signal handler. There is no way back.
  void request() const noexcept {
    if (requested_) *requested_ = true;
  }
  bool requested() const noexcept { return requested_ && *requested_; }
  void throw_if_requested() const {
    if (requested()) throw Cancelled();
  }

 private:
  std::shared_ptr<std::atomic<bool>> requested_;
};

}  // namespace landfall
