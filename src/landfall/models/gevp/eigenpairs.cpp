#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/gevp/eigenpairs.hpp>

#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
Matrix<S> product(const SymmetricOperator<S>& op, const Matrix<S>& x) {
  Matrix<S> y(x.rows(), x.cols());
  op.apply(x, y);
  return y;
}

/// x'y for y = A x or B x: symmetric up to rounding, made so.
template <class S>
Matrix<S> projected(const Matrix<S>& x, const Matrix<S>& y) {
  Matrix<S> m(x.cols(), x.cols());
  multiply_at<S>(x, y, m);
  symmetrize<S>(m);
  return m;
}

template <class S>
void combine(Matrix<S>& x, const Matrix<S>& factor) {
  Matrix<S> result(x.rows(), factor.cols());
  multiply<S>(x, factor, result);
  x = std::move(result);
}

}  // namespace

template <class S>
Eigenpairs<S> rayleigh_ritz(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, Matrix<S> x,
                            bool smallest) {
  const Index p = x.cols();
  if (p < 1) throw UsageError("Rayleigh-Ritz needs at least one column, got 0");
  if (!x.allFinite()) throw NumericalError("Rayleigh-Ritz on an X with a NaN or infinite entry");
  const auto require_full_rank = [p](Index rank) {
    if (rank < p) throw NumericalError(fmt::format("Rayleigh-Ritz on {} columns of rank {}", p, rank));
  };
  // An orthonormal basis before the products, twice because X'X squares the condition of X; then a
  // B-orthonormal one, so that the small pencil is as good as B = I.
  for (int pass = 0; pass < 2; ++pass) {
    for (Index j = 0; j < p; ++j) x.col(j).stableNormalize();
    Matrix<S> xx(p, p);
    gram<S>(x, xx);
    const Matrix<S> factor = orthonormalizing_factor<S>(xx);
    require_full_rank(factor.cols());
    combine(x, factor);
  }
  Matrix<S> ax = product(a, x), bx = product(b, x);
  const Matrix<S> factor = orthonormalizing_factor<S>(projected(x, bx));
  require_full_rank(factor.cols());
  for (Matrix<S>* block : {&x, &ax, &bx}) combine(*block, factor);
  auto ritz = solve_pencil<S>(projected(x, ax), projected(x, bx), p, smallest);
  combine(x, ritz.vectors);
  fix_signs(x);
  return {std::move(ritz.values), std::move(x)};
}

template <class S>
void fix_signs(Matrix<S>& vectors) {
  for (Index j = 0; j < vectors.cols(); ++j) {
    Index at = 0;
    if (vectors.rows() > 0) vectors.col(j).cwiseAbs().maxCoeff(&at);
    if (vectors.rows() > 0 && vectors(at, j) < 0) vectors.col(j) *= S(-1);
  }
}

template <class S>
PairQuality<S> pair_quality(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b,
                            const Eigenpairs<S>& pairs) {
  const Matrix<S>& x = pairs.vectors;
  if (pairs.values.size() != x.cols())
    throw UsageError(fmt::format("{} eigenvalues with {} eigenvectors", pairs.values.size(), x.cols()));
  Matrix<S> ax = product(a, x), bx = product(b, x), h = projected(x, bx);
  h.diagonal().array() -= S(1);
  PairQuality<S> quality{Vector<S>(x.cols()), h.norm()};
  bx *= pairs.values.asDiagonal();
  for (Index j = 0; j < x.cols(); ++j) {
    const S size = ax.col(j).stableNorm() + bx.col(j).stableNorm();
    quality.residuals(j) = size > 0 ? (ax.col(j) - bx.col(j)).stableNorm() / size : S(0);
  }
  return quality;
}

LANDFALL_EIGENPAIRS(, float)
LANDFALL_EIGENPAIRS(, double)

}  // namespace landfall
