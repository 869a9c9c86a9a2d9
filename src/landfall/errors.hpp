// What Landfall throws. Misuse and bad data are exceptions whose text is one sentence: what was given and
// what was expected. How a computation ended is a Termination (landing/result.hpp), never an exception.
//
//   #include <landfall/parallel/threads.hpp>
//   try {
//     landfall::set_threads(0);
//   } catch (const landfall::UsageError& error) {
//     std::cerr << error.what() << '\n';
//   }
#pragma once

#include <stdexcept>

namespace landfall {

/// The caller asked for something that makes no sense: a size, an option, a combination. Exit code 2.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The data cannot be used: a broken file, a NaN, a matrix that is not what the problem needs. Exit code 3.
struct DataError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The numbers failed: divergence, or a rank too low for the number of components. Exit code 4.
struct NumericalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The caller asked for an end (parallel/cancel.hpp).
struct Cancelled : std::runtime_error {
  Cancelled() : std::runtime_error("cancelled on request") {}
};

}  // namespace landfall
