// grad f and B X at a moving point, from all batches so far, in the memory of a few points.
//
//   landfall::RecursiveMean<double> mean(samples->shapes());
//   mean.add(*samples, samples->draw(128), point, 0.05);    // X moved by 5 % since the last batch
//   use(mean.gradient()[0], mean.bx()[0]);
//
// With m_t the mean over batch t (of the gradient, or of B X) and g_t a gain,
//   E_t = (1 - g_t) (E_{t-1} + m_t(X_t) - m_t(X_{t-1})) + g_t m_t(X_t):
// the old estimate is carried along to the new point by the new batch, then the two are averaged (STORM,
// Cutkosky and Orabona 2019). The gain is Kalman's, so it needs no tuning: with the variance of one row as
// the unit, a batch of r rows measures with variance 1/r, carrying adds d^2/r where d = ||X_t - X_{t-1}||
// over ||X_t||, and
//   v <- v + d^2/r,   g = v / (v + 1/r),   v <- g/r.
// If the point is at rest, g = 1/t gives the mean of all batches; if it moves, the last batches dominate.
//
// Beside it a second estimate restarts with each pass and weighs all rows of the pass alike. At the end
// of a pass it has no sampling error at all, only what carrying added, and takes over when that is less.
#pragma once

#include <landfall/landing/estimators/estimator.hpp>

namespace landfall {

template <class S>
class RecursiveMean {
 public:
  explicit RecursiveMean(const std::vector<Shape>& shapes);

  /// Takes in the current batch at x; `moved` is d. Returns the objective, estimated in the same way.
  double add(Samples<S>& samples, Index rows, const Point<S>& x, double moved);

  /// All samples of a pass were added. `variance` is that of their mean: 0 when they are all there are,
  /// 1/m when they are m of many.
  void end_pass(double variance);

  bool empty() const { return previous_.empty(); }
  const Point<S>& gradient() const { return working_.gradient; }
  const Point<S>& bx() const { return working_.bx; }
  /// X_{t-1}, for d.
  const Point<S>& previous() const { return previous_; }
  /// v: 1/v is the number of rows that the estimate is worth.
  double variance() const { return working_.variance; }

  void state(State& state);

 private:
  struct Estimate {
    Point<S> gradient, bx;
    double objective = 0, variance = 0;
  };
  void blend(Estimate& estimate, double gain) const;

  Estimate working_, pass_, now_, before_;
  Point<S> previous_;
  Index in_pass_ = 0;  // rows of this pass so far
};

template <class S>
class RecursiveEstimator final : public FieldEstimator<S> {
 public:
  void start(Samples<S>& samples, const SamplingOptions& options) override;
  double estimate(const Point<S>& x, Index rows, SampleReader<S>& reader, FieldBuilder<S>& field) override;
  void end_pass() override { mean_->end_pass(pass_variance_); }
  const RecursiveMean<S>* recursive() const override { return &*mean_; }
  void state(State& state) override { mean_->state(state); }

 private:
  double relative_move(const Point<S>& x, const std::vector<FieldOptions<S>>& fields);

  std::optional<RecursiveMean<S>> mean_;
  double pass_variance_ = 0;
  Point<S> difference_;
  Matrix<S> work_;
};

#define LANDFALL_RECURSIVE(EXTERN, S)     \
  EXTERN template class RecursiveMean<S>; \
  EXTERN template class RecursiveEstimator<S>;
LANDFALL_RECURSIVE(extern, float)
LANDFALL_RECURSIVE(extern, double)

}  // namespace landfall
