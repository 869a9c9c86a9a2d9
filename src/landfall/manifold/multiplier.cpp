#include <landfall/errors.hpp>
#include <landfall/linalg/lapack.ipp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/manifold/multiplier.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
int gelsy(Index m, Index n, S* a, S* b, Index ldb, int* pivots, S tolerance, int* rank, S* work,
          Index lwork) {
  const auto small = [](Index i) { return static_cast<int>(i); };
  return Lapack<S>::gelsy(LAPACK_COL_MAJOR, small(m), small(n), 1, a, small(m), b, small(ldb), pivots,
                          tolerance, rank, work, small(lwork));
}

}  // namespace

template <class S>
void LeastSquares<S>::resize(Index rows, Index cols) {
  if (matrix_.rows() == rows && matrix_.cols() == cols) return;
  matrix_.resize(rows, cols);
  target_.resize(std::max(rows, cols));
  pivots_.resize(static_cast<std::size_t>(cols));
  int rank = 0;
  S work = 0;
  gelsy<S>(rows, cols, nullptr, nullptr, target_.size(), nullptr, 0, &rank, &work, -1);
  work_.resize(static_cast<Index>(work) + 1);
}

template <class S>
void LeastSquares<S>::solve(Vector<S>& lambda) {
  const Index rows = matrix_.rows(), cols = matrix_.cols();
  if (!matrix_.allFinite() || !target_.head(rows).allFinite())
    throw NumericalError(
        "least squares for the multiplier: the matrix or gradient has a NaN or infinite entry");
  std::fill(pivots_.begin(), pivots_.end(), 0);  // every column is free to move
  const S tolerance = column_tolerance<S>(std::max(rows, cols));
  int rank = 0;
  const int info = gelsy<S>(rows, cols, matrix_.data(), target_.data(), target_.size(), pivots_.data(),
                            tolerance, &rank, work_.data(), work_.size());
  if (info != 0) throw NumericalError(fmt::format("LAPACK gelsy failed with info = {}", info));
  lambda = target_.head(cols);
}

template <class S>
const Matrix<S>& LyapunovMultiplier<S>::compute(In<S> y, In<S> g) {
  const Index p = y.cols();
  gram_.resize(p, p);
  lambda_.resize(p, p);
  landfall::gram<S>(y, gram_);
  eigen_.compute(gram_);
  multiply_at<S>(y, g, lambda_);
  symmetrize<S>(lambda_);  // (Y'G + G'Y)/2, so that the solution of C L + L C = ... is lambda itself
  eigen_.solve_lyapunov(lambda_);
  return lambda_;
}

LANDFALL_MULTIPLIERS(, float)
LANDFALL_MULTIPLIERS(, double)

}  // namespace landfall
