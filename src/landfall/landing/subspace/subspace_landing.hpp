// Landing for leading subspaces: CCA, LDA and other problems whose gradient is linear in X. Nothing to tune.
//
//   std::shared_ptr<landfall::InMemorySamples<float>> first;
//   landfall::SubspaceLanding<float> landing(first, {.wanted = 5, .ridge = {1e-3, 1e-3}, .rows = 60000});
//   landfall::CentredBatch<float> left, right;
//   landing.step({&left, &right});    // batch after batch
//   landing.end_pass();
//   use(landing.result(), landing.estimated_gap());
//
// Each batch measures S X and the ascent direction G at the current point (moving_means.hpp). From these estimates
//   X <- X T              the normal term: T whitens X'BX and diagonalises X'G (Rayleigh-Ritz), or T = I - (X'BX - I)/2, one
//                         step of Newton and Schulz; both are carried by the estimates without error;
//   X <- X + eta K R      the tangent term, R = G - B X diag(rho): -Psi_K for K = B^-1 on the manifold.
// The step is as long as the estimates deserve. r v is the gain of the estimates, q the noise of one row and
//   s = <R, K R> / (2 v q sum(1 - rho^2))
// compares the residual with its own sampling error:
//   eta = min(0.55 r/(r + q), 4 r v max(1, 8 s)).
// While the residual stands out, steps are as long as stability allows (B_z K has mean square 1 + q/r); once it is noise,
// they fall as one over the rows that the estimates are worth, because carrying an estimate along costs what the path is long.
//
// After the first pass the residual is mostly sampling error of the estimates. X then moves only at the end of a pass, over which all
// rows measure the next direction (ritz_passes.hpp): nothing is noise, and a pass needs half the products.
//
// At the end of a pass R is that of all rows, and X + D, about a step of the power method with K in place of B^-1 (correction.hpp), needs no
// more of them: a run returns it, shorter where R is mostly sampling error. D is the direction that the next pass measures.
#pragma once

#include <landfall/landing/choice.hpp>
#include <landfall/landing/result.hpp>
#include <landfall/landing/subspace/correction.hpp>
#include <landfall/landing/subspace/heavy_rows.hpp>
#include <landfall/landing/subspace/moving_means.hpp>
#include <landfall/landing/subspace/ritz_passes.hpp>

#include <optional>

namespace landfall {

struct SubspaceOptions {
  Index wanted = 1;                // p of the columns; the others are guards
  std::vector<double> ridge = {};  // of each view, for all rows
  double rows = 0;                 // N; 0: endless
  /// c: with m < N rows seen the ridge is larger by c/m - c/N, what c more rows of unit size would add to their mean.
  double fading_rows = 0;
  std::vector<Index> rank = {};  // of K, for each view; empty: 64
  double step = 0;               // eta; 0: as above
  bool rotate = true;  // the normal term by whitening and rotation; false: by Newton and Schulz's step
  std::uint64_t seed = 0;
};

template <class S>
class SubspaceLanding {
 public:
  /// Solves the problem on the first rows (pilot.hpp). `variance`: of the columns over all rows, where known.
  SubspaceLanding(std::shared_ptr<InMemorySamples<S>> first, const SubspaceOptions& options,
                  std::vector<Vector<S>> variance = {}, const CancelFlag& cancel = {});

  /// One step: a batch of all ranks is seen at the point that the last step chose. `again`: rows of an endless stream that
  /// were among the first.
  void step(const std::vector<const CentredBatch<S>*>& views, bool again = false);
  /// All rows have been seen once more. `another`: a whole pass follows.
  void end_pass(bool another = true);

  /// A step beyond X, near the manifold and with the wanted columns first; within a pass with steps, X.
  const Point<S>& result() const { return at_rest() ? beyond_ : x_; }
  bool at_rest() const { return !beyond_.empty(); }

  /// The point of the last batch, and what all rows say there.
  const Point<S>& x() const { return x_; }
  const Point<S>& ascent() const {
    return measured() ? ritz_.x().ascent : with_giants() ? ascent_ : means_.ascent();
  }
  Point<S> bx() const;
  /// Of a view, after the rows so far.
  double ridge(std::size_t view) const;
  /// How far the objective at result() is from its optimum, as a fraction of it (an estimate; docs/method.md).
  double estimated_gap() const { return gap_; }

  const Progress& progress() const { return progress_; }
  const AdaptiveChoice& choice() const { return choice_; }
  bool diverged() const { return diverged_; }
  /// Whether the estimated gap may end the run: K knows rows that are as large as many others only roughly.
  bool gap_is_reliable() const { return (giants_ == 0 && !restarted_) || measured(); }
  void state(State& state);

 private:
  static constexpr double kTrust = 0.3;  // moves are at most this long in the metric of K^-1, per column
  static constexpr double kFitted = 4;   // X was fitted to the first rows: they count as a quarter

  SubspacePilotOptions pilot_options(double rows) const;
  void follow_ridge();
  void remake_inverses(double rows);
  void tell_inverses(const WeightedRows<S>& heavy);
  HeavyRows<S> heavy_rows() const;
  bool know_giants();
  bool with_giants() const { return heavy_ && heavy_->giant_count() > 0; }
  bool measured() const { return !ritz_.x().sz.empty(); }
  const Point<S>& sx() const { return measured() ? ritz_.x().sz : with_giants() ? sx_ : means_.sx(); }
  void sum_giants(const Point<S>& x);
  void add_giants();
  void shorten_move(bool surprised);
  void back_off();
  void restart();
  bool turn();
  bool propose();
  void keep_point(double rows);
  Point<S> first_directions();
  void end_ritz_pass();
  struct Residual {
    Vector<double> squares;           // ||R||_K^2 of each column, the mean over the views
    double largest = 0, longest = 0;  // of a view: its sum over the wanted columns; the length of a column
  };
  Residual residual(bool rotated);
  Residual residual_of_all();
  double pilot_variance() const;
  bool better_than_pilot();
  void step_beyond();
  double overshoot() const;
  double noise_of(Index column) const;
  void report();
  void require_finite(const Point<S>& move);
  double gap_of(const Residual& residual, double of_residual = 1, double of_noise = 1) const;

  std::shared_ptr<InMemorySamples<S>> first_;
  SubspaceOptions options_;
  std::vector<Vector<S>> variance_;
  CancelFlag cancel_;
  std::vector<InversePtr<S>> inverse_;
  std::optional<HeavyRows<S>> heavy_;
  MovingMeans<S> means_;
  RitzPasses<S> ritz_;
  Point<S> x_, d_;              // the point, and the move that the next batch makes
  std::vector<Point<S>> kept_;  // points of the first pass, their wanted columns
  Point<S> move_, beyond_;      // D, and X + D, where R is that of all rows
  Vector<double>
      squares_;           // of the columns of D by K^-1, the mean over the views, for columns of unit length
  double overshoot_ = 1;  // by how much K was too large along the last D
  Point<S> bx_, r_, kr_;  // B X, R, K R
  Point<S> sx_, ascent_;  // means_ with the giants, where there are any
  std::vector<Matrix<S>> giant_sums_;
  std::vector<Scratch<S>> giant_scores_;
  Residual found_;  // at x_
  Vector<double> values_;
  std::vector<Matrix<S>> t_;
  double seen_ = 0, in_pass_ = 0, inverse_rows_ = 0;  // rows: at all, up to N; in this pass; when K was made
  double gap_ = 1, residual_gap_ = 1, gain_ = 0, factor_ = 1;  // gain_: of the last pass that measured
  int far_ = 0, in_window_ = 0;  // of the last steps: how many left X far from the manifold
  Index giants_ = 0;             // rows that K was told of
  bool restarted_ = false;
  bool whole_ = false;  // the first rows are all rows
  AdaptiveChoice choice_;
  Progress progress_;
  bool diverged_ = false;
};

extern template class SubspaceLanding<float>;
extern template class SubspaceLanding<double>;

}  // namespace landfall
