#include <landfall/errors.hpp>
#include <landfall/linalg/narrow_products.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/parallel/kernels.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <optional>

#include <cblas.h>
#include <fmt/format.h>

namespace landfall {
namespace {

int blas_int(Index n) {
  return static_cast<int>(n);
}

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, Index m, Index n, Index k, double alpha, const double* a,
          Index lda, const double* b, Index ldb, double beta, double* c, Index ldc) {
  cblas_dgemm(CblasColMajor, ta, tb, blas_int(m), blas_int(n), blas_int(k), alpha, a, blas_int(lda), b,
              blas_int(ldb), beta, c, blas_int(ldc));
}
void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, Index m, Index n, Index k, float alpha, const float* a,
          Index lda, const float* b, Index ldb, float beta, float* c, Index ldc) {
  cblas_sgemm(CblasColMajor, ta, tb, blas_int(m), blas_int(n), blas_int(k), alpha, a, blas_int(lda), b,
              blas_int(ldb), beta, c, blas_int(ldc));
}
void syrk(Index n, Index k, const double* a, Index lda, double* c, Index ldc) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, blas_int(n), blas_int(k), 1, a, blas_int(lda), 0, c,
              blas_int(ldc));
}
void syrk(Index n, Index k, const float* a, Index lda, float* c, Index ldc) {
  cblas_ssyrk(CblasColMajor, CblasLower, CblasTrans, blas_int(n), blas_int(k), 1, a, blas_int(lda), 0, c,
              blas_int(ldc));
}

/// A product a few columns wide that takes about a millisecond or less: waking threads for it costs more than
/// it gains on a busy machine, and OpenBLAS allocates when it does.
bool is_narrow(Index m, Index n, Index k) {
  return std::min({m, n, k}) <= 32 && m * n * k <= 20'000'000;
}

// Up to so many columns, scores by our own loops take less time than those of BLAS, which copies the other operand first.
constexpr Index kFewColumns = 24;
// Less than this is not worth a function that prepares it.
constexpr Index kLeastWork = 1 << 12;
// Least rows and multiplications of a block of a large product. OpenBLAS has slower kernels for products of up to a million.
constexpr Index kBlock = 128, kBlockWork = 1'100'000;

/// With narrower vectors than those of AVX-512 BLAS is as quick.
bool is_own(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, Index m, Index n, Index k) {
  return ta == CblasTrans && tb == CblasNoTrans && n <= kFewColumns && m * n * k >= kLeastWork &&
         instruction_set() == InstructionSet::avx512;
}

template <class S>
void product(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, In<S> a, In<S> b, Out<S> c, S alpha, S beta) {
  const Index m = ta == CblasNoTrans ? a.rows() : a.cols(), k = ta == CblasNoTrans ? a.cols() : a.rows();
  const Index kb = tb == CblasNoTrans ? b.rows() : b.cols(), n = tb == CblasNoTrans ? b.cols() : b.rows();
  if (k != kb || c.rows() != m || c.cols() != n)
    throw UsageError(fmt::format("product of {}x{} and {}x{} into {}x{}: the sizes do not fit", m, k, kb, n,
                                 c.rows(), c.cols()));
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (beta == 0)
      c.setZero();  // also where it was NaN
    else
      c *= beta;
    return;
  }
  if (is_own(ta, tb, m, n, k)) return narrow_product_at<S>(a, b, c, alpha, beta, InstructionSet::avx512);
  std::optional<SerialBlas> serial;
  if (is_narrow(m, n, k)) serial.emplace();
  const auto rows = [&](Index first, Index count) {
    const S* part = a.data() + (ta == CblasNoTrans ? first : first * a.outerStride());
    gemm(ta, tb, count, n, k, alpha, part, a.outerStride(), b.data(), b.outerStride(), beta, c.data() + first,
         c.outerStride());
  };
  const Index block = std::max(kBlock, (kBlockWork / (n * k) + 15) / 16 * 16);
  if (!blas_is_serial() || m < 2 * block) return rows(0, m);
  parallel_for((m + block - 1) / block, [&](Index i) { rows(i * block, std::min(block, m - i * block)); });
}

}  // namespace

template <class S>
void multiply(In<S> a, In<S> b, Out<S> c, std::type_identity_t<S> alpha, std::type_identity_t<S> beta) {
  product<S>(CblasNoTrans, CblasNoTrans, a, b, c, alpha, beta);
}

template <class S>
void multiply_at(In<S> a, In<S> b, Out<S> c, std::type_identity_t<S> alpha, std::type_identity_t<S> beta) {
  product<S>(CblasTrans, CblasNoTrans, a, b, c, alpha, beta);
}

template <class S>
void multiply_bt(In<S> a, In<S> b, Out<S> c, std::type_identity_t<S> alpha, std::type_identity_t<S> beta) {
  product<S>(CblasNoTrans, CblasTrans, a, b, c, alpha, beta);
}

template <class S>
void gram(In<S> a, Out<S> c) {
  if (c.rows() != a.cols() || c.cols() != a.cols())
    throw UsageError(fmt::format("Gram matrix of {} columns into {}x{}", a.cols(), c.rows(), c.cols()));
  if (a.cols() == 0) return;
  if (a.rows() == 0) {
    c.setZero();
    return;
  }
  std::optional<SerialBlas> serial;
  if (is_narrow(a.cols(), a.cols(), a.rows())) serial.emplace();
  syrk(a.cols(), a.rows(), a.data(), a.outerStride(), c.data(), c.outerStride());
  for (Index j = 1; j < c.cols(); ++j)
    for (Index i = 0; i < j; ++i) c(i, j) = c(j, i);
}

LANDFALL_PRODUCTS(, float)
LANDFALL_PRODUCTS(, double)

}  // namespace landfall
