// The answers, in extended precision and from the rows themselves: no covariance is formed, so that no condition number is
// squared. (LAPACK has no extended precision; Eigen's decompositions are templates.)
#pragma once

#include <landfall/linalg/types.hpp>

#include <algorithm>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace landfall::torture {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

inline LongMatrix centred(const Matrix<double>& rows) {
  LongMatrix m = rows.cast<Long>();
  return m.rowwise() - m.colwise().mean().eval();
}

/// Columns of unit length; constant ones, whose rounding is not theirs, become zero.
inline LongMatrix scaled(LongMatrix m, const Matrix<double>& rows) {
  for (Index j = 0; j < m.cols(); ++j) {
    const Long length = m.col(j).norm();
    const bool constant = (rows.col(j).array() == rows(0, j)).all();
    if (constant || length == 0)
      m.col(j).setZero();
    else
      m.col(j) /= length;
  }
  return m;
}

struct Basis {
  LongMatrix q;        // orthonormal, of what the columns span
  Long condition = 1;  // of the columns of unit length, within it
};

/// Singular values below 1e-14 of the largest are rounding of the doubles that the rows are.
inline Basis basis(const LongMatrix& columns) {
  if (columns.cols() == 0 || columns.norm() == 0) return {LongMatrix(columns.rows(), 0), 1};
  Eigen::JacobiSVD<LongMatrix> svd(columns, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const auto& values = svd.singularValues();
  Index rank = 0;
  while (rank < values.size() && values(rank) > Long(1e-14) * values(0)) ++rank;
  return {svd.matrixU().leftCols(rank), values(0) / values(std::max<Index>(0, rank - 1))};
}

struct CcaReference {
  Vector<double> correlations;  // descending, as many as the smaller rank
  double condition = 1;
  Index rank[2] = {0, 0};
};

inline CcaReference cca_reference(const Matrix<double>& left, const Matrix<double>& right) {
  const Basis x = basis(scaled(centred(left), left)), y = basis(scaled(centred(right), right));
  CcaReference result;
  result.rank[0] = x.q.cols();
  result.rank[1] = y.q.cols();
  result.condition = static_cast<double>(std::max(x.condition, y.condition));
  if (x.q.cols() == 0 || y.q.cols() == 0) return result;
  Eigen::JacobiSVD<LongMatrix> svd(LongMatrix(x.q.transpose() * y.q));
  result.correlations = svd.singularValues().cast<double>().cwiseMin(1.0);
  return result;
}

/// mu = lambda / (1 + lambda), the share of the variance that lies between the classes: between 0 and 1, descending.
struct LdaReference {
  Vector<double> shares;
  double condition = 1;
  Index rank = 0;
};

inline LdaReference lda_reference(const Matrix<double>& rows, const std::vector<std::uint32_t>& classes,
                                  Index c) {
  const Basis x = basis(scaled(centred(rows), rows));
  LongMatrix members = LongMatrix::Zero(rows.rows(), c);
  for (Index i = 0; i < rows.rows(); ++i) members(i, classes[static_cast<std::size_t>(i)]) = 1;
  const Basis y = basis(LongMatrix(members.rowwise() - members.colwise().mean().eval()));
  LdaReference result;
  result.rank = x.q.cols();
  result.condition = static_cast<double>(x.condition);
  if (x.q.cols() == 0 || y.q.cols() == 0) return result;
  Eigen::JacobiSVD<LongMatrix> svd(LongMatrix(x.q.transpose() * y.q));
  result.shares = svd.singularValues().cast<double>().cwiseAbs2().cwiseMin(1.0);
  return result;
}

/// All eigenvalues, descending; none where B is not positive definite.
inline LongVector gevp_reference(const Matrix<double>& a, const Matrix<double>& b) {
  const Eigen::LLT<LongMatrix> factor(b.cast<Long>());
  if (factor.info() != Eigen::Success) return {};
  const LongMatrix half = factor.matrixL().solve(a.cast<Long>());
  LongMatrix c = factor.matrixL().solve(LongMatrix(half.transpose()));
  c = (c + c.transpose()).eval() / 2;
  return Eigen::SelfAdjointEigenSolver<LongMatrix>(c, Eigen::EigenvaluesOnly).eigenvalues().reverse();
}

}  // namespace landfall::torture
