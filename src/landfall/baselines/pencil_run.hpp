// What the methods that see all of A and B share: where they start, when they stop, what they report.
//
//   landfall::PencilRun<double> run(*b, {.components = 5});
//   landfall::Matrix<double> w = run.start();                   // random, B-orthonormal
//   while (run.goes_on(w, g, y)) w -= eta * g;                  // at w: g = grad f, y = B w
//   const landfall::Result<double> result = run.finish(w);
#pragma once

#include <landfall/baselines/registry.hpp>

#include <chrono>

namespace landfall {

template <class S>
class PencilRun {
 public:
  /// feasible: whether X'BX = I is asked for too before the run is called converged.
  PencilRun(const SymmetricOperator<S>& b, const BaselineOptions<S>& options, bool feasible = true);

  /// Random B-orthonormal columns; more than p where so many are asked for.
  Matrix<S> start(Index columns = 0) const;

  /// To be called at every iterate x with g = grad f (or -A x) and y = B x. The residual is
  /// ||G - Y P^-1 sym(X'G)|| / ||G|| with P = X'Y: 0 at critical points whatever the basis. False: converged,
  /// out of iterations, without progress over the last 2000 of them, diverged, or the observer said so.
  bool goes_on(In<S> x, In<S> g, In<S> y, double objective = 0, double step = 0);
  /// The same with a residual of the method's own.
  bool goes_on(double residual, double infeasibility, double objective, double step, const Point<S>& x);

  std::uint64_t iteration() const { return result_.progress.iteration; }
  double residual() const { return result_.progress.stationarity; }
  double infeasibility() const { return result_.progress.infeasibility; }
  double tolerance() const { return tolerance_; }

  Result<S> finish(Point<S> x);
  Result<S> finish(const Matrix<S>& x) { return finish(Point<S>{x}); }

 private:
  const SymmetricOperator<S>& b_;
  const BaselineOptions<S>& options_;
  bool feasible_;
  double tolerance_;
  Result<S> result_;
  double best_ = 1e300;
  std::uint64_t best_at_ = 0, limit_, record_every_ = 1;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

extern template class PencilRun<float>;
extern template class PencilRun<double>;

}  // namespace landfall
