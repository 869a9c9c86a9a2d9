// What the system allows this process, looked at before the work begins.
//
//   if (const std::string refusal = prepare_process(argv); !refusal.empty()) fail(3, refusal);
#pragma once

#include <string>

namespace landfall::app {

/// Opens standard streams that were closed on /dev/null, so that no file takes their place, and sets the signals. Starts
/// the program again where BLAS chose kernels for less than the processor can do and the user did not choose any, and, under
/// a limit of the address space (ulimit -v), with fewer threads of BLAS where these fit. Returns a sentence where the limits
/// are too low to work with.
std::string prepare_process(char** arguments);

/// Of BLAS, under that limit.
int most_threads();

}  // namespace landfall::app
