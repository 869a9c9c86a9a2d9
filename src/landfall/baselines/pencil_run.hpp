// What the methods that see all of A and B share: start, stopping criteria and report. The clock stands still while
// convergence is checked and while the observer runs.
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

  /// The start of the options, or random B-orthonormal columns: p, or as many as are asked for.
  Matrix<S> start(Index columns = 0) const;

  /// To be called at every iterate x with g = grad f (or -A x) and y = B x. The residual is
  /// ||G - Y P^-1 sym(X'G)|| / ||G|| with P = X'Y: 0 at critical points whatever the basis. False: converged,
  /// out of iterations, without progress over the last 2000 of them, diverged, or the observer said so.
  bool goes_on(In<S> x, In<S> g, In<S> y, double objective = 0, double step = 0);
  /// The same for a method that has no use for y.
  bool goes_on(In<S> x, In<S> g, double objective, double step);
  /// The same with a residual of the method's own.
  bool goes_on(double residual, double infeasibility, double objective, double step, const Point<S>& x);

  std::uint64_t iteration() const { return result_.progress.iteration; }
  double residual() const { return result_.progress.stationarity; }
  double infeasibility() const { return result_.progress.infeasibility; }
  double tolerance() const { return tolerance_; }

  Result<S> finish(Point<S> x);
  Result<S> finish(const Matrix<S>& x) { return finish(Point<S>{x}); }

 private:
  using Clock = std::chrono::steady_clock;
  /// Stops the clock for as long as it lives.
  struct Pause {
    explicit Pause(PencilRun& paused);
    ~Pause() { run.began_ += Clock::now() - from; }
    PencilRun& run;
    Clock::time_point from;
  };

  bool compare(In<S> x, In<S> g, In<S> y, double objective, double step);
  bool record(double residual, double infeasibility, double objective, double step, const Point<S>& x);

  const SymmetricOperator<S>& b_;
  const BaselineOptions<S>& options_;
  bool feasible_;
  double tolerance_;
  Result<S> result_;
  double best_ = 1e300;
  std::uint64_t best_at_ = 0, limit_, record_every_ = 1;
  Clock::time_point began_ = Clock::now();
};

extern template class PencilRun<float>;
extern template class PencilRun<double>;

}  // namespace landfall
