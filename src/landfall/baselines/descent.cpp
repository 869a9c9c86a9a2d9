#include <landfall/baselines/descent.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/manifold/retraction.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace landfall {

template <class S>
void StiefelState<S>::update(const StiefelProblem<S>& problem) {
  g.resize(x.rows(), x.cols());
  y.resize(x.rows(), x.cols());
  f = problem.f(x, &g);
  problem.b->apply(x, y);
  h.resize(x.cols(), x.cols());
  multiply_at<S>(x, y, h);
  h.diagonal().array() -= 1;
}

template <class S>
S multiplier_bound(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  StiefelState<S> at;
  at.x = PencilRun<S>(*problem.b, options).start();
  S largest = 0;
  for (int k = 0; k < 10; ++k) {
    at.update(problem);
    largest = std::max(largest, (at.x.transpose() * at.g).norm());
    if (!(at.g.norm() > 0)) break;
    at.x = orthonormalize<S>(*problem.b, at.x - (at.x.norm() / at.g.norm()) * at.g);
  }
  return std::max(largest, std::numeric_limits<S>::min());
}

template <class S>
Descent<S>::Descent(const StiefelProblem<S>& problem, const BaselineOptions<S>& options, bool feasible)
    : problem_(problem), options_(options), run_(*problem.b, options, feasible) {
  at_.x = run_.start();
  at_.update(problem);
}

template <class S>
S Descent<S>::multiplier_scale() {
  if (!(scale_ > 0)) scale_ = multiplier_bound(problem_, options_);
  return scale_;
}

/// The step of the options is taken as it is. Otherwise: the two quotients in turn; the first step is as long as the
/// curvature of the constraint allows. None of these moves X by more than a third of its size.
template <class S>
S Descent<S>::step_length(const Matrix<S>& x, const Matrix<S>& d) {
  if (options_.step > 0) return static_cast<S>(options_.step);
  const S size = d.norm(), longest = size > 0 ? x.norm() / (3 * size) : S(0);
  if (last_x_.size() == 0)
    return std::min(S(0.1) / (largest_eigenvalue(*problem_.b, options_.seed) * multiplier_scale()), longest);
  const Matrix<S> s = x - last_x_, v = d - last_d_;
  const S sv = std::abs(s.cwiseProduct(v).sum()), ss = s.squaredNorm(), vv = v.squaredNorm();
  const S step = run_.iteration() % 2 == 1 ? (vv > 0 ? sv / vv : longest) : (sv > 0 ? ss / sv : longest);
  return std::min(step, longest);
}

template <class S>
Result<S> Descent<S>::run(const Direction& direction, const Correction& correction) {
  S step = 0;
  while (run_.goes_on(at_.x, at_.g, at_.y, static_cast<double>(at_.f), static_cast<double>(step))) {
    const Matrix<S> d = direction(at_);
    step = step_length(at_.x, d);
    last_x_ = at_.x;
    last_d_ = d;
    at_.x -= step * d;
    if (correction) correction(at_.x, last_x_);
    at_.update(problem_);
  }
  return run_.finish(at_.x);
}

LANDFALL_DESCENT(, float)
LANDFALL_DESCENT(, double)

}  // namespace landfall
