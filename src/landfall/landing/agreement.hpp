// What ranks must agree on after a step: whether to save, whether to stop, and that they have the same numbers.
//
//   landfall::Communicator& communicator = landfall::serial_communicator();
//   const landfall::Progress progress;
//   const auto agreed = landfall::agree(communicator, {.save = false, .stop = true}, progress);
//   use(agreed.stop);    // true on all ranks if it is on one
#pragma once

#include <landfall/landing/result.hpp>
#include <landfall/parallel/communicator.hpp>

namespace landfall {

struct StepWishes {
  bool save = false, stop = false;
};

/// What any rank wishes. NumericalError on all ranks where the numbers of the step are not the same to the last bit: then
/// every sum that follows would mix different points. With one rank nothing happens.
StepWishes agree(Communicator& communicator, const StepWishes& own, const Progress& progress);

}  // namespace landfall
