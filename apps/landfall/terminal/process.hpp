// What the system allows this process, looked at before the work begins.
//
//   if (const std::string refusal = prepare_process(argv); !refusal.empty()) fail(3, refusal);
#pragma once

#include <string>

namespace landfall::app {

/// Opens standard streams that were closed on /dev/null, so that no file takes their place, and sets the signals. Under a
/// limit of the address space (ulimit -v) it starts the program again with fewer threads of BLAS where that fits. Returns
/// a sentence where the limits are too low to work with.
std::string prepare_process(char** arguments);

/// Of BLAS, under that limit.
int most_threads();

}  // namespace landfall::app
