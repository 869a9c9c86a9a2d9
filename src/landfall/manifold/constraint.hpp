// h(x) = 0, the general constraint of the method. A custom constraint defines h and what the adjoint of
// its differential is; the Lagrange multiplier and the direction of the landing method follow.
//
//   // An ellipsoid cut by a plane: x'Qx = 1 and <c, x> = 0, for x of length n.
//   landfall::FunctionConstraint<double> slice({{n, 1}}, 2,
//       [&](const auto& x, auto& h) { h << x[0].col(0).dot(q * x[0].col(0)) - 1, c.dot(x[0].col(0)); },
//       [&](const auto& x, const auto& l, auto& out) { out[0] = 2 * l(0) * (q * x[0]) + l(1) * c; });
//   slice.value(point, h);                     // h(x)
//   slice.direction(point, gradient, psi);     // Psi(x)
//   slice.normal(point, h, normal);            // grad N(x); the landing field is Psi + omega grad N
//
// A class that derives from Constraint and overrides value_impl and adjoint_impl does the same, and may know
// a faster multiplier. manifold/check.hpp tells whether the adjoint is right. A constraint keeps scratch
// space between calls, so one constraint serves one thread at a time.
#pragma once

#include <landfall/linalg/types.hpp>
#include <landfall/manifold/multiplier.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace landfall {

/// Every function checks the sizes of what it reads and sets those of what it
/// writes; no output may be an input.
template <class S>
class Constraint {
 public:
  virtual ~Constraint() = default;

  /// Of the blocks of x.
  const std::vector<Shape>& shapes() const { return shapes_; }
  /// q, the number of scalar equations.
  Index size() const { return size_; }

  /// h(x), a vector of length q.
  void value(const Point<S>& x, Vector<S>& h) const;

  /// Dh(x)*[lambda].
  void adjoint(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const;

  /// grad N(x) = Dh(x)*[h] for h = h(x), where N = ||h||^2 / 2.
  void normal(const Point<S>& x, const Vector<S>& h, Point<S>& out) const { adjoint(x, h, out); }

  /// lambda(x) = (Dh(x)*)^+ [grad f(x)].
  void multiplier(const Point<S>& x, const Point<S>& gradient, Vector<S>& lambda) const;

  /// Psi(x), a relative ascent direction: orthogonal to the range of Dh(x)*, <Psi, grad f> >= rho ||Psi||^2.
  void direction(const Point<S>& x, const Point<S>& gradient, Point<S>& psi) const;

 protected:
  Constraint(std::vector<Shape> shapes, Index size);

  // What is written has its size already.
  virtual void value_impl(const Point<S>& x, Vector<S>& h) const = 0;
  virtual void adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const = 0;

  /// By least squares on Dh(x)* as a matrix, found by q adjoints. For d entries
  /// of x: O(d q^2) work, d q memory.
  virtual void multiplier_impl(const Point<S>& x, const Point<S>& gradient, Vector<S>& lambda) const;

  /// grad f - Dh(x)*[lambda(x)], the Riemannian gradient on the layer {h = h(x)}; rho = 1.
  virtual void direction_impl(const Point<S>& x, const Point<S>& gradient, Point<S>& psi) const;

 private:
  void check(const Point<S>& point, const char* name) const;
  void reshape(Point<S>& point) const;

  std::vector<Shape> shapes_;
  Index size_;
  mutable LeastSquares<S> least_squares_;
  mutable Vector<S> unit_, lambda_;
  mutable Point<S> column_;
};

template <class S>
using ConstraintPtr = std::shared_ptr<const Constraint<S>>;

/// A constraint from two functions, which find their outputs sized.
template <class S>
class FunctionConstraint final : public Constraint<S> {
 public:
  using Value = std::function<void(const Point<S>& x, Vector<S>& h)>;
  using Adjoint = std::function<void(const Point<S>& x, const Vector<S>& lambda, Point<S>& out)>;
  FunctionConstraint(std::vector<Shape> shapes, Index size, Value value, Adjoint adjoint);

 protected:
  void value_impl(const Point<S>& x, Vector<S>& h) const override { value_(x, h); }
  void adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const override {
    adjoint_(x, lambda, out);
  }

 private:
  Value value_;
  Adjoint adjoint_;
};

/// A symmetric p x p matrix as a vector of length p(p+1)/2: its upper triangle by columns, entries off the
/// diagonal times sqrt 2. Keeps norms and inner products, so the adjoint of a packed h is that of h itself at
/// the unpacked lambda. Sets the size of h.
template <class S>
void pack_symmetric(In<S> m, Vector<S>& h);

/// The inverse; m is p x p.
template <class S>
void unpack_symmetric(const Vector<S>& h, Out<S> m);

#define LANDFALL_CONSTRAINT(EXTERN, S)                       \
  EXTERN template class Constraint<S>;                       \
  EXTERN template class FunctionConstraint<S>;               \
  EXTERN template void pack_symmetric<S>(In<S>, Vector<S>&); \
  EXTERN template void unpack_symmetric<S>(const Vector<S>&, Out<S>);
LANDFALL_CONSTRAINT(extern, float)
LANDFALL_CONSTRAINT(extern, double)

}  // namespace landfall
