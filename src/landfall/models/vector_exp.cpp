#include <landfall/models/vector_exp.hpp>

#include <bit>
#include <cstdint>
#include <numbers>

#if defined(__x86_64__) && defined(__GNUC__)
#define LANDFALL_WIDE __attribute__((target("avx2,fma")))
#endif

namespace landfall {
namespace {

/// exp(x) = 2^k exp(r) with k the integer nearest x / log 2, so |r| <= 0.35, and a Taylor polynomial. Adding
/// and subtracting `shift` rounds to an integer, which is then in the low bits and moves into the exponent.
template <class S, class Bits, int mantissa, int degree>
[[gnu::always_inline]] inline void exp_loop(const S* __restrict x, S* __restrict out, Index count) {
  constexpr S shift = static_cast<S>(Bits{3} << (mantissa - 1));
  constexpr S least = mantissa == 23 ? S(-87.3) : S(-708.3);  // what is less is too small for a normal number
  constexpr S high =
      mantissa == 23 ? S(0.693359375) : S(0x1.62e42fefa38p-1);  // log 2 in two parts: k high is exact
  constexpr S low = mantissa == 23 ? S(-2.12194440e-4) : S(0x1.ef35793c7673p-45);
  for (Index i = 0; i < count; ++i) {
    const S limited = x[i] > least ? x[i] : least;
    const S shifted = limited * std::numbers::log2e_v<S> + shift;
    const S k = shifted - shift;
    const S r = (limited - k * high) - k * low;
    S sum = 1;
    for (int j = degree; j > 0; --j) sum = 1 + sum * r * (S(1) / static_cast<S>(j));
    out[i] = std::bit_cast<S>(std::bit_cast<Bits>(sum) + (std::bit_cast<Bits>(shifted) << mantissa));
  }
}

[[gnu::always_inline]] inline void loop(const float* x, float* out, Index count) {
  exp_loop<float, std::uint32_t, 23, 7>(x, out, count);
}
[[gnu::always_inline]] inline void loop(const double* x, double* out, Index count) {
  exp_loop<double, std::uint64_t, 52, 12>(x, out, count);
}

#ifdef LANDFALL_WIDE
LANDFALL_WIDE void wide(const float* x, float* out, Index count) {
  loop(x, out, count);
}
LANDFALL_WIDE void wide(const double* x, double* out, Index count) {
  loop(x, out, count);
}
#endif

template <class S>
void dispatch(const S* x, S* out, Index count) {
#ifdef LANDFALL_WIDE
  static const bool has_wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_wide) return wide(x, out, count);
#endif
  loop(x, out, count);
}

}  // namespace

void exp_negative(const float* x, float* out, Index count) {
  dispatch(x, out, count);
}
void exp_negative(const double* x, double* out, Index count) {
  dispatch(x, out, count);
}

}  // namespace landfall
