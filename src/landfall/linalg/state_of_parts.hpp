// Saves sums of which every rank has a part; another number of ranks may take them back.
//
//   landfall::StateWriter out;
//   std::vector<landfall::Matrix<double>> sums;
//   landfall::state_of_parts(out, landfall::serial_communicator(), sums);
#pragma once

#include <landfall/linalg/state.hpp>
#include <landfall/parallel/communicator.hpp>

namespace landfall {

/// Of p parts, part k goes back to rank k modulo the number of ranks. A rank without one has zeros.
template <class S>
void state_of_parts(State& state, Communicator& communicator, std::vector<Matrix<S>>& sums) {
  std::vector<std::string> parts;
  if (!state.loading()) {
    StateWriter own;
    own(sums);
    parts = communicator.gather(own.bytes());
  }
  state(parts);
  if (!state.loading() || parts.empty()) return;
  StateReader shapes(parts.front());
  shapes(sums);
  for (auto& block : sums) block.setZero();
  for (auto k = static_cast<std::size_t>(communicator.rank()); k < parts.size();
       k += static_cast<std::size_t>(communicator.size())) {
    std::vector<Matrix<S>> part;
    StateReader in(parts[k]);
    in(part);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
  }
}

}  // namespace landfall
