// Checks gradients and adjoints against central differences along a random direction.
//
//   landfall::check_gradient<double>(f, point);      // about 1e-10 when right, about 1 when wrong
//   landfall::check_adjoint(*constraint, point);
//
// In single precision a right one gives about 1e-4. Take a generic point: where the true derivative is nearly
// zero only rounding is compared.
#pragma once

#include <landfall/manifold/constraint.hpp>
#include <landfall/manifold/objective.hpp>

#include <cstdint>
#include <type_traits>

namespace landfall {

/// The relative error between (f(x + tv) - f(x - tv)) / 2t and <grad f(x), v>;
/// infinity when either is not finite.
template <class S>
S check_gradient(const std::type_identity_t<Objective<S>>& f, const Point<S>& x, std::uint64_t seed = 0);

/// The relative error between <(h(x + tv) - h(x - tv)) / 2t, lambda> and <v, Dh(x)*[lambda]>; infinity when
/// either is not finite. lambda is random too.
template <class S>
S check_adjoint(const Constraint<S>& constraint, const Point<S>& x, std::uint64_t seed = 0);

#define LANDFALL_CHECK(EXTERN, S)                                                           \
  EXTERN template S check_gradient<S>(const Objective<S>&, const Point<S>&, std::uint64_t); \
  EXTERN template S check_adjoint<S>(const Constraint<S>&, const Point<S>&, std::uint64_t);
LANDFALL_CHECK(extern, float)
LANDFALL_CHECK(extern, double)

}  // namespace landfall
