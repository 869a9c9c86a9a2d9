#include <landfall/errors.hpp>
#include <landfall/landing/constrained.hpp>
#include <landfall/manifold/fletcher.hpp>

#include <cmath>

namespace landfall {

template <class S>
ConstraintOracle<S>::ConstraintOracle(Objective<S> f, ConstraintPtr<S> constraint)
    : f_(std::move(f)), constraint_(std::move(constraint)) {
  if (!f_ || !constraint_) throw UsageError("an oracle needs an objective and a constraint");
  resize(gradient_, constraint_->shapes());
  normal_ = trial_gradient_ = gradient_;
}

template <class S>
void ConstraintOracle<S>::tangent(const Point<S>& x, FieldValue<S>& out) {
  out.objective = static_cast<double>(f_(x, &gradient_));
  ++counts_.gradients;
  constraint_->value(x, h_);
  constraint_->direction(x, gradient_, out.lambda);
  out.omega = 0;
  out.infeasibility = static_cast<double>(h_.norm());
  const double scale = static_cast<double>(norm(gradient_));
  out.stationarity = scale > 0 ? static_cast<double>(norm(out.lambda)) / scale : 0;
  slope_ = static_cast<double>(inner(out.lambda, gradient_));
}

template <class S>
void ConstraintOracle<S>::attract(const Point<S>& x, const Pull& pull, FieldValue<S>& out) {
  constraint_->normal(x, h_, normal_);
  const double length = static_cast<double>(norm(normal_));
  if (!(length > 0) || !(out.infeasibility > 0)) return;
  // The Rayleigh quotient of Dh Dh* at h stands for 4 beta_1; at a = 1/4 this is the Polyak step
  // ||h||^2/||grad N||^2, which needs no bound on Dh.
  const double omega = pull.weight(std::pow(length / out.infeasibility, 2) / 4);
  for (std::size_t i = 0; i < x.size(); ++i) out.lambda[i] += static_cast<S>(omega) * normal_[i];
  out.omega += omega;
}

template <class S>
void ConstraintOracle<S>::field(const Point<S>& x, const Pull& pull, FieldValue<S>& out) {
  tangent(x, out);
  attract(x, pull, out);
}

template <class S>
double ConstraintOracle<S>::infeasibility(const Point<S>& x) {
  constraint_->value(x, trial_h_);
  return static_cast<double>(trial_h_.norm());
}

template <class S>
double ConstraintOracle<S>::merit(const Point<S>& x, double beta) {
  const S value = f_(x, &trial_gradient_);
  ++counts_.gradients;
  return static_cast<double>(
      fletcher_merit(*constraint_, value, trial_gradient_, x, static_cast<S>(beta)).merit);
}

template <class S>
double ConstraintOracle<S>::multiplier_size(const Point<S>& x) {
  constraint_->multiplier(x, gradient_, multiplier_);
  return static_cast<double>(multiplier_.norm());
}

template <class S>
Restoration ConstraintOracle<S>::restore(Point<S>& x, double epsilon) {
  constexpr int limit = 1000;
  Restoration done;
  for (;; ++done.steps) {
    done.to = infeasibility(x);
    if (done.steps == 0) done.from = done.to;
    if (done.to <= (done.steps == 0 ? epsilon : epsilon / 2) || done.steps == limit) return done;
    constraint_->normal(x, trial_h_, normal_);
    const double length = static_cast<double>(norm(normal_));
    if (!(length > 0) || !std::isfinite(length)) return done;
    const double step = std::pow(done.to / length, 2);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= static_cast<S>(step) * normal_[i];
  }
}

template class ConstraintOracle<float>;
template class ConstraintOracle<double>;

}  // namespace landfall
