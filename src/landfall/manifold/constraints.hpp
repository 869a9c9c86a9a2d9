// Built-in constraints: unit norm, unit columns, orthonormal and B-orthonormal columns, products.
//
//   auto one = std::make_shared<landfall::GeneralizedStiefelConstraint<double>>(b, 5);   // X'BX = I, p = 5
//   auto two = std::make_shared<landfall::StiefelConstraint<double>>(n, 3);              // V'V = I, p = 3
//   landfall::ProductConstraint<double> both({one, two});                                // of points {X, V}
#pragma once

#include <landfall/linalg/operator.hpp>
#include <landfall/manifold/constraint.hpp>
#include <landfall/manifold/field.hpp>

namespace landfall {

/// h(x) = ||x||^2 - 1, in the Frobenius norm for a matrix x.
template <class S>
class SphereConstraint final : public Constraint<S> {
 public:
  explicit SphereConstraint(Index rows, Index cols = 1) : Constraint<S>({{rows, cols}}, 1) {}

 protected:
  void value_impl(const Point<S>& x, Vector<S>& h) const override;
  void adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const override;
  /// <x, G> / (2 ||x||^2); 0 at x = 0.
  void multiplier_impl(const Point<S>& x, const Point<S>& gradient, Vector<S>& lambda) const override;
};

/// Columns of length one: h_j(X) = ||x_j||^2 - 1.
template <class S>
class ObliqueConstraint final : public Constraint<S> {
 public:
  ObliqueConstraint(Index rows, Index cols) : Constraint<S>({{rows, cols}}, cols) {}

 protected:
  void value_impl(const Point<S>& x, Vector<S>& h) const override;
  void adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const override;
  /// <x_j, g_j> / (2 ||x_j||^2); 0 where x_j = 0.
  void multiplier_impl(const Point<S>& x, const Point<S>& gradient, Vector<S>& lambda) const override;
};

/// h(X) = X'BX - I, packed (pack_symmetric), X with p columns. B is taken to be fixed: its product with the
/// point last seen is kept, so value, direction and normal at one point cost one product with B. As relative
/// ascent direction (field.hpp) it takes Direction::euclidean, Psi_E with rho = 1, or Direction::metric, Psi_B
/// with rho = 1/(2 beta_1 (1 + eps)), which needs products alone; UsageError for the others.
template <class S>
class GeneralizedStiefelConstraint : public Constraint<S> {
 public:
  GeneralizedStiefelConstraint(OperatorPtr<S> b, Index p, Direction direction = Direction::euclidean);

 protected:
  void value_impl(const Point<S>& x, Vector<S>& h) const final;
  void adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const final;
  void multiplier_impl(const Point<S>& x, const Point<S>& gradient, Vector<S>& lambda) const final;
  void direction_impl(const Point<S>& x, const Point<S>& gradient, Point<S>& psi) const final;

 private:
  const Matrix<S>& product(const Matrix<S>& x) const;

  OperatorPtr<S> b_;
  mutable StiefelField<S> field_;
  mutable LyapunovMultiplier<S> lyapunov_;
  mutable Matrix<S> x_, y_;     // the point last seen and B times it,
  mutable bool known_ = false;  // if there is one
  mutable Matrix<S> small_;     // p x p
};

/// Orthonormal columns: h(X) = X'X - I, packed.
template <class S>
class StiefelConstraint final : public GeneralizedStiefelConstraint<S> {
 public:
  StiefelConstraint(Index n, Index p, Direction direction = Direction::euclidean);
};

/// Several constraints, each on its own blocks. Points, h and lambda are those of the parts, one after the
/// other, and the multiplier and the direction are each part's own.
template <class S>
class ProductConstraint final : public Constraint<S> {
 public:
  explicit ProductConstraint(std::vector<ConstraintPtr<S>> parts);

 protected:
  void value_impl(const Point<S>& x, Vector<S>& h) const override;
  void adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const override;
  void multiplier_impl(const Point<S>& x, const Point<S>& gradient, Vector<S>& lambda) const override;
  void direction_impl(const Point<S>& x, const Point<S>& gradient, Point<S>& psi) const override;

 private:
  struct Part {
    ConstraintPtr<S> constraint;
    std::size_t first_block;
    Index first_equation;
    mutable Point<S> x{}, gradient{}, out{};  // copies of the part's own blocks
    mutable Vector<S> equations{};            // its part of h or lambda
  };
  std::vector<Part> parts_;
};

#define LANDFALL_CONSTRAINTS(EXTERN, S)                  \
  EXTERN template class SphereConstraint<S>;             \
  EXTERN template class ObliqueConstraint<S>;            \
  EXTERN template class GeneralizedStiefelConstraint<S>; \
  EXTERN template class StiefelConstraint<S>;            \
  EXTERN template class ProductConstraint<S>;
LANDFALL_CONSTRAINTS(extern, float)
LANDFALL_CONSTRAINTS(extern, double)

}  // namespace landfall
