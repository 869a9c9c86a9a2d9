#include <landfall/linalg/cholesky.hpp>
#include <landfall/linalg/lapack.ipp>

namespace landfall {
namespace {

template <class S>
void solve_triangle(const Matrix<S>& factor, CBLAS_TRANSPOSE transposed, Out<S> x) {
  Lapack<S>::trsm(CblasColMajor, CblasLeft, CblasLower, transposed, CblasNonUnit, static_cast<int>(x.rows()),
                  static_cast<int>(x.cols()), 1, factor.data(), static_cast<int>(factor.rows()), x.data(),
                  static_cast<int>(x.outerStride()));
}

}  // namespace

template <class S>
std::optional<Cholesky<S>> Cholesky<S>::of(Matrix<S> m, S least) {
  const int n = static_cast<int>(m.rows());
  if (Lapack<S>::potrf(LAPACK_COL_MAJOR, 'L', n, m.data(), n) != 0) return std::nullopt;
  if (!(m.diagonal().cwiseAbs2().minCoeff() > least)) return std::nullopt;
  return Cholesky(std::move(m));
}

template <class S>
void Cholesky<S>::solve_lower(Out<S> x) const {
  solve_triangle<S>(factor_, CblasNoTrans, x);
}

template <class S>
void Cholesky<S>::solve_upper(Out<S> x) const {
  solve_triangle<S>(factor_, CblasTrans, x);
}

template <class S>
Matrix<S> Cholesky<S>::inverse() const {
  // The upper triangle: with the lower one, OpenBLAS 0.3.21's kernels for Prescott end the program by reading unaligned memory
  // (spotri of 301 columns on one thread).
  Matrix<S> inverse = factor_.transpose();
  const int n = static_cast<int>(inverse.rows());
  Lapack<S>::potri(LAPACK_COL_MAJOR, 'U', n, inverse.data(), n);
  return inverse.template selfadjointView<Eigen::Upper>();
}

template class Cholesky<float>;
template class Cholesky<double>;

}  // namespace landfall
