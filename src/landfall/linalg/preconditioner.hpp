// K, a fixed symmetric positive definite guess at the inverse of B. Only ever applied to n x p blocks.
//
//   auto k = std::make_shared<landfall::DiagonalPreconditioner<double>>(b->diagonal().cwiseInverse());
//   k->apply(g, kg);            // kg = K g
//   k->apply_inverse(kg, g);    // for the metric of K^-1 (the trust region)
#pragma once

#include <landfall/linalg/operator.hpp>

namespace landfall {

template <class S>
class Preconditioner : public SymmetricOperator<S> {
 public:
  /// y = K^-1 x.
  void apply_inverse(In<S> x, Out<S> y) const;

 protected:
  using SymmetricOperator<S>::SymmetricOperator;
  virtual void apply_inverse_impl(In<S> x, Out<S> y) const = 0;
};

template <class S>
using PreconditionerPtr = std::shared_ptr<const Preconditioner<S>>;

/// K = I: the preconditioned direction is then the paper's own.
template <class S>
class IdentityPreconditioner final : public Preconditioner<S> {
 public:
  explicit IdentityPreconditioner(Index size) : Preconditioner<S>(size) {}

 protected:
  void apply_impl(In<S> x, Out<S> y) const override { y = x; }
  void apply_inverse_impl(In<S> x, Out<S> y) const override { y = x; }
};

/// K = diag(d), d > 0.
template <class S>
class DiagonalPreconditioner final : public Preconditioner<S> {
 public:
  explicit DiagonalPreconditioner(Vector<S> diagonal);

 protected:
  void apply_impl(In<S> x, Out<S> y) const override { y = diagonal_.asDiagonal() * x; }
  void apply_inverse_impl(In<S> x, Out<S> y) const override { y = inverse_.asDiagonal() * x; }

 private:
  Vector<S> diagonal_, inverse_;
};

/// K = V diag(1/(values + shift)) V' + (I - VV')/(tail + shift) for orthonormal V: the inverse of a rank-k
/// sketch of B whose remaining eigenvalues are all taken to be `tail`.
template <class S>
class SketchPreconditioner final : public Preconditioner<S> {
 public:
  SketchPreconditioner(Matrix<S> vectors, Vector<S> values, S tail, S shift);
  Index rank() const { return vectors_.cols(); }

 protected:
  void apply_impl(In<S> x, Out<S> y) const override;
  void apply_inverse_impl(In<S> x, Out<S> y) const override;

 private:
  void low_rank(const Vector<S>& weights, S base, In<S> x, Out<S> y) const;

  Matrix<S> vectors_;
  S base_;                    // 1/(tail + shift)
  Vector<S> excess_;          // 1/(values + shift) - base
  Vector<S> inverse_excess_;  // the same for K^-1
  mutable Matrix<S> projected_;
};

/// The user's own K and K^-1, for instance solves with a factor of B.
template <class S>
class CallbackPreconditioner final : public Preconditioner<S> {
 public:
  using Product = typename CallbackOperator<S>::Product;
  CallbackPreconditioner(Index size, Product product, Product inverse_product);

 protected:
  void apply_impl(In<S> x, Out<S> y) const override { product_(x, y); }
  void apply_inverse_impl(In<S> x, Out<S> y) const override { inverse_product_(x, y); }

 private:
  Product product_, inverse_product_;
};

/// K = B^-1 by a Cholesky factor of a dense B. Throws DataError when B is not positive definite.
template <class S>
PreconditionerPtr<S> inverse_preconditioner(Matrix<S> b);

#define LANDFALL_PRECONDITIONERS(EXTERN, S)        \
  EXTERN template class Preconditioner<S>;         \
  EXTERN template class IdentityPreconditioner<S>; \
  EXTERN template class DiagonalPreconditioner<S>; \
  EXTERN template class SketchPreconditioner<S>;   \
  EXTERN template class CallbackPreconditioner<S>; \
  EXTERN template PreconditionerPtr<S> inverse_preconditioner<S>(Matrix<S>);
LANDFALL_PRECONDITIONERS(extern, float)
LANDFALL_PRECONDITIONERS(extern, double)

}  // namespace landfall
