// The general method: minimise f(x) subject to h(x) = 0 for any smooth h (manifold/constraint.hpp).
//
//   #include <landfall/landing/solver.hpp>
//   landfall::ConstraintOracle<double> oracle(f, constraint);
//   auto result = landfall::solve<double>(oracle, start);
#pragma once

#include <landfall/landing/oracle.hpp>
#include <landfall/manifold/constraint.hpp>
#include <landfall/manifold/objective.hpp>

namespace landfall {

template <class S>
class ConstraintOracle final : public ExactOracle<S> {
 public:
  ConstraintOracle(Objective<S> f, ConstraintPtr<S> constraint);

  const std::vector<Shape>& shapes() const override { return constraint_->shapes(); }
  void field(const Point<S>& x, const Pull& pull, FieldValue<S>& out) override;
  void tangent(const Point<S>& x, FieldValue<S>& out) override;
  void attract(const Point<S>& x, const Pull& pull, FieldValue<S>& out) override;
  double infeasibility(const Point<S>& x) override;
  double merit(const Point<S>& x, double beta) override;
  double slope() const override { return slope_; }
  double multiplier_size(const Point<S>& x) override;
  Restoration restore(Point<S>& x, double epsilon) override;
  double passes() const override { return static_cast<double>(counts_.gradients); }
  Counts counts() const override { return counts_; }

 private:
  Objective<S> f_;
  ConstraintPtr<S> constraint_;
  Point<S> gradient_, normal_, trial_gradient_;
  Vector<S> h_, trial_h_, multiplier_;
  double slope_ = 0;
  Counts counts_;
};

extern template class ConstraintOracle<float>;
extern template class ConstraintOracle<double>;

}  // namespace landfall
