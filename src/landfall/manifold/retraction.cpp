#include <landfall/errors.hpp>
#include <landfall/linalg/lapack.ipp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/manifold/retraction.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
int cholesky(Matrix<S>& a) {
  const int n = static_cast<int>(a.rows());
  return Lapack<S>::potrf(LAPACK_COL_MAJOR, 'U', n, a.data(), n);
}

/// With a Gram matrix at least this well conditioned (1 / its condition number), one pass is orthonormal to a
/// few rounding errors.
constexpr double good_condition = 0.01;
constexpr int most_passes = 8;

void check_sizes(Index size, Index rows, Index cols) {
  if (rows != size || cols > rows || cols == 0)
    throw UsageError(fmt::format(
        "a {0}x{1} matrix where B has size {2}: expected {2} rows and 1 to {2} columns", rows, cols, size));
}

[[noreturn]] void throw_dependent(Index cols, double relative) {
  throw NumericalError(
      fmt::format("the {} columns are linearly dependent in the metric of B: one lies within a relative "
                  "distance of {:.1e} of the others",
                  cols, relative));
}

template <class S>
void b_gram(const SymmetricOperator<S>& b, const Matrix<S>& w, Matrix<S>& y, Matrix<S>& p) {
  b.apply(w, y);
  multiply_at<S>(w, y, p);
  symmetrize<S>(p);
  if (!p.allFinite()) throw NumericalError("W'BW has NaN or Inf entries");
}

template <class S>
Matrix<S> moved(const SymmetricOperator<S>& b, In<S> x, In<S> v) {
  check_sizes(b.size(), x.rows(), x.cols());
  if (v.rows() != x.rows() || v.cols() != x.cols())
    throw UsageError(
        fmt::format("step of size {}x{} from a point of size {}x{}", v.rows(), v.cols(), x.rows(), x.cols()));
  return x + v;
}

/// R with R'R = p in the upper triangle, p shifted by multiples of the identity until that exists (shifted
/// Cholesky-QR).
template <class S>
bool shifted_cholesky(const Matrix<S>& p, Index rows, Matrix<S>& r) {
  const int n = static_cast<int>(p.rows());
  r = p;
  if (cholesky(r) == 0) return false;
  // The unit diagonal makes n a bound on ||p||; the factor covers the rounding of p itself.
  S shift = static_cast<S>(n) * static_cast<S>(rows + n) * std::numeric_limits<S>::epsilon();
  for (; std::isfinite(shift); shift *= 10) {
    r = p;
    r.diagonal().array() += shift;
    if (cholesky(r) == 0) return true;
  }
  throw NumericalError("Cholesky-QR: W'BW overflows");
}

}  // namespace

template <class S>
Matrix<S> orthonormalize(const SymmetricOperator<S>& b, In<S> w) {
  check_sizes(b.size(), w.rows(), w.cols());
  const Index n = w.rows(), p = w.cols();
  Matrix<S> q = w, y(n, p), gram_matrix(p, p), r(p, p);
  Vector<S> distance =
      Vector<S>::Ones(p);  // of column j from the span of those before it, relative to its B-length
  Vector<S> work(3 * p);
  std::vector<int> integer_work(static_cast<std::size_t>(p));
  S floor = 0;
  for (Index j = 0; j < p; ++j) {
    const S length = q.col(j).stableNorm();
    if (!std::isfinite(length)) throw NumericalError("orthonormalisation of columns with NaN or Inf");
    if (length == 0) throw_dependent(p, 0);
    q.col(j) /= length;
  }
  for (int pass = 0; pass < most_passes; ++pass) {
    b_gram(b, q, y, gram_matrix);
    for (Index j = 0; j < p; ++j) {
      const S square = gram_matrix(j, j);
      if (!(square > 0)) throw_dependent(p, 0);
      if (pass == 0)  // what the rounding of one column can look like in the metric of B
        floor =
            std::max(floor, column_tolerance<S>(p) * std::sqrt(y.col(j).norm() * q.col(j).norm() / square));
      else
        distance(j) *= std::sqrt(square);
      const S scale = 1 / std::sqrt(square);
      q.col(j) *= scale;
      gram_matrix.col(j) *= scale;
      gram_matrix.row(j) *= scale;
    }
    const bool shifted = shifted_cholesky(gram_matrix, n, r);
    S rcond = 0;
    const int rows = static_cast<int>(n), cols = static_cast<int>(p);
    Lapack<S>::pocon(LAPACK_COL_MAJOR, 'U', cols, r.data(), cols,
                     gram_matrix.cwiseAbs().colwise().sum().maxCoeff(), &rcond, work.data(),
                     integer_work.data());
    Lapack<S>::trsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rows, cols, 1,
                    r.data(), cols, q.data(), rows);
    distance.array() *= r.diagonal().array();
    if (distance.minCoeff() <= floor) throw_dependent(p, static_cast<double>(distance.minCoeff()));
    if (!shifted && rcond >= static_cast<S>(good_condition)) return q;
  }
  throw NumericalError(
      fmt::format("no B-orthonormal basis of {} columns after {} passes: B is too ill-conditioned for "
                  "this precision",
                  p, most_passes));
}

template <class S>
Matrix<S> retract_cholesky(const SymmetricOperator<S>& b, In<S> x, In<S> v) {
  return orthonormalize<S>(b, moved(b, x, v));
}

template <class S>
Matrix<S> retract_polar(const SymmetricOperator<S>& b, In<S> x, In<S> v) {
  // Repeating is harmless: W M has the same polar factor as W for any M > 0 that commutes with W'BW.
  Matrix<S> w = moved(b, x, v), y(w.rows(), w.cols()), p(w.cols(), w.cols());
  SymmetricEigen<S> eigen;
  for (int pass = 0; pass < most_passes; ++pass) {
    b_gram(b, w, y, p);
    eigen.compute(p);
    const S smallest = eigen.values()(0), largest = eigen.values()(p.rows() - 1);
    if (!(smallest > rank_tolerance<S>(p.rows()) * largest))
      throw_dependent(p.rows(), static_cast<double>(std::sqrt(std::max(S(0), smallest / largest))));
    multiply<S>(w, eigen.inverse_root(), y);
    w.swap(y);
    if (smallest >= static_cast<S>(good_condition) * largest) return w;
  }
  throw NumericalError(fmt::format(
      "no polar factor after {} passes: B is too ill-conditioned for this precision", most_passes));
}

template <class S>
Matrix<S> retract_svd(const SymmetricOperator<S>& b, In<S> x, In<S> v) {
  Matrix<S> w = moved(b, x, v);
  const Index n = w.rows(), p = w.cols();
  if (!w.allFinite()) throw NumericalError("retraction of a step with NaN or Inf");
  Matrix<S> u(n, p), vt(p, p), y(n, p), m(p, p);
  Vector<S> s(p);
  const int rows = static_cast<int>(n), cols = static_cast<int>(p);
  const int info = Lapack<S>::gesdd(LAPACK_COL_MAJOR, 'S', rows, cols, w.data(), rows, s.data(), u.data(),
                                    rows, vt.data(), cols);
  if (info != 0) throw NumericalError(fmt::format("LAPACK gesdd failed with info = {}", info));
  if (!(s(p - 1) > column_tolerance<S>(n) * s(0)))
    throw_dependent(p, s(0) > 0 ? static_cast<double>(s(p - 1) / s(0)) : 0.0);
  b_gram(b, u, y, m);
  SymmetricEigen<S> eigen;
  eigen.compute(m);
  multiply<S>(eigen.inverse_root(), vt, m);
  multiply<S>(u, m, y);
  return y;
}

template <class S>
Matrix<S> retract(Retraction kind, const SymmetricOperator<S>& b, In<S> x, In<S> v) {
  switch (kind) {
    case Retraction::polar:
      return retract_polar<S>(b, x, v);
    case Retraction::svd:
      return retract_svd<S>(b, x, v);
    case Retraction::cholesky:
      return retract_cholesky<S>(b, x, v);
  }
  throw UsageError("unknown retraction: expected polar, svd or cholesky");
}

template <class S>
Matrix<S> project_tangent(In<S> x, In<S> y, In<S> v) {
  const Index p = x.cols();
  Matrix<S> metric(p, p), m(p, p), projected = v;
  multiply_at<S>(x, y, metric);
  symmetrize<S>(metric);
  multiply_at<S>(y, v, m);
  symmetrize<S>(m);
  if (numerical_rank<S>(metric) < p)
    throw NumericalError("projection to the tangent space: X'BX is not positive definite");
  cholesky(metric);
  const int cols = static_cast<int>(p);
  Lapack<S>::potrs(LAPACK_COL_MAJOR, 'U', cols, cols, metric.data(), cols, m.data(), cols);
  multiply<S>(x, m, projected, -1, 1);
  return projected;
}

template <class S>
S tangency(In<S> y, In<S> v) {
  Matrix<S> m(y.cols(), v.cols());
  multiply_at<S>(y, v, m);
  symmetrize<S>(m);
  return 2 * m.norm();
}

LANDFALL_RETRACTION(, float)
LANDFALL_RETRACTION(, double)

}  // namespace landfall
