// Waiting for a message of MPI. MPI itself waits by asking without a pause, which on a busy machine takes the processor from the
// very rank that is waited for.
//
//   MPI_Request request = MPI_REQUEST_NULL;
//   MPI_Ibarrier(MPI_COMM_WORLD, &request);
//   landfall::wait_for(request);
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include <mpi.h>

namespace landfall {

/// Asks without a pause at first, then with naps that grow with the time waited, so that they add little to it. False where the
/// message has not arrived after so many seconds.
inline bool wait_for(MPI_Request& request, double most_seconds = std::numeric_limits<double>::infinity()) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  constexpr Seconds awake{50e-6}, longest{4e-3};
  constexpr double share = 0.25;  // of the time waited so far
  const auto begin = Clock::now();
  for (int arrived = 0;;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived) return true;
    const Seconds waited = Clock::now() - begin;
    if (waited.count() > most_seconds) return false;
    if (waited > awake) std::this_thread::sleep_for(std::min(share * waited, longest));
  }
}

}  // namespace landfall
