#include <landfall/manifold/fletcher.hpp>

namespace landfall {

template <class S>
Fletcher<S> fletcher_merit(const Constraint<S>& constraint, std::type_identity_t<S> value,
                           const Point<S>& gradient, const Point<S>& x, std::type_identity_t<S> beta) {
  Fletcher<S> result;
  constraint.value(x, result.h);
  constraint.multiplier(x, gradient, result.lambda);
  result.merit = value - result.h.dot(result.lambda) + beta * result.h.squaredNorm();
  return result;
}

LANDFALL_FLETCHER(, float)
LANDFALL_FLETCHER(, double)

}  // namespace landfall
