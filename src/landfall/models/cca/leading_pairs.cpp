#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/cca/leading_pairs.hpp>

#include <algorithm>

namespace landfall {
namespace {

constexpr Index kBlocks = 7;  // of the Krylov space
constexpr Index kGuard = 5;   // columns of a block beside the p wanted

/// B^-1; where columns depend on each other, within the range of B: B becomes I, and T a basis with T'BT = I.
struct Metric {
  PreconditionerPtr<double> inverse;
  Matrix<double> basis;  // T; empty: the rank is full

  explicit Metric(Matrix<double>& b) {
    try {
      inverse = inverse_preconditioner<double>(b);
    } catch (const DataError&) {
      basis = orthonormalizing_factor<double>(b);
      b.setIdentity(basis.cols(), basis.cols());
      inverse = std::make_shared<IdentityPreconditioner<double>>(basis.cols());
    }
  }

  Matrix<double> solve(const Matrix<double>& b) const {
    Matrix<double> x(b.rows(), b.cols());
    inverse->apply(b, x);
    return x;
  }

  Matrix<double> restored(const Matrix<double>& x) const {
    return basis.size() > 0 ? product<double>(basis, x) : x;
  }
};

/// Basis K with K'BK = I of the Krylov space of G = B_y^-1 C' B_x^-1 C.
Matrix<double> krylov_basis(const PairProblem& problem, const Metric& left, const Metric& right,
                            Index columns) {
  const auto orthonormal = [&](const Matrix<double>& k) {
    return Matrix<double>(product<double>(
        k, orthonormalizing_factor<double>(product_at<double>(k, product<double>(problem.right, k)))));
  };
  const Index n = problem.right.rows();
  Matrix<double> all(n, 0), block = orthonormal(random_orthonormal(n, columns, {0xca11, 0}));
  for (Index k = 0;; ++k) {
    all.conservativeResize(Eigen::NoChange, all.cols() + block.cols());
    all.rightCols(block.cols()) = block;
    if (k + 1 == kBlocks) break;
    block = right.solve(product_at<double>(problem.cross, left.solve(product<double>(problem.cross, block))));
    block = orthonormal(block);
    block -= all * product_at<double>(all, product<double>(problem.right, block));
    block = orthonormal(block);
    if (block.cols() == 0) break;
  }
  return orthonormal(all);
}

}  // namespace

LeadingPairs leading_pairs(PairProblem problem, Index p) {
  if (problem.right.rows() > problem.left.rows()) {
    LeadingPairs turned =
        leading_pairs({std::move(problem.right), std::move(problem.left), problem.cross.transpose()}, p);
    std::swap(turned.left, turned.right);
    return turned;
  }
  const Index rows[] = {problem.left.rows(), problem.right.rows()};
  const Metric left(problem.left), right(problem.right);
  if (problem.left.rows() == 0 || problem.right.rows() == 0)  // a view that is constant on these rows
    return {Vector<double>(0), Matrix<double>(rows[0], 0), Matrix<double>(rows[1], 0)};
  if (left.basis.size() > 0) problem.cross = product_at<double>(left.basis, problem.cross);
  if (right.basis.size() > 0) problem.cross = product<double>(problem.cross, right.basis);
  p = std::min({p, problem.left.rows(), problem.right.rows()});
  LeadingPairs pairs;
  const Index columns = p + kGuard;
  if (problem.right.rows() <= 2 * kBlocks * columns) {
    const Matrix<double> solved = left.solve(problem.cross);
    auto eigen = solve_pencil<double>(product_at<double>(problem.cross, solved), problem.right, p);
    pairs.correlations = eigen.values.cwiseMax(0).cwiseSqrt();
    pairs.right = std::move(eigen.vectors);
    pairs.left = product<double>(solved, pairs.right);
  } else {
    const Matrix<double> basis = krylov_basis(problem, left, right, columns);
    const Matrix<double> image = product<double>(problem.cross, basis), solved = left.solve(image);
    Matrix<double> squared = product_at<double>(image, solved);
    symmetrize<double>(squared);
    SymmetricEigen<double> eigen;
    eigen.compute(squared);
    const Matrix<double> leading = eigen.vectors().rightCols(p).rowwise().reverse();
    pairs.correlations = eigen.values().tail(p).reverse().cwiseMax(0).cwiseSqrt();
    pairs.right = product<double>(basis, leading);
    pairs.left = product<double>(solved, leading);
  }
  // X = B_x^-1 S_xy Y has X'B_x X = diag(rho^2).
  for (Index j = 0; j < p; ++j) pairs.left.col(j) /= std::max(pairs.correlations(j), 1e-150);
  pairs.left = left.restored(pairs.left);
  pairs.right = right.restored(pairs.right);
  return pairs;
}

}  // namespace landfall
