#include <landfall/errors.hpp>
#include <landfall/linalg/add_square.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/parallel/kernels.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>

#include <cblas.h>
#include <fmt/format.h>

namespace landfall {
namespace {

// Columns of a block, and from how many multiplications on a square is cut into blocks.
constexpr Index kSquareBlock = 256, kLargeSquare = 1 << 19;

void add_whole_square(In<double> a, Out<double> c) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, static_cast<int>(a.rows()), static_cast<int>(a.cols()),
              1, a.data(), static_cast<int>(a.outerStride()), 1, c.data(), static_cast<int>(c.outerStride()));
}
void add_whole_square(In<float> a, Out<float> c) {
  cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, static_cast<int>(a.rows()), static_cast<int>(a.cols()),
              1, a.data(), static_cast<int>(a.outerStride()), 1, c.data(), static_cast<int>(c.outerStride()));
}

}  // namespace

template <class S>
void add_square(In<S> a, Out<S> c) {
  const Index n = a.rows(), k = a.cols();
  if (c.rows() != n || c.cols() != n)
    throw UsageError(fmt::format("the square of {} rows into {}x{}", n, c.rows(), c.cols()));
  if (n == 0 || k == 0) return;
  if (!blas_is_serial() || n < 2 * kSquareBlock || n * n * k < kLargeSquare) return add_whole_square(a, c);
  parallel_for((n + kSquareBlock - 1) / kSquareBlock, [&](Index block) {
    const Index first = block * kSquareBlock, count = std::min(kSquareBlock, n - first),
                below = n - first - count;
    add_whole_square(a.middleRows(first, count), c.block(first, first, count, count));
    if (below > 0)
      multiply_bt<S>(a.bottomRows(below), a.middleRows(first, count),
                     c.block(first + count, first, below, count), 1, 1);
  });
}

template void add_square<float>(In<float>, Out<float>);
template void add_square<double>(In<double>, Out<double>);

}  // namespace landfall
