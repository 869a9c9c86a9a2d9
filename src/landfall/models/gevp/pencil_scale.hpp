// A and B brought near 1 by powers of two, so that no scale of them overflows in products and norms of a method.
//
//   landfall::OperatorPtr<double> a, b;
//   const landfall::ScaledPencil<double> scaled(a, b);
//   auto pairs = landfall::rayleigh_ritz<double>(*scaled.a(), *scaled.b(), x);
//   scaled.restore(pairs);    // of A x = lambda B x
#pragma once

#include <landfall/models/gevp/eigenpairs.hpp>

namespace landfall {

template <class S>
class ScaledPencil {
 public:
  /// Entries between 2^-128 and 2^128 (2^-32 and 2^32 in single precision) are left as they are, and so nothing
  /// is copied. The size of an operator that is no matrix is that of a product with it.
  ScaledPencil(OperatorPtr<S> a, OperatorPtr<S> b);

  const OperatorPtr<S>& a() const { return a_; }
  const OperatorPtr<S>& b() const { return b_; }

  /// Eigenpairs of the scaled pencil become those of the given one. NumericalError where an eigenvalue is too
  /// large or too small for S.
  void restore(Eigenpairs<S>& pairs) const;

 private:
  int exponent_a_, exponent_b_;  // A = 2^k of the scaled one; even for B
  OperatorPtr<S> a_, b_;
};

extern template class ScaledPencil<float>;
extern template class ScaledPencil<double>;

}  // namespace landfall
