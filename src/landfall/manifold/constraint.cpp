#include <landfall/errors.hpp>
#include <landfall/manifold/constraint.hpp>

#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace landfall {

template <class S>
Constraint<S>::Constraint(std::vector<Shape> shapes, Index size) : shapes_(std::move(shapes)), size_(size) {
  if (shapes_.empty()) throw UsageError("a constraint on a point of no blocks");
  for (const Shape& shape : shapes_)
    if (shape.rows < 1 || shape.cols < 1)
      throw UsageError(
          fmt::format("a constraint on a {}x{} block, expected at least 1x1", shape.rows, shape.cols));
  if (size_ < 1) throw UsageError(fmt::format("a constraint of {} equations, expected at least one", size_));
}

template <class S>
void Constraint<S>::check(const Point<S>& point, const char* name) const {
  if (point.size() != shapes_.size())
    throw UsageError(fmt::format("the {} has {} blocks, expected {}", name, point.size(), shapes_.size()));
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    if (Shape{point[i].rows(), point[i].cols()} != shapes_[i])
      throw UsageError(fmt::format("block {} of the {} is {}x{}, but the constraint is on {}x{}", i, name,
                                   point[i].rows(), point[i].cols(), shapes_[i].rows, shapes_[i].cols));
}

template <class S>
void Constraint<S>::reshape(Point<S>& point) const {
  point.resize(shapes_.size());
  for (std::size_t i = 0; i < shapes_.size(); ++i) point[i].resize(shapes_[i].rows, shapes_[i].cols);
}

template <class S>
void Constraint<S>::value(const Point<S>& x, Vector<S>& h) const {
  check(x, "point");
  h.resize(size_);
  value_impl(x, h);
}

template <class S>
void Constraint<S>::adjoint(const Point<S>& x, const Vector<S>& lambda, Point<S>& out) const {
  check(x, "point");
  if (lambda.size() != size_)
    throw UsageError(fmt::format("the multiplier has {} entries, but the constraint has {} equations",
                                 lambda.size(), size_));
  reshape(out);
  adjoint_impl(x, lambda, out);
}

template <class S>
void Constraint<S>::multiplier(const Point<S>& x, const Point<S>& gradient, Vector<S>& lambda) const {
  check(x, "point");
  check(gradient, "gradient");
  lambda.resize(size_);
  multiplier_impl(x, gradient, lambda);
}

template <class S>
void Constraint<S>::direction(const Point<S>& x, const Point<S>& gradient, Point<S>& psi) const {
  check(x, "point");
  check(gradient, "gradient");
  reshape(psi);
  direction_impl(x, gradient, psi);
}

template <class S>
void Constraint<S>::multiplier_impl(const Point<S>& x, const Point<S>& gradient, Vector<S>& lambda) const {
  Index entries = 0;
  for (const Shape& shape : shapes_) entries += shape.rows * shape.cols;
  least_squares_.resize(entries, size_);
  const auto flatten = [](const Point<S>& from, auto&& to) {
    Index start = 0;
    for (const Matrix<S>& block : from) {
      to.segment(start, block.size()) = block.reshaped();
      start += block.size();
    }
  };

  reshape(column_);
  unit_.setZero(size_);
  for (Index i = 0; i < size_; ++i) {
    unit_(i) = 1;
    adjoint_impl(x, unit_, column_);
    unit_(i) = 0;
    flatten(column_, least_squares_.matrix().col(i));
  }
  flatten(gradient, least_squares_.target());
  least_squares_.solve(lambda);
}

template <class S>
void Constraint<S>::direction_impl(const Point<S>& x, const Point<S>& gradient, Point<S>& psi) const {
  lambda_.resize(size_);
  multiplier_impl(x, gradient, lambda_);
  adjoint_impl(x, lambda_, psi);
  for (std::size_t i = 0; i < psi.size(); ++i) psi[i] = gradient[i] - psi[i];
}

template <class S>
FunctionConstraint<S>::FunctionConstraint(std::vector<Shape> shapes, Index size, Value value, Adjoint adjoint)
    : Constraint<S>(std::move(shapes), size), value_(std::move(value)), adjoint_(std::move(adjoint)) {
  if (!value_ || !adjoint_)
    throw UsageError("a constraint was given an empty function for its value or its adjoint");
}

template <class S>
void pack_symmetric(In<S> m, Vector<S>& h) {
  const Index p = m.rows();
  if (m.cols() != p)
    throw UsageError(fmt::format("packing a {}x{} matrix, expected a square one", p, m.cols()));
  h.resize(p * (p + 1) / 2);
  Index next = 0;
  for (Index j = 0; j < p; ++j) {
    for (Index i = 0; i < j; ++i) h(next++) = std::numbers::sqrt2_v<S> * m(i, j);
    h(next++) = m(j, j);
  }
}

template <class S>
void unpack_symmetric(const Vector<S>& h, Out<S> m) {
  const Index p = m.rows();
  if (m.cols() != p || h.size() != p * (p + 1) / 2)
    throw UsageError(fmt::format("unpacking {} entries into a {}x{} matrix, expected p(p+1)/2 into p x p",
                                 h.size(), p, m.cols()));
  Index next = 0;
  for (Index j = 0; j < p; ++j) {
    for (Index i = 0; i < j; ++i) m(i, j) = m(j, i) = h(next++) / std::numbers::sqrt2_v<S>;
    m(j, j) = h(next++);
  }
}

LANDFALL_CONSTRAINT(, float)
LANDFALL_CONSTRAINT(, double)

}  // namespace landfall
