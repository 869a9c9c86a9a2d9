// f and B given exactly: minimise f(X_1, X_2, ...) subject to X_i' B_i X_i = I.
// One product with each B per step.
//
//   #include <landfall/landing/solver.hpp>
//   landfall::StiefelOracle<double> oracle(f, {{.b = b, .components = 5}});
//   auto result = landfall::solve<double>(oracle, start);
#pragma once

#include <landfall/landing/oracle.hpp>
#include <landfall/manifold/field.hpp>
#include <landfall/manifold/multiplier.hpp>
#include <landfall/manifold/objective.hpp>

namespace landfall {

/// One factor of a product of generalized Stiefel manifolds.
template <class S>
struct StiefelBlock {
  OperatorPtr<S> b{};
  Index components = 1;  // p, the columns of X
  FieldOptions<S> field{};
};

template <class S>
class StiefelOracle : public ExactOracle<S> {
 public:
  StiefelOracle(Objective<S> f, std::vector<StiefelBlock<S>> blocks);

  const std::vector<Shape>& shapes() const override { return shapes_; }
  void field(const Point<S>& x, const Pull& pull, FieldValue<S>& out) override { evaluate(x, &pull, out); }
  void tangent(const Point<S>& x, FieldValue<S>& out) override { evaluate(x, nullptr, out); }
  void attract(const Point<S>& x, const Pull& pull, FieldValue<S>& out) override;
  std::optional<RayPolynomial> ray(const Point<S>& x, const Point<S>& direction) override;
  void moved(std::optional<double> step_along_ray) override;
  double infeasibility(const Point<S>& x) override;
  double merit(const Point<S>& x, double beta) override;
  double slope() const override { return slope_; }
  double multiplier_size(const Point<S>& x) override;
  Restoration restore(Point<S>& x, double epsilon) override;
  const Preconditioner<S>* metric(std::size_t block) const override {
    return blocks_[block].field.preconditioner.get();
  }
  double passes() const override { return static_cast<double>(counts_.gradients); }
  Counts counts() const override { return counts_; }

 protected:
  /// f and its gradient at x; `carried` says that gradient already holds
  /// grad f(x), brought along the last ray.
  virtual double objective(const Point<S>& x, Point<S>& gradient, bool carried);

  std::vector<StiefelBlock<S>> blocks_;
  Point<S> y_, g_;                     // B X and grad f(X), at the point of the last field()
  Point<S> z_;                         // B Lambda, of the last ray()
  std::vector<RayWorkspace<S>> rays_;  // S1 and S2 of the last ray()
  Counts counts_;

 private:
  void evaluate(const Point<S>& x, const Pull* pull, FieldValue<S>& out);
  void multiply_b(const Point<S>& x, Point<S>& y);

  Objective<S> f_;
  std::vector<Shape> shapes_;
  std::vector<StiefelField<S>> kernels_;
  std::vector<double> scales_;  // beta of the normal term: beta_1 for 2BXH, 1 for 2XH
  Point<S> trial_y_, trial_g_;
  Point<S> h_;  // p x p
  std::vector<LyapunovMultiplier<S>> multipliers_;
  double slope_ = 0;
  bool ray_known_ = false;
  bool carried_ = false;  // y_ (and g_ for a quadratic f) are those of the present point already
  int age_ = 0;           // steps since y_ was last multiplied afresh
};

/// f(X) = sign/2 tr X'AX: its gradient is carried along the ray with B X, so a step costs one product with A
/// and one with B, and the line search is closed form.
template <class S>
class QuadraticOracle final : public StiefelOracle<S> {
 public:
  /// sign -1 finds the largest eigenvalues of (A, B), +1 the smallest.
  QuadraticOracle(OperatorPtr<S> a, double sign, StiefelBlock<S> block);

  std::optional<RayPolynomial> ray(const Point<S>& x, const Point<S>& direction) override;
  void moved(std::optional<double> step_along_ray) override;

 protected:
  double objective(const Point<S>& x, Point<S>& gradient, bool carried) override;

 private:
  OperatorPtr<S> a_;
  S sign_;
  Matrix<S> v_;  // sign A Lambda
  Matrix<S> multiplier_;
};

extern template class StiefelOracle<float>;
extern template class StiefelOracle<double>;
extern template class QuadraticOracle<float>;
extern template class QuadraticOracle<double>;

}  // namespace landfall
