// S X and the ascent direction at a moving X, from all batches so far, in the memory of a few points.
//
//   std::vector<landfall::Shape> shapes{{100, 5}, {80, 5}};
//   landfall::MovingMeans<double> means(shapes, landfall::correlation_objective<double>(),
//                                       landfall::serial_communicator());
//   landfall::CentredBatch<double> left, right;
//   const landfall::WeightedRows<double> part{{&left, &right}};
//   landfall::Point<double> at, move;
//   means.add({&part, 1}, at, move);               // at <- at + move; the rows measure there and carry the estimate along
//   use(means.sx()[0], means.ascent()[0]);         // S_x X and S_xy Y
//
// With m_t(Z) the mean of a a'Z (or of a (b'Z)) over batch t, X_t = X_{t-1} + D_t and a gain g_t,
//   E_t = (1 - g_t) (E_{t-1} + m_t(D_t)) + g_t m_t(X_t) = (1 - g_t) E_{t-1} + m_t(D_t + g_t X_{t-1}):
// the new batch carries the old estimate to the new point, then both are averaged (STORM, Cutkosky and Orabona 2019).
// Everything is linear in X, so one product with each row does both, and a move within the span of X, X <- X T, carries
// E exactly: E <- E T. The gain is Kalman's: with the variance of one row as the unit, a batch of r rows measures with
// variance 1/r, carrying adds d^2/r, d^2 the mean square of the scores of D, and
//   v <- v + d^2/r,   g = v / (v + 1/r),   v <- g/r.
//
// Beside it a second estimate restarts with each pass and weighs all its rows alike. At the end of a pass it has no
// sampling error at all, only what carrying added, and takes over when that is less.
#pragma once

#include <landfall/data/rows/transform.hpp>
#include <landfall/landing/samples.hpp>
#include <landfall/linalg/state.hpp>

#include <span>

namespace landfall {

/// Rows of every view. A row of weight w counts as w rows.
template <class S>
struct WeightedRows {
  std::vector<const CentredBatch<S>*> views;
  Vector<S> weights = {};  // empty: all 1
};

template <class S>
class MovingMeans {
 public:
  /// The objective has a gradient that is linear in X: a coupling of two views, or one that is known.
  MovingMeans(const std::vector<Shape>& shapes, const ScoreObjective<S>& objective,
              Communicator& communicator);

  /// The estimates at x are worth 1/variance rows.
  void start(const Point<S>& x, Point<S> sx, Point<S> ascent, double variance);

  /// x <- x + d, measured there by these rows, of all ranks.
  void add(std::span<const WeightedRows<S>> parts, Point<S>& x, const Point<S>& d);

  /// x <- x T, block by block.
  void turn(Point<S>& x, const std::vector<Matrix<S>>& t);

  /// All rows of a pass were added. `variance` is that of their mean: 0 when they are all there are.
  void end_pass(double variance);

  /// No more rows: the estimates stay, what a batch needs goes.
  void finish();

  const Point<S>& sx() const { return working_.sx; }
  const Point<S>& ascent() const { return working_.ascent; }  // -grad f
  double variance() const { return working_.variance; }
  /// The same without the margin that decides which estimate to trust, after the end of a pass.
  double uncertainty() const { return uncertainty_; }
  /// Of the last batch.
  double rows() const { return rows_; }

  /// Saves the estimates of all ranks, on rank 0. Another number of ranks may take them back.
  void state(State& state);

 private:
  struct Estimate {
    Point<S> sx, ascent;
    double variance = 0;
  };
  void score(std::span<const WeightedRows<S>> parts, const Point<S>& x, const Point<S>& d);
  void sum(std::span<const WeightedRows<S>> parts, double gain, double share);
  void ascend(const Point<S>& x);
  void mix(Estimate& estimate, double keep, Index first);

  ScoreObjective<S> objective_;
  Communicator& communicator_;
  Estimate working_, pass_;  // of several ranks each has a part of pass_, of which the sum counts
  double in_pass_ = 0;       // rows of this pass so far
  double moved_ = 0, rows_ = 0, uncertainty_ = 1;
  std::vector<Matrix<S>> both_, sums_;      // [X D]; the sums over a batch
  std::vector<Matrix<S>> working_sums_;     // those of the working estimate, of all ranks
  std::vector<Scratch<S>> scores_, mixed_;  // of each part and view
  Matrix<S> turned_;
};

extern template class MovingMeans<float>;
extern template class MovingMeans<double>;

}  // namespace landfall
