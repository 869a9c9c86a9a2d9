#include <landfall/linalg/random.hpp>
#include <landfall/manifold/check.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace landfall {
namespace {

constexpr std::uint64_t check_direction = 0xc4ec0000;  // what the random numbers are for
constexpr std::uint64_t check_multiplier = 0xc4ec8000;

// x + tv and x - tv, and their distance: v random of length one, t where truncation and rounding balance.
template <class S>
struct Probe {
  Point<S> direction, ahead, behind;
  S distance;

  Probe(const Point<S>& x, std::uint64_t seed) {
    for (std::size_t i = 0; i < x.size(); ++i)
      direction.push_back(gaussian<S>(x[i].rows(), x[i].cols(), {seed, check_direction + i}));
    const S length = norm(direction), size = norm(x);
    const S t = std::cbrt(std::numeric_limits<S>::epsilon()) * (size > 0 ? size : S(1));
    ahead = behind = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      direction[i] /= length;
      ahead[i] += t * direction[i];
      behind[i] -= t * direction[i];
    }
    distance = 2 * t;
  }
};

template <class S>
S relative_error(S difference_quotient, S derivative) {
  if (!std::isfinite(difference_quotient) || !std::isfinite(derivative))
    return std::numeric_limits<S>::infinity();
  const S size = std::max(std::abs(difference_quotient), std::abs(derivative));
  return size > 0 ? std::abs(difference_quotient - derivative) / size : S(0);
}

}  // namespace

template <class S>
S check_gradient(const std::type_identity_t<Objective<S>>& f, const Point<S>& x, std::uint64_t seed) {
  const Probe<S> probe(x, seed);
  Point<S> gradient = x;
  f(x, &gradient);
  const S quotient = (f(probe.ahead, nullptr) - f(probe.behind, nullptr)) / probe.distance;
  return relative_error(quotient, inner(gradient, probe.direction));
}

template <class S>
S check_adjoint(const Constraint<S>& constraint, const Point<S>& x, std::uint64_t seed) {
  const Probe<S> probe(x, seed);
  const Vector<S> lambda = gaussian<S>(constraint.size(), 1, {seed, check_multiplier});
  Vector<S> ahead, behind;
  constraint.value(probe.ahead, ahead);
  constraint.value(probe.behind, behind);
  Point<S> adjoint;
  constraint.adjoint(x, lambda, adjoint);
  return relative_error((ahead - behind).dot(lambda) / probe.distance, inner(adjoint, probe.direction));
}

LANDFALL_CHECK(, float)
LANDFALL_CHECK(, double)

}  // namespace landfall
