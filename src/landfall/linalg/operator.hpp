// B as an operator: something symmetric that n x p blocks can be multiplied with, and nothing more.
//
//   // B = data'data/N + 1e-3 I for N samples as rows, never formed
//   auto b = std::make_shared<landfall::GramOperator<double>>(data, 1e-3);
//   landfall::Matrix<double> y(b->size(), x.cols());
//   b->apply(x, y);    // y = B x
//
// An operator keeps scratch space between calls, so one operator serves one thread at a time.
#pragma once

#include <landfall/linalg/types.hpp>

#include <functional>
#include <memory>

#include <Eigen/SparseCore>

namespace landfall {

template <class S>
class SymmetricOperator {
 public:
  virtual ~SymmetricOperator() = default;

  Index size() const { return size_; }

  /// y = B x. Sizes are checked; x and y must not overlap.
  void apply(In<S> x, Out<S> y) const;

  /// The diagonal of B where it is known without a product; empty otherwise.
  virtual Vector<S> diagonal() const { return {}; }

 protected:
  explicit SymmetricOperator(Index size) : size_(size) {}
  virtual void apply_impl(In<S> x, Out<S> y) const = 0;

 private:
  Index size_;
};

template <class S>
using OperatorPtr = std::shared_ptr<const SymmetricOperator<S>>;

/// A symmetric matrix, given whole. Both triangles are read.
template <class S>
class DenseOperator final : public SymmetricOperator<S> {
 public:
  explicit DenseOperator(Matrix<S> b);
  const Matrix<S>& matrix() const { return b_; }
  Vector<S> diagonal() const override { return b_.diagonal(); }

 protected:
  void apply_impl(In<S> x, Out<S> y) const override;

 private:
  Matrix<S> b_;
};

/// A symmetric sparse matrix with both triangles stored.
template <class S>
class SparseOperator final : public SymmetricOperator<S> {
 public:
  explicit SparseOperator(Eigen::SparseMatrix<S> b);
  const Eigen::SparseMatrix<S>& matrix() const { return b_; }
  Vector<S> diagonal() const override { return b_.diagonal(); }

 protected:
  void apply_impl(In<S> x, Out<S> y) const override;

 private:
  Eigen::SparseMatrix<S> b_;
};

/// A'A/N + ridge I for N samples as rows of A, without forming it: O(Nnp) work, blocks of rows at a time.
template <class S>
class GramOperator final : public SymmetricOperator<S> {
 public:
  explicit GramOperator(RowMatrix<S> samples, S ridge = 0);
  Vector<S> diagonal() const override;

 protected:
  void apply_impl(In<S> x, Out<S> y) const override;

 private:
  RowMatrix<S> samples_;
  S ridge_;
  mutable Matrix<S> projected_;  // A x for one block of rows
};

/// U U' + diag(d).
template <class S>
class LowRankOperator final : public SymmetricOperator<S> {
 public:
  LowRankOperator(Matrix<S> factor, Vector<S> diagonal);
  Vector<S> diagonal() const override;

 protected:
  void apply_impl(In<S> x, Out<S> y) const override;

 private:
  Matrix<S> factor_;
  Vector<S> diagonal_;
  mutable Matrix<S> projected_;
};

/// Whatever the caller can multiply with: y = B x.
template <class S>
class CallbackOperator final : public SymmetricOperator<S> {
 public:
  using Product = std::function<void(In<S> x, Out<S> y)>;
  CallbackOperator(Index size, Product product);

 protected:
  void apply_impl(In<S> x, Out<S> y) const override { product_(x, y); }

 private:
  Product product_;
};

/// B as a matrix, by n/64 products with blocks of the identity. For direct methods and tests: n^2 memory.
template <class S>
Matrix<S> to_dense(const SymmetricOperator<S>& b);

/// The largest eigenvalue of a positive semidefinite B, from above: Rayleigh quotient plus residual after a
/// short power iteration, so that steps scaled by it are stable.
template <class S>
S largest_eigenvalue(const SymmetricOperator<S>& b, std::uint64_t seed = 0);

#define LANDFALL_OPERATORS(EXTERN, S)                                 \
  EXTERN template class SymmetricOperator<S>;                         \
  EXTERN template class DenseOperator<S>;                             \
  EXTERN template class SparseOperator<S>;                            \
  EXTERN template class GramOperator<S>;                              \
  EXTERN template class LowRankOperator<S>;                           \
  EXTERN template class CallbackOperator<S>;                          \
  EXTERN template Matrix<S> to_dense<S>(const SymmetricOperator<S>&); \
  EXTERN template S largest_eigenvalue<S>(const SymmetricOperator<S>&, std::uint64_t);
LANDFALL_OPERATORS(extern, float)
LANDFALL_OPERATORS(extern, double)

}  // namespace landfall
