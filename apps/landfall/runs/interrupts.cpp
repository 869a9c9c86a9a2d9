#include "runs/interrupts.hpp"

#include <csignal>

#include <unistd.h>

namespace landfall::app {
namespace {

volatile std::sig_atomic_t arrived = 0;   // a signal
volatile std::sig_atomic_t can_save = 0;  // a step is under way, after which the run can be saved
constexpr unsigned kPatience = 5;         // seconds
const CancelFlag* to_request = nullptr;   // set while no signal is handled

extern "C" void stop_soon(int signal) {
  if (arrived) ::_exit(128 + signal);
  arrived = 1;
  if (can_save) return;
  to_request->request();
  ::alarm(kPatience);
}

/// Still in one call of LAPACK, say. There is nothing to save.
extern "C" void stop_now(int) {
  ::_exit(130);
}

}  // namespace

Interrupts::Interrupts() {
  arrived = 0;
  can_save = 0;
  to_request = &cancel_;
  std::signal(SIGALRM, stop_now);
  std::signal(SIGINT, stop_soon);
  std::signal(SIGTERM, stop_soon);
}

Interrupts::~Interrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  ::alarm(0);
}

bool Interrupts::asked() {
  can_save = 1;
  return arrived != 0;
}

void Interrupts::end_saving() {
  can_save = 0;
  if (arrived) cancel_.request();  // after the last step
}

}  // namespace landfall::app
