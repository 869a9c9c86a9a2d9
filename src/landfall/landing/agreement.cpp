#include <landfall/errors.hpp>
#include <landfall/landing/agreement.hpp>

#include <array>
#include <bit>

#include <fmt/format.h>

namespace landfall {
namespace {

/// Of numbers that depend on all of X; in two halves, which a double holds exactly.
std::array<double, 2> fingerprint_of(const Progress& progress) {
  std::uint64_t hash = progress.iteration;
  for (const double value :
       {progress.objective, progress.infeasibility, progress.stationarity, progress.step}) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return {static_cast<double>(hash >> 32), static_cast<double>(hash & 0xffffffff)};
}

}  // namespace

StepWishes agree(Communicator& communicator, const StepWishes& own, const Progress& progress) {
  if (communicator.size() == 1) return own;
  const auto [high, low] = fingerprint_of(progress);
  std::array<double, 6> most{own.save ? 1. : 0., own.stop ? 1. : 0., high, -high, low, -low};
  communicator.largest(most);
  if (most[2] != -most[3] || most[4] != -most[5])
    throw NumericalError(
        fmt::format("the ranks have different numbers after step {}: expected the same processor and "
                    "libraries on all of them "
                    "(OPENBLAS_CORETYPE chooses the same kernels everywhere)",
                    progress.iteration));
  return {most[0] > 0, most[1] > 0};
}

}  // namespace landfall
