#include <landfall/linalg/contrast_loops.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numbers>

#if defined(__x86_64__) && defined(__GNUC__)
#define LANDFALL_WIDE __attribute__((target("avx2,fma")))
#endif
#define LANDFALL_INLINE [[gnu::always_inline]] inline

namespace landfall {
namespace {

// Sums that are kept apart, so that a vector of numbers is added at once.
constexpr Index kLanes = 16;
// Numbers after which they are put together: sums in single precision are short, and a product of a lane's
// 1 + e, each in (1, 2], cannot overflow.
constexpr Index kChunk = 16 * kLanes;

template <class S>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 23;
  static constexpr float least = -87.3f;  // what is less has an exp too small for a normal number
  static constexpr float high = 0.693359375f, low = -2.12194440e-4f;  // log 2 in two parts: k high is exact
  static constexpr float factorials[] = {1.f / 2, 1.f / 6, 1.f / 24, 1.f / 120, 1.f / 720, 1.f / 5040};
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 52;
  static constexpr double least = -708.3;
  static constexpr double high = 0x1.62e42fefa38p-1, low = 0x1.ef35793c7673p-45;
  static constexpr double factorials[] = {1. / 2,       1. / 6,        1. / 24,       1. / 120,
                                          1. / 720,     1. / 5040,     1. / 40320,    1. / 362880,
                                          1. / 3628800, 1. / 39916800, 1. / 479001600};
};

/// exp(x) = scale + rest for x <= 0, with scale a power of 2: where x is near 0, 1 - scale - rest has all
/// digits of 1 - exp(x).
template <class S>
struct Exp {
  S scale, rest;
};

/// exp(x) = 2^k exp(r) with k the integer nearest x / log 2, so |r| <= 0.35, and a Taylor polynomial. Adding
/// `shift` rounds to an integer, which is then in the low bits and moves into the exponent.
template <class S>
LANDFALL_INLINE Exp<S> exp_of(S x) {
  using F = Format<S>;
  using Bits = typename F::Bits;
  constexpr S shift = static_cast<S>(Bits{3} << (F::mantissa - 1));
  const S limited = x > F::least ? x : F::least;
  const S shifted = limited * std::numbers::log2e_v<S> + shift;
  const S k = shifted - shift;
  const S r = (limited - k * F::high) - k * F::low;
  constexpr int terms = static_cast<int>(std::size(F::factorials));
  S sum = F::factorials[terms - 1];
  for (int j = terms - 2; j >= 0; --j) sum = sum * r + F::factorials[j];
  const S scale = std::bit_cast<S>(std::bit_cast<Bits>(S(1)) + (std::bit_cast<Bits>(shifted) << F::mantissa));
  return {scale, scale * (r + r * r * sum)};
}

/// With e = exp(-2|u|): tanh|u| = (1 - e)/(1 + e) and log cosh u = |u| + log(1 + e) - log 2, which cannot
/// overflow. One logarithm serves the product of all 1 + e.
template <class S>
struct Logcosh {
  static constexpr ContrastSums at_zero{0, 1};
  S sizes[kLanes] = {}, squares[kLanes] = {}, products[kLanes];
  LANDFALL_INLINE Logcosh() { std::fill_n(products, kLanes, S(1)); }

  LANDFALL_INLINE void add(const S* __restrict u, S weight, S* __restrict slope) {
    for (Index l = 0; l < kLanes; ++l) {
      const S size = std::abs(u[l]);
      const Exp<S> e = exp_of(S(-2) * size);
      const S above = S(1) + (e.scale + e.rest);
      const S t = ((S(1) - e.scale) - e.rest) / above;
      sizes[l] += size;
      squares[l] += t * t;
      products[l] *= above;
      slope[l] = weight * std::copysign(t, u[l]);
    }
  }

  LANDFALL_INLINE ContrastSums sums(Index count) const {
    double size = 0, square = 0, product = 1;
    for (Index l = 0; l < kLanes; ++l) {
      size += static_cast<double>(sizes[l]);
      square += static_cast<double>(squares[l]);
      product *= static_cast<double>(products[l]);
    }
    const double n = static_cast<double>(count);
    return {size + std::log(product) - n * std::numbers::ln2, n - square};
  }
};

template <class S>
struct Exponential {
  static constexpr ContrastSums at_zero{-1, 1};
  S values[kLanes] = {}, curvatures[kLanes] = {};

  LANDFALL_INLINE void add(const S* __restrict u, S weight, S* __restrict slope) {
    for (Index l = 0; l < kLanes; ++l) {
      const S square = u[l] * u[l];
      const Exp<S> parts = exp_of(S(-0.5) * square);
      const S e = parts.scale + parts.rest;
      values[l] += e;
      curvatures[l] += (S(1) - square) * e;
      slope[l] = weight * u[l] * e;
    }
  }

  LANDFALL_INLINE ContrastSums sums(Index) const {
    ContrastSums sums;
    for (Index l = 0; l < kLanes; ++l) {
      sums.value -= static_cast<double>(values[l]);
      sums.curvature += static_cast<double>(curvatures[l]);
    }
    return sums;
  }
};

/// The last lanes are filled up with zeros, whose g and g'' are taken off again.
template <template <class> class Contrast, class S>
LANDFALL_INLINE ContrastSums loop(const S* u, Index count, S weight, S* slope) {
  ContrastSums total;
  for (Index first = 0; first < count; first += kChunk) {
    const Index last = std::min(first + kChunk, count);
    Contrast<S> part;
    Index i = first;
    for (; i + kLanes <= last; i += kLanes) part.add(u + i, weight, slope + i);
    if (i < last) {
      S in[kLanes] = {}, out[kLanes];
      std::copy(u + i, u + last, in);
      part.add(in, weight, out);
      std::copy_n(out, last - i, slope + i);
      i += kLanes;
    }
    const ContrastSums sums = part.sums(i - first);
    total.value += sums.value;
    total.curvature += sums.curvature;
  }
  const double padding = static_cast<double>((kLanes - count % kLanes) % kLanes);
  return {total.value - padding * Contrast<S>::at_zero.value,
          total.curvature - padding * Contrast<S>::at_zero.curvature};
}

#ifdef LANDFALL_WIDE
template <template <class> class Contrast, class S>
LANDFALL_WIDE ContrastSums wide(const S* u, Index count, S weight, S* slope) {
  return loop<Contrast>(u, count, weight, slope);
}
#endif

template <template <class> class Contrast, class S>
ContrastSums dispatch(const S* u, Index count, S weight, S* slope) {
#ifdef LANDFALL_WIDE
  static const bool has_wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_wide) return wide<Contrast>(u, count, weight, slope);
#endif
  return loop<Contrast>(u, count, weight, slope);
}

}  // namespace

ContrastSums logcosh_loop(const float* u, Index count, float weight, float* slope) {
  return dispatch<Logcosh>(u, count, weight, slope);
}
ContrastSums logcosh_loop(const double* u, Index count, double weight, double* slope) {
  return dispatch<Logcosh>(u, count, weight, slope);
}

ContrastSums exponential_loop(const float* u, Index count, float weight, float* slope) {
  return dispatch<Exponential>(u, count, weight, slope);
}
ContrastSums exponential_loop(const double* u, Index count, double weight, double* slope) {
  return dispatch<Exponential>(u, count, weight, slope);
}

}  // namespace landfall
