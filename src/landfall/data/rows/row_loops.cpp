// Plain loops that the compiler turns into vector instructions (see CMakeLists.txt), once for each instruction set.
#include <landfall/data/rows/row_loops.hpp>
#include <landfall/linalg/simd.ipp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace landfall {
namespace {

/// Numbers that are not finite have all bits of the exponent set: they are the largest as integers, without the sign.
struct Finite {
  template <int, class S>
  LANDFALL_INLINE static bool run(const S* numbers, Index count) {
    using Bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits size = ~(Bits{1} << (8 * sizeof(S) - 1));
    constexpr Bits infinite = std::bit_cast<Bits>(std::numeric_limits<S>::infinity());
    Bits any = 0;
    for (Index i = 0; i < count; ++i)
      any |= static_cast<Bits>((std::bit_cast<Bits>(numbers[i]) & size) >= infinite);
    return any == 0;
  }
};

struct Centre {
  template <int, class S>
  LANDFALL_INLINE static void run(const S* from, S* to, Index count, const double* mean,
                                  const double* inverse) {
#pragma GCC ivdep
    for (Index j = 0; j < count; ++j)
      to[j] = static_cast<S>((static_cast<double>(from[j]) - mean[j]) * inverse[j]);
  }
};

struct Sums {
  template <int, class S>
  LANDFALL_INLINE static Index run(const S* __restrict row, Index count, ColumnSums sums) {
    const double* __restrict origin = sums.origin;
    double* __restrict sum = sums.sum, * __restrict min = sums.min, * __restrict max = sums.max;
    const double weight = sums.weight;
    Index nonzeros = 0;
    for (Index j = 0; j < count; ++j) {
      const auto value = static_cast<double>(row[j]);
      sum[j] += weight * (value - origin[j]);
      min[j] = value < min[j] ? value : min[j];
      max[j] = value > max[j] ? value : max[j];
      nonzeros += value != 0;
    }
    return nonzeros;
  }
};

struct Powers {
  template <int, class S>
  LANDFALL_INLINE static void run(const S* __restrict row, Index count, ColumnSums sums) {
    const double* __restrict origin = sums.origin, * __restrict mean = sums.mean;
    double* __restrict rest = sums.rest, * __restrict squares = sums.squares, * __restrict cubes = sums.cubes, * __restrict fourths = sums.fourths;
    const double weight = sums.weight;
    for (Index j = 0; j < count; ++j) {
      const double d = (static_cast<double>(row[j]) - origin[j]) - mean[j], square = weight * (d * d);
      rest[j] += weight * d;
      squares[j] += square;
      cubes[j] += square * d;
      fourths[j] += square * (d * d);
    }
  }
};

}  // namespace

template <class S>
bool all_finite(const S* numbers, Index count, InstructionSet set) {
  return dispatch<Finite>(set, numbers, count);
}

template <class S>
void centre(const S* from, S* to, Index count, const double* mean, const double* inverse_scale,
            InstructionSet set) {
  dispatch<Centre>(set, from, to, count, mean, inverse_scale);
}

template <class S>
Index add_to_sums(const S* row, Index count, const ColumnSums& sums, InstructionSet set) {
  return dispatch<Sums>(set, row, count, sums);
}

template <class S>
void add_to_powers(const S* row, Index count, const ColumnSums& sums, InstructionSet set) {
  dispatch<Powers>(set, row, count, sums);
}

LANDFALL_ROW_LOOPS(, float)
LANDFALL_ROW_LOOPS(, double)

}  // namespace landfall
