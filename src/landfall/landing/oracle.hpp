// What the method needs to know of a problem: the landing field at a point. f and the constraint may be exact
// (exact.hpp, constrained.hpp) or seen only through samples (sampled.hpp); the loop (solver.hpp) is the same.
//
//   landfall::FieldValue<double> value{.lambda = point};    // lambda must have the sizes of the point
//   oracle.field(point, {.attraction = 0.25, .step = 0.1}, value);
//   point[0] -= 0.1 * value.lambda[0];
#pragma once

#include <landfall/landing/result.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/state.hpp>
#include <landfall/linalg/types.hpp>
#include <landfall/manifold/safe_step.hpp>

#include <optional>
#include <vector>

namespace landfall {

/// How strongly the normal term pulls towards the manifold.
struct Pull {
  double attraction = 0.25;          // a = eta omega beta_1: stable in (0, 1/2), 1/4 is dead-beat for X H
  double step = 1;                   // eta, the step that a refers to
  std::optional<double> omega = {};  // given by hand: then a is not used

  /// omega for a block whose normal term has the scale beta.
  double weight(double beta) const;
};

template <class S>
struct FieldValue {
  Point<S> lambda;           // Lambda = Psi + omega N
  double objective = 0;      // f(x)
  double infeasibility = 0;  // ||h(x)||
  double stationarity = 0;   // scale free, see Progress
  double omega = 0;          // the largest over the blocks
};

template <class S>
class ExactOracle;

template <class S>
class FieldOracle {
 public:
  virtual ~FieldOracle() = default;

  virtual const std::vector<Shape>& shapes() const = 0;

  /// Lambda at x, with the normal term of the given strength. A sampled oracle reads one batch.
  virtual void field(const Point<S>& x, const Pull& pull, FieldValue<S>& out) = 0;

  /// Brings x into ||h|| <= epsilon by the normal term alone.
  virtual Restoration restore(Point<S>& x, double epsilon) = 0;

  /// K of a block, whose inverse is the metric of the trust region; null for the identity.
  virtual const Preconditioner<S>* metric(std::size_t) const { return nullptr; }

  virtual double passes() const = 0;
  virtual Counts counts() const = 0;

  /// Between two steps, to go on later; UsageError where that is not possible.
  virtual void state(State&) { throw UsageError("an oracle of this kind does not support checkpoints"); }

  /// More than the field, where f and the constraint are exact; null where they are sampled.
  virtual ExactOracle<S>* known() { return nullptr; }
};

/// f and the constraint are known exactly, so a step can be judged before it is taken.
template <class S>
class ExactOracle : public FieldOracle<S> {
 public:
  ExactOracle<S>* known() override { return this; }

  /// The two halves of field(), for steps whose length depends on Psi: first Psi, then Lambda = Psi + omega
  /// N. A second attract() adds to the first.
  virtual void tangent(const Point<S>& x, FieldValue<S>& out) = 0;
  virtual void attract(const Point<S>& x, const Pull& pull, FieldValue<S>& out) = 0;

  /// ||h||^2 (and f, where it is quadratic) along x - eta direction. The oracle may keep the products it
  /// made: moved() tells it that this step was taken, or (empty) that x changed in another way.
  virtual std::optional<RayPolynomial> ray(const Point<S>&, const Point<S>&) { return std::nullopt; }
  virtual void moved(std::optional<double> /*step_along_ray*/) {}

  /// ||h(x)|| at any x.
  virtual double infeasibility(const Point<S>& x) = 0;

  /// Fletcher's augmented Lagrangian f - <h, lambda> + beta ||h||^2 at any x.
  virtual double merit(const Point<S>& x, double beta) = 0;

  /// At the point of the last tangent(): <Psi, grad f>, and the size of the multiplier, which is the scale of
  /// a beta that makes the merit function exact.
  virtual double slope() const = 0;
  virtual double multiplier_size(const Point<S>& x) = 0;
};

}  // namespace landfall
