#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/manifold/safe_step.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A polynomial of degree <= 4, scaled by powers of two (so exactly) to have all its roots, and those of its
/// derivatives, in the unit disc: a_k = c_k 2^(k exponent) / 2^m.
struct UnitPolynomial {
  std::array<double, 5> a{};
  int degree = 0;
  int exponent = 0;

  explicit UnitPolynomial(const std::array<double, 5>& c) {
    degree = 4;
    while (degree > 0 && c[static_cast<std::size_t>(degree)] == 0) --degree;
    if (degree == 0) return;
    // Fujiwara: every root is at most 2 max |c_k / c_d|^(1/(d-k)); once more doubled, strictly inside.
    const double lead = std::log2(std::abs(c[static_cast<std::size_t>(degree)]));
    double bound = -infinity;
    for (int k = 0; k < degree; ++k)
      if (const double ck = c[static_cast<std::size_t>(k)]; ck != 0)
        bound = std::max(bound, (std::log2(std::abs(ck)) - lead) / (degree - k));
    exponent = std::isfinite(bound) ? 2 + static_cast<int>(std::ceil(bound)) : 0;
    const int m = std::ilogb(c[static_cast<std::size_t>(degree)]) + degree * exponent;
    for (int k = 0; k <= degree; ++k)
      a[static_cast<std::size_t>(k)] = std::ldexp(c[static_cast<std::size_t>(k)], k * exponent - m);
  }

  double unscaled(double t) const { return std::ldexp(t, exponent); }
};

double evaluate(const std::array<double, 5>& a, double t) {
  double value = 0;
  for (std::size_t k = a.size(); k-- > 0;) value = value * t + a[k];
  return value;
}

/// Where f turns positive (or, for falling, negative) between lo and hi, to the last bit, from the side of
/// lo.
double crossing(const std::array<double, 5>& a, double lo, double hi, bool rising) {
  for (int i = 0; i < 200; ++i) {
    // Halve the exponent first, so that a root far below 1 is found as fast as any.
    const double mid = lo == 0       ? std::ldexp(hi, -16)
                       : hi > 4 * lo ? std::sqrt(lo) * std::sqrt(hi)
                                     : lo + (hi - lo) / 2;
    if (mid <= lo || mid >= hi) break;
    const double value = evaluate(a, mid);
    ((rising ? value > 0 : value < 0) ? hi : lo) = mid;
  }
  return lo;
}

/// 0, the points of (0, 1) where the derivative of a changes sign, and 1: between two of them a is monotone.
struct Breaks {
  std::array<double, 5> at{};
  int count = 0;
};

Breaks monotone_breaks(const std::array<double, 5>& a, int degree) {
  Breaks breaks;
  breaks.at[0] = 0;
  breaks.count = 1;
  if (degree > 1) {
    std::array<double, 5> slope{};
    for (std::size_t k = 1; k <= static_cast<std::size_t>(degree); ++k)
      slope[k - 1] = static_cast<double>(k) * a[k];
    const Breaks inner = monotone_breaks(slope, degree - 1);
    for (int i = 0; i + 1 < inner.count; ++i) {
      const double lo = inner.at[static_cast<std::size_t>(i)], hi = inner.at[static_cast<std::size_t>(i) + 1];
      const double at_lo = evaluate(slope, lo), at_hi = evaluate(slope, hi);
      if ((at_lo <= 0 && at_hi > 0) || (at_lo >= 0 && at_hi < 0))
        breaks.at[static_cast<std::size_t>(breaks.count++)] = crossing(slope, lo, hi, at_hi > 0);
    }
  }
  breaks.at[static_cast<std::size_t>(breaks.count++)] = 1;
  return breaks;
}

bool all_finite(const std::array<double, 5>& c) {
  return std::all_of(c.begin(), c.end(), [](double x) { return std::isfinite(x); });
}

/// The eta >= 0 of the least value; 0 when the polynomial falls without end.
double minimiser(const std::array<double, 5>& c) {
  UnitPolynomial unit(c);
  if (unit.degree == 0 || unit.a[static_cast<std::size_t>(unit.degree)] < 0) return 0;
  unit.a[0] = 0;  // compare changes, which a large constant would hide
  const Breaks breaks = monotone_breaks(unit.a, unit.degree);
  double best = 0, least = 0;
  for (int i = 1; i < breaks.count; ++i) {
    const double t = breaks.at[static_cast<std::size_t>(i)], value = evaluate(unit.a, t);
    if (value < least) {
      least = value;
      best = t;
    }
  }
  return unit.unscaled(best);
}

}  // namespace

double safe_step_lemma(double d, double g, double m, double omega, double eps, double l_n) {
  if (g == 0) return infinity;
  const double centre = omega * (m / g) * (m / g) / l_n;
  const double reach = std::sqrt(std::abs(eps - d) * (eps + d) / l_n) / g;
  if (d <= eps) return centre + std::hypot(centre, reach);
  return centre + std::sqrt(std::max(0.0, (centre - reach) * (centre + reach)));
}

RayPolynomial& RayPolynomial::operator+=(const RayPolynomial& other) {
  for (std::size_t k = 0; k < infeasibility.size(); ++k) infeasibility[k] += other.infeasibility[k];
  for (std::size_t k = 0; k < objective.size(); ++k) objective[k] += other.objective[k];
  has_objective = has_objective || other.has_objective;
  return *this;
}

template <class S>
RayPolynomial ray_polynomial(In<S> h, In<S> s1, In<S> s2) {
  const auto fits = [&](In<S> m) { return m.rows() == h.rows() && m.cols() == h.cols(); };
  if (!fits(s1) || !fits(s2))
    throw UsageError(fmt::format("ray: H is {}x{}, S1 {}x{}, S2 {}x{}; all must be equal", h.rows(), h.cols(),
                                 s1.rows(), s1.cols(), s2.rows(), s2.cols()));
  const auto dot = [](In<S> a, In<S> b) {
    return a.template cast<double>().cwiseProduct(b.template cast<double>()).sum();
  };
  RayPolynomial ray;
  ray.infeasibility = {dot(h, h), -2 * dot(h, s1), dot(s1, s1) + 2 * dot(h, s2), -2 * dot(s1, s2),
                       dot(s2, s2)};
  return ray;
}

template <class S>
RayPolynomial ray_polynomial(In<S> h, In<S> y, In<S> lambda, In<S> z, RayWorkspace<S>& work) {
  const Index p = lambda.cols();
  work.s1.resize(p, p);
  work.s2.resize(p, p);
  multiply_at<S>(y, lambda, work.s1);
  symmetrize<S>(work.s1);
  work.s1 *= S(2);
  multiply_at<S>(lambda, z, work.s2);
  symmetrize<S>(work.s2);
  return ray_polynomial<S>(h, work.s1, work.s2);
}

double safe_step(const RayPolynomial& ray, double eps) {
  std::array<double, 5> c = ray.infeasibility;
  if (!all_finite(c)) return 0;
  c[0] -= eps * eps;
  if (c[0] > 0) return minimiser(c);
  const UnitPolynomial unit(c);
  if (unit.degree == 0) return infinity;
  const Breaks breaks = monotone_breaks(unit.a, unit.degree);
  for (int i = 1; i < breaks.count; ++i) {
    const double lo = breaks.at[static_cast<std::size_t>(i) - 1], hi = breaks.at[static_cast<std::size_t>(i)];
    if (evaluate(unit.a, hi) > 0) return unit.unscaled(crossing(unit.a, lo, hi, true));
  }
  return infinity;
}

double best_step(const RayPolynomial& ray, double mu) {
  std::array<double, 5> c{};
  for (std::size_t k = 0; k < c.size(); ++k) c[k] = mu * ray.infeasibility[k];
  if (ray.has_objective)
    for (std::size_t k = 0; k < ray.objective.size(); ++k) c[k] += ray.objective[k];
  return all_finite(c) ? minimiser(c) : 0;
}

template <class S>
double metric_norm(const Preconditioner<S>* k, In<S> move, Matrix<S>& work) {
  if (k == nullptr) return static_cast<double>(move.stableNorm());
  work.resize(move.rows(), move.cols());
  k->apply_inverse(move, work);
  const double square = move.template cast<double>().cwiseProduct(work.template cast<double>()).sum();
  return std::sqrt(std::max(0.0, square));
}

template <class S>
S trust_scale(const Preconditioner<S>* k, In<S> move, double c, Matrix<S>& work) {
  const double norm = metric_norm<S>(k, move, work);
  const double radius = c * std::sqrt(static_cast<double>(move.cols()));
  return norm > radius ? static_cast<S>(radius / norm) : S(1);
}

LANDFALL_SAFE_STEP(, float)
LANDFALL_SAFE_STEP(, double)

}  // namespace landfall
