#include "runs/interrupts.hpp"

#include <csignal>

#include <unistd.h>

namespace landfall::app {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;  // the signal
volatile std::sig_atomic_t can_save = 0;       // a step is under way, after which the run can stop

extern "C" void stop_soon(int signal) {
  if (!can_save || asked_to_stop) ::_exit(128 + signal);
  asked_to_stop = signal;
}

}  // namespace

Interrupts::Interrupts() {
  asked_to_stop = 0;
  can_save = 0;
  std::signal(SIGINT, stop_soon);
  std::signal(SIGTERM, stop_soon);
}

Interrupts::~Interrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupts::asked() {
  can_save = 1;
  return asked_to_stop != 0;
}

void Interrupts::end_now() {
  can_save = 0;
}

}  // namespace landfall::app
