#include <landfall/errors.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/manifold/constraints.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

// <x, g> / (2 ||x||^2) without overflow between; 0 where ||x||^2 underflows, since Dh(x) is zero there.
template <class X, class G>
auto unit_norm_multiplier(const X& x, const G& g) {
  using S = typename X::Scalar;
  const S length = x.stableNorm();
  if (!(length > std::sqrt(std::numeric_limits<S>::min()))) return S(0);
  return (x / length).cwiseProduct(g).sum() / (2 * length);
}

template <class S>
std::vector<Shape> generalized_stiefel_shapes(const OperatorPtr<S>& b, Index p) {
  if (!b) throw UsageError("the generalized Stiefel constraint needs an operator B");
  if (p < 1 || p > b->size())
    throw UsageError(
        fmt::format("{} B-orthonormal columns of length {}, expected 1 to {}", p, b->size(), b->size()));
  return {{b->size(), p}};
}

template <class S>
const std::vector<ConstraintPtr<S>>& checked(const std::vector<ConstraintPtr<S>>& parts) {
  for (const auto& part : parts)
    if (!part) throw UsageError("a product of constraints was given an empty pointer");
  return parts;
}

template <class S>
std::vector<Shape> concatenated_shapes(const std::vector<ConstraintPtr<S>>& parts) {
  std::vector<Shape> shapes;
  for (const auto& part : checked(parts))
    shapes.insert(shapes.end(), part->shapes().begin(), part->shapes().end());
  return shapes;
}

template <class S>
Index total_size(const std::vector<ConstraintPtr<S>>& parts) {
  Index size = 0;
  for (const auto& part : checked(parts)) size += part->size();
  return size;
}

// The blocks of `whole` that belong to a part, copied; and back, exchanged.
template <class S>
void take(const Point<S>& whole, std::size_t first, std::size_t count, Point<S>& part) {
  part.resize(count);
  for (std::size_t i = 0; i < count; ++i) part[i] = whole[first + i];
}
template <class S>
void give(Point<S>& part, std::size_t first, Point<S>& whole) {
  for (std::size_t i = 0; i < part.size(); ++i) part[i].swap(whole[first + i]);
}

}  // namespace

template <class S>
void SphereConstraint<S>::value_impl(const Point<S>& x, Vector<S>& h) const {
  h(0) = x[0].squaredNorm() - 1;
}

template <class S>
void SphereConstraint<S>::adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const {
  out[0] = 2 * lambda(0) * x[0];
}

template <class S>
void SphereConstraint<S>::multiplier_impl(const Point<S>& x, const Point<S>& gradient,
                                          Vector<S>& lambda) const {
  lambda(0) = unit_norm_multiplier(x[0].reshaped(), gradient[0].reshaped());
}

template <class S>
void ObliqueConstraint<S>::value_impl(const Point<S>& x, Vector<S>& h) const {
  h = (x[0].colwise().squaredNorm().array() - 1).transpose();
}

template <class S>
void ObliqueConstraint<S>::adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const {
  out[0] = 2 * x[0] * lambda.asDiagonal();
}

template <class S>
void ObliqueConstraint<S>::multiplier_impl(const Point<S>& x, const Point<S>& gradient,
                                           Vector<S>& lambda) const {
  for (Index j = 0; j < lambda.size(); ++j) lambda(j) = unit_norm_multiplier(x[0].col(j), gradient[0].col(j));
}

template <class S>
GeneralizedStiefelConstraint<S>::GeneralizedStiefelConstraint(OperatorPtr<S> b, Index p, Direction direction)
    : Constraint<S>(generalized_stiefel_shapes(b, p), p * (p + 1) / 2),
      b_(std::move(b)),
      field_({.direction = direction}),
      small_(p, p) {}

template <class S>
const Matrix<S>& GeneralizedStiefelConstraint<S>::product(const Matrix<S>& x) const {
  if (!known_ || x_ != x) {
    known_ = false;  // stays so when the product throws
    y_.resize(x.rows(), x.cols());
    b_->apply(x, y_);
    x_ = x;
    known_ = true;
  }
  return y_;
}

template <class S>
void GeneralizedStiefelConstraint<S>::value_impl(const Point<S>& x, Vector<S>& h) const {
  field_.measure(x[0], product(x[0]));
  pack_symmetric<S>(field_.residual(), h);
}

template <class S>
void GeneralizedStiefelConstraint<S>::adjoint_impl(const Point<S>& x, const Vector<S>& lambda,
                                                   Point<S>& out) const {
  unpack_symmetric<S>(lambda, small_);
  multiply<S>(product(x[0]), small_, out[0], 2);  // 2 B X lambda
}

template <class S>
void GeneralizedStiefelConstraint<S>::multiplier_impl(const Point<S>& x, const Point<S>& gradient,
                                                      Vector<S>& lambda) const {
  pack_symmetric<S>(lyapunov_.compute(product(x[0]), gradient[0]), lambda);
}

template <class S>
void GeneralizedStiefelConstraint<S>::direction_impl(const Point<S>& x, const Point<S>& gradient,
                                                     Point<S>& psi) const {
  const Matrix<S>& y = product(x[0]);
  field_(x[0], gradient[0], y, y, 0, psi[0]);
}

template <class S>
StiefelConstraint<S>::StiefelConstraint(Index n, Index p, Direction direction)
    : GeneralizedStiefelConstraint<S>(std::make_shared<IdentityPreconditioner<S>>(n), p, direction) {}

template <class S>
ProductConstraint<S>::ProductConstraint(std::vector<ConstraintPtr<S>> parts)
    : Constraint<S>(concatenated_shapes(parts), total_size(parts)) {
  std::size_t block = 0;
  Index equation = 0;
  for (auto& part : parts) {
    const std::size_t blocks = part->shapes().size();
    const Index equations = part->size();
    parts_.push_back({.constraint = std::move(part), .first_block = block, .first_equation = equation});
    block += blocks;
    equation += equations;
  }
}

template <class S>
void ProductConstraint<S>::value_impl(const Point<S>& x, Vector<S>& h) const {
  for (const Part& part : parts_) {
    take(x, part.first_block, part.constraint->shapes().size(), part.x);
    part.constraint->value(part.x, part.equations);
    h.segment(part.first_equation, part.equations.size()) = part.equations;
  }
}

template <class S>
void ProductConstraint<S>::adjoint_impl(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const {
  for (const Part& part : parts_) {
    take(x, part.first_block, part.constraint->shapes().size(), part.x);
    part.equations = lambda.segment(part.first_equation, part.constraint->size());
    part.constraint->adjoint(part.x, part.equations, part.out);
    give(part.out, part.first_block, out);
  }
}

template <class S>
void ProductConstraint<S>::multiplier_impl(const Point<S>& x, const Point<S>& gradient,
                                           Vector<S>& lambda) const {
  for (const Part& part : parts_) {
    take(x, part.first_block, part.constraint->shapes().size(), part.x);
    take(gradient, part.first_block, part.constraint->shapes().size(), part.gradient);
    part.constraint->multiplier(part.x, part.gradient, part.equations);
    lambda.segment(part.first_equation, part.equations.size()) = part.equations;
  }
}

template <class S>
void ProductConstraint<S>::direction_impl(const Point<S>& x, const Point<S>& gradient, Point<S>& psi) const {
  for (const Part& part : parts_) {
    take(x, part.first_block, part.constraint->shapes().size(), part.x);
    take(gradient, part.first_block, part.constraint->shapes().size(), part.gradient);
    part.constraint->direction(part.x, part.gradient, part.out);
    give(part.out, part.first_block, psi);
  }
}

LANDFALL_CONSTRAINTS(, float)
LANDFALL_CONSTRAINTS(, double)

}  // namespace landfall
