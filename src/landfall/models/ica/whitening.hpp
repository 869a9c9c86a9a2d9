// Pilot estimate for data whose covariance fits in memory: K, the pseudo-inverse of the covariance of the first
// rows, and its rank.
//
//   const auto pilot = landfall::whiten<float>(first, 0);
//   use(pilot.metric, pilot.start, pilot.noise);
//
// A covariance is singular when columns repeat each other. A ridge would make it regular, but is no cure for
// ICA: along a direction without variance x'(S + ridge I)x = 1 is reached with y = 0, the least value of
// every contrast, so these directions would be found first. K = 0 there instead, and landing stays in the
// range of K: X starts in it, Psi_K is K times something, and the normal term is X times something.
#pragma once

#include <landfall/landing/adaptive.hpp>

namespace landfall {

/// K, a random start on the manifold of the first rows, and q (adaptive.hpp). Columns are brought to unit
/// variance before the rank is decided, so that units do not matter. Throws NumericalError saying the rank
/// where it is less than the p of the samples.
template <class S>
PilotEstimate<S> whiten(const InMemorySamples<S>& first, std::uint64_t seed);

#define LANDFALL_WHITENING(EXTERN, S) \
  EXTERN template PilotEstimate<S> whiten<S>(const InMemorySamples<S>&, std::uint64_t);
LANDFALL_WHITENING(extern, float)
LANDFALL_WHITENING(extern, double)

}  // namespace landfall
