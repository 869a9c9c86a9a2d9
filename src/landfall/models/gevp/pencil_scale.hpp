// A and B brought near 1 by powers of two, so that no scale of them overflows in products and norms of a method, and the
// variables in units in which the diagonal of B is even, so that no residual is hidden behind a larger one.
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
  /// is copied; so are variables where the entries on the diagonal of B differ by a factor of at most 1024. The size of an operator that is no matrix is that of a product with it.
  ScaledPencil(OperatorPtr<S> a, OperatorPtr<S> b);

  const OperatorPtr<S>& a() const { return a_; }
  const OperatorPtr<S>& b() const { return b_; }

  /// Eigenpairs of the scaled pencil become those of the given one. NumericalError where an eigenvalue is too
  /// large or too small for S.
  void restore(Eigenpairs<S>& pairs) const;

 private:
  Vector<S> units_;  // D: the scaled matrices are those of D A D and D B D
  OperatorPtr<S> a_, b_;
  int exponent_a_, exponent_b_;  // A = 2^k of the scaled one; even for B
};

extern template class ScaledPencil<float>;
extern template class ScaledPencil<double>;

}  // namespace landfall
