// What landing chose for itself, and from what.
//
//   landfall::AdaptiveChoice choice;
//   use(choice.rank, choice.noise, choice.step);
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

struct AdaptiveChoice {
  Index first_rows = 0;
  std::vector<Index> rank = {};  // of K, for each block
  double noise = 0;              // q, the noise of one row
  double step = 0;               // eta, the largest
  double momentum = 0, omega = 0;
  int warm_up = 0;      // passes over the first rows, which are in memory
  int pilot_steps = 0;  // Rayleigh-Ritz steps over them
};

}  // namespace landfall
