// Fletcher's augmented Lagrangian, the merit function of the landing method: it falls along the method when
// beta is large enough and the steps are small.
//
//   const double value = f(point, &gradient);
//   const auto fletcher = landfall::fletcher_merit(*constraint, value, gradient, point, beta);
//   use(fletcher.merit, fletcher.h, fletcher.lambda);
#pragma once

#include <landfall/manifold/constraint.hpp>

#include <type_traits>

namespace landfall {

template <class S>
struct Fletcher {
  Vector<S> h;       // h(x)
  Vector<S> lambda;  // lambda(x)
  S merit = 0;       // f(x) - <h(x), lambda(x)> + beta ||h(x)||^2
};

/// From f(x) and grad f(x). Lambda is a descent direction of the merit,
///   <grad L, Lambda> >= rho/2 (||Psi||^2 + ||h||^2),
/// when beta >= (rho/4 + omega C_lambda C_h / 2 + C_lambda^2 / (4 rho)) / (omega c_h^2), with C_h and c_h the
/// largest and smallest singular value of Dh and C_lambda a bound of ||D lambda|| over the safe region.
template <class S>
Fletcher<S> fletcher_merit(const Constraint<S>& constraint, std::type_identity_t<S> value,
                           const Point<S>& gradient, const Point<S>& x, std::type_identity_t<S> beta);

#define LANDFALL_FLETCHER(EXTERN, S) \
  EXTERN template Fletcher<S> fletcher_merit<S>(const Constraint<S>&, S, const Point<S>&, const Point<S>&, S);
LANDFALL_FLETCHER(extern, float)
LANDFALL_FLETCHER(extern, double)

}  // namespace landfall
