#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/manifold/multiplier.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <lapacke.h>

namespace landfall {
namespace {

int gelsy(int m, int n, double* a, double* b, int ldb, int* pivots, double tolerance, int* rank, double* work,
          int lwork) {
  return LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, a, m, b, ldb, pivots, tolerance, rank, work, lwork);
}
int gelsy(int m, int n, float* a, float* b, int ldb, int* pivots, float tolerance, int* rank, float* work,
          int lwork) {
  return LAPACKE_sgelsy_work(LAPACK_COL_MAJOR, m, n, 1, a, m, b, ldb, pivots, tolerance, rank, work, lwork);
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
  gelsy(static_cast<int>(rows), static_cast<int>(cols), nullptr, nullptr, static_cast<int>(target_.size()),
        nullptr, S(0), &rank, &work, -1);
  work_.resize(static_cast<Index>(work) + 1);
}

template <class S>
void LeastSquares<S>::solve(Vector<S>& lambda) {
  const Index rows = matrix_.rows(), cols = matrix_.cols();
  if (!matrix_.allFinite() || !target_.head(rows).allFinite())
    throw NumericalError("least squares for the Lagrange multiplier of a matrix or gradient with NaN or Inf");
  std::fill(pivots_.begin(), pivots_.end(), 0);  // every column is free to move
  const S tolerance = static_cast<S>(std::max(rows, cols)) * std::numeric_limits<S>::epsilon();
  int rank = 0;
  const int info = gelsy(static_cast<int>(rows), static_cast<int>(cols), matrix_.data(), target_.data(),
                         static_cast<int>(target_.size()), pivots_.data(), tolerance, &rank, work_.data(),
                         static_cast<int>(work_.size()));
  if (info != 0) throw NumericalError(fmt::format("LAPACK gelsy failed with info = {}", info));
  lambda = target_.head(cols);
}

template <class S>
const Matrix<S>& LyapunovMultiplier<S>::compute(In<S> y, In<S> g) {
  const Index p = y.cols();
  gram_.resize(p, p);
  lambda_.resize(p, p);
  gram<S>(y, gram_);
  eigen_.compute(gram_);
  multiply_at<S>(y, g, lambda_);
  symmetrize<S>(lambda_);  // (Y'G + G'Y)/2, so that the solution of C L + L C = ... is lambda itself
  eigen_.solve_lyapunov(lambda_);
  return lambda_;
}

LANDFALL_MULTIPLIERS(, float)
LANDFALL_MULTIPLIERS(, double)

}  // namespace landfall
