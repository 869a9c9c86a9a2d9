#include <landfall/linalg/narrow_products.hpp>
#include <landfall/linalg/simd.ipp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>

namespace landfall {
namespace {

/// Plain pointers: a, b and c by columns with these distances between them.
template <class S>
struct Operands {
  const S* a;
  Index a_step;
  const S* b;
  Index b_step;
  S* c;
  Index c_step;
  Index rows, cols, inner;  // c is rows x cols
  S alpha, beta;
};

template <class S>
LANDFALL_INLINE void put(S& c, S sum, S alpha, S beta) {
  c = beta == S(0) ? alpha * sum : alpha * sum + beta * c;
}

// c = a'b. A tile is R columns of a times C columns of b; sums are kept in vectors along the columns.

template <class S, int Bytes>
LANDFALL_INLINE S sum_of(const typename Lanes<S, Bytes>::Vector& v) {
  if constexpr (Bytes == 64) {
    using Half = Lanes<S, 32>;
    typename Half::Vector half;
    if constexpr (sizeof(S) == 4)
      half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
             __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
    else
      half = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    return sum_of<S, 32>(half);
  } else if constexpr (Bytes == 32) {
    typename Lanes<S, 16>::Vector half;
    if constexpr (sizeof(S) == 4)
      half = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    else
      half = __builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3);
    return sum_of<S, 16>(half);
  } else {
    if constexpr (sizeof(S) == 4) return (v[0] + v[2]) + (v[1] + v[3]);
    return v[0] + v[1];
  }
}

template <class S, int Bytes, int R, int C>
LANDFALL_INLINE void tile_at(const Operands<S>& p, Index i, Index j, const S* tails) {
  using L = Lanes<S, Bytes>;
  using V = typename L::Vector;
  const Index n = p.inner, whole = n - n % L::count;
  const S *a = p.a + i * p.a_step, *b = p.b + j * p.b_step;
  V sums[R][C];
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < C; ++c) sums[r][c] = V{};
  for (Index k = 0; k < whole; k += L::count) {
    V left[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      left[r] = L::at(a + r * p.a_step + k);
      __builtin_prefetch(a + (R + r) * p.a_step + k);  // of the next tile: columns end too soon for the processor to see
    }
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      const V right = L::at(b + c * p.b_step + k);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) sums[r][c] += left[r] * right;
    }
  }
  if (whole < n) {
    V left[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) left[r] = L::at(a + r * p.a_step + n - L::count);
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      const V right = L::at(tails + (j + c) * L::count);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) sums[r][c] += left[r] * right;
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
      put(p.c[(j + c) * p.c_step + i + r], sum_of<S, Bytes>(sums[r][c]), p.alpha, p.beta);
}

/// All rows of a block for C columns of b: those stay in the cache.
template <class S, int Bytes, int R, int C>
LANDFALL_INLINE void strip_at(const Operands<S>& p, Index first, Index last, Index j, const S* tails) {
  Index i = first;
  for (; i + R <= last; i += R) tile_at<S, Bytes, R, C>(p, i, j, tails);
  for (; i < last; ++i) tile_at<S, Bytes, 1, C>(p, i, j, tails);
}

template <class S, int Bytes, int R>
LANDFALL_INLINE void block_at(const Operands<S>& p, Index first, Index last, const S* tails) {
  Index j = 0;
  for (; j + 6 <= p.cols; j += 6) strip_at<S, Bytes, R, 6>(p, first, last, j, tails);
  for (; j + 3 <= p.cols; j += 3) strip_at<S, Bytes, R, 3>(p, first, last, j, tails);
  for (; j < p.cols; ++j) strip_at<S, Bytes, R, 1>(p, first, last, j, tails);
}

struct BlockAt {
  template <int Bytes, class S>
  LANDFALL_INLINE static void run(const Operands<S>* p, Index first, Index last, const S* tails) {
    constexpr int rows = Bytes == 64 ? 4 : 2;  // sums in 24 of the 32 registers of AVX-512, in 12 of 16 otherwise
    block_at<S, Bytes, rows>(*p, first, last, tails);
  }
};

/// Numbers of a vector.
template <class S>
Index lanes_of(InstructionSet set) {
  const Index bytes = set == InstructionSet::avx512 ? 64 : set == InstructionSet::avx2 ? 32 : 16;
  return bytes / static_cast<Index>(sizeof(S));
}

/// Numbers that stay with the thread, so that nothing is allocated after the first product of a size.
template <class S>
S* workspace(Index size) {
  thread_local std::vector<S> numbers;
  if (static_cast<Index>(numbers.size()) < size) numbers.resize(static_cast<std::size_t>(size));
  return numbers.data();
}

template <class S>
Operands<S> operands(In<S> a, In<S> b, Out<S>& c, S alpha, S beta, Index inner) {
  return {a.data(), a.outerStride(), b.data(), b.outerStride(), c.data(), c.outerStride(),
          c.rows(), c.cols(),        inner,    alpha,           beta};
}

void for_blocks(Index rows, Index block, auto work) {
  parallel_for((rows + block - 1) / block,
               [&](std::ptrdiff_t i) { work(i * block, std::min(rows, (i + 1) * block)); });
}

}  // namespace

template <class S>
void narrow_product_at(In<S> a, In<S> b, Out<S> c, S alpha, S beta, InstructionSet set) {
  constexpr Index kRows = 32;
  const Index lanes = lanes_of<S>(set);
  const Operands<S> p = operands<S>(a, b, c, alpha, beta, a.rows());
  if (p.inner < lanes) {
    for (Index j = 0; j < p.cols; ++j)
      for (Index i = 0; i < p.rows; ++i) put(c(i, j), a.col(i).dot(b.col(j)), alpha, beta);
    return;
  }
  // The last numbers of the columns of b where these do not fill a vector, after zeros: the vector that ends with a column
  // of a begins with numbers that were counted already.
  S* tails = workspace<S>(p.cols * lanes);
  if (const Index rest = p.inner % lanes; rest > 0)
    for (Index j = 0; j < p.cols; ++j) {
      std::fill_n(tails + j * lanes, lanes - rest, S(0));
      std::copy_n(p.b + j * p.b_step + p.inner - rest, rest, tails + (j + 1) * lanes - rest);
    }
  for_blocks(p.rows, kRows, [&](Index first, Index last) {
    dispatch<BlockAt>(set, &p, first, last, static_cast<const S*>(tails));
  });
}

LANDFALL_NARROW_PRODUCTS(, float)
LANDFALL_NARROW_PRODUCTS(, double)

}  // namespace landfall
