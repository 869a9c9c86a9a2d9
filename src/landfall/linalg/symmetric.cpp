#include <landfall/errors.hpp>
#include <landfall/linalg/lapack.ipp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

/// The whole decomposition, or with lwork = -1 the query for the workspace.
template <class S>
int syevd(int n, S* a, S* w, S* work, int lwork, int* iwork, int liwork) {
  return Lapack<S>::syevd(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, w, work, lwork, iwork, liwork);
}

}  // namespace

template <class S>
void SymmetricEigen<S>::compute(In<S> m) {
  if (m.rows() != m.cols())
    throw UsageError(fmt::format("eigendecomposition of a {}x{} matrix", m.rows(), m.cols()));
  const int n = static_cast<int>(m.rows());
  if (values_.size() != n) {
    S work = 0;
    int integer_work = 0;
    values_.resize(n);
    syevd<S>(n, nullptr, nullptr, &work, -1, &integer_work, -1);
    // The query is rounded to S, so a little more than it says.
    work_.resize(static_cast<Index>(work * (1 + 4 * std::numeric_limits<S>::epsilon())) + 1);
    integer_work_.resize(static_cast<std::size_t>(integer_work) + 1);
  }
  vectors_ = m;
  if (!vectors_.allFinite()) throw NumericalError("eigendecomposition of a matrix with NaN or Inf");
  const int info = syevd(n, vectors_.data(), values_.data(), work_.data(), static_cast<int>(work_.size()),
                         integer_work_.data(), static_cast<int>(integer_work_.size()));
  if (info != 0) throw NumericalError(fmt::format("LAPACK syevd failed with info = {}", info));
}

template <class S>
Matrix<S> SymmetricEigen<S>::inverse_root() const {
  const Index n = values_.size();
  const S floor = rank_tolerance<S>(n) * values_(n - 1);
  if (!(values_(0) > floor))
    throw NumericalError(fmt::format("inverse square root of a matrix with eigenvalues from {:.3g} to {:.3g}",
                                     values_(0), values_(n - 1)));
  Matrix<S> scaled = vectors_ * values_.cwiseSqrt().cwiseSqrt().cwiseInverse().asDiagonal(), root(n, n);
  multiply_bt<S>(scaled, scaled, root);
  return root;
}

template <class S>
void SymmetricEigen<S>::solve_lyapunov(Out<S> rhs) {
  // m = Q diag(c) Q':  (Q'LQ)_ij = (Q' rhs Q)_ij / (c_i + c_j)
  const Index n = values_.size();
  const S floor = rank_tolerance<S>(n) * values_(n - 1);
  scratch_.resize(n, n);
  multiply<S>(rhs, vectors_, scratch_);
  multiply_at<S>(vectors_, scratch_, rhs);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      const S sum = values_(i) + values_(j);
      rhs(i, j) = sum > floor ? rhs(i, j) / sum : S(0);
    }
  multiply_bt<S>(rhs, vectors_, scratch_);
  multiply<S>(vectors_, scratch_, rhs);
}

template <class S>
void symmetrize(Out<S> m) {
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = 0; i < j; ++i) m(i, j) = m(j, i) = (m(i, j) + m(j, i)) / 2;
}

double distance_to_identity(const Matrix<double>& m) {
  return (m - Matrix<double>::Identity(m.rows(), m.cols())).norm();
}

LANDFALL_SYMMETRIC(, float)
LANDFALL_SYMMETRIC(, double)

}  // namespace landfall
