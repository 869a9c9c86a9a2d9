// The landing method: X <- X - eta (Psi + omega N), from any start, to a critical point on the manifold.
//
//   #include <landfall/landing/exact.hpp>
//   #include <landfall/linalg/random.hpp>
//   landfall::StiefelOracle<double> oracle(f, {{.b = b, .components = 5}});   // f(X) subject to X'BX = I
//   const auto result = landfall::solve<double>(oracle, {landfall::gaussian<double>(n, 5, {seed})});
//
// For control of every step keep a Solver and call step() yourself; solve() is a loop over it.
#pragma once

#include <landfall/landing/history.hpp>
#include <landfall/landing/oracle.hpp>
#include <landfall/landing/result.hpp>
#include <landfall/landing/step.hpp>
#include <landfall/landing/stopping.hpp>
#include <landfall/parallel/cancel.hpp>

#include <chrono>
#include <functional>

namespace landfall {

template <class S>
struct SolverOptions {
  double epsilon = 0.5;              // the safe region ||h(x)|| <= epsilon < 1
  bool restore_start = true;         // brings a start outside the safe region in; false: takes it as given
  StepOptions step = {};             // eta
  double attraction = 0.25;          // a = eta omega beta_1 in (0, 1/2)
  std::optional<double> omega = {};  // given by hand, in place of a
  double momentum = 0;               // M <- momentum M + eta Lambda, X <- X - M; in [0, 1), fixed steps only
  /// c: no block moves by more than c sqrt(p) in the metric of K^-1; unset: 0.3 when sampled. Sampled steps
  /// are halved for good when 16 of 64 had to be cut.
  std::optional<double> trust = {};
  /// s >= 0: returns the average of the iterates with weights ~ k^s; 0 is the plain mean.
  std::optional<int> averaging = {};
  StopWhen stop = (stop::gradient(1e-8) && stop::feasibility(1e-8)) || stop::iterations(10000);
  /// After every step, not counted in the time; false ends the run.
  std::function<bool(const Progress&, const Point<S>& x)> observer = {};
  /// Looked at before every step: it then throws Cancelled.
  CancelFlag cancel = {};
  Index history = 2048;  // the most records kept; beyond it every second one is dropped
  /// The caller's counter, to see that the loop allocates nothing.
  std::function<std::uint64_t()> allocation_count = {};
};

/// Throws UsageError naming the field that is wrong.
template <class S>
void validate(const SolverOptions<S>& options);

template <class S>
class Solver {
 public:
  /// Sizes are checked, and a start outside the safe region is brought in (see restoration()).
  Solver(FieldOracle<S>& oracle, Point<S> start, SolverOptions<S> options = {});

  /// One step of the method.
  void step();

  /// Steps until the stopping criterion holds.
  Result<S> solve();

  /// Between two steps: of the solver and its oracle. Taken back into a solver of the same options and
  /// oracle, it goes on as if it had never stopped. Without times, equal runs have equal states.
  void state(State& state, bool times = true);

  const Point<S>& x() const { return x_; }
  const Progress& progress() const { return progress_; }
  const Restoration& restoration() const { return restoration_; }
  Termination termination() const { return termination_; }

 private:
  void planned_step();            // eta is known before the field: fixed, safeguarded
  void found_step();              // eta follows from the field: line search, Barzilai-Borwein
  double two_point_step() const;  // Barzilai and Borwein's, or a first guess
  double search(double step);     // the merit function decides
  double ray_limit() const;       // how far from the manifold a step may end
  double keep_safe(double step);  // the largest step up to the given one whose end is in the safe region
  void move(double step);
  void back_off(bool cut);
  void average();
  bool finished();
  Result<S> result();

  FieldOracle<S>& oracle_;
  ExactOracle<S>* known_;  // null when sampled
  SolverOptions<S> options_;
  Point<S> x_;
  FieldValue<S> field_;
  Point<S> trial_, momentum_, average_, last_x_, last_psi_, last_finite_;
  Matrix<S> scratch_;
  double last_step_ = 0;
  double step_factor_ = 1;  // halved by back_off()
  int cut_ = 0, in_window_ = 0;
  double penalty_ = 0;                // beta of the merit function, only ever raised
  std::optional<RayPolynomial> ray_;  // along the present field, where the oracle knows it
  ProgressHistory history_{0};
  Progress progress_;
  Restoration restoration_;
  Termination termination_ = Termination::running;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<std::uint64_t> allocations_before_;
};

/// The whole run in one call.
template <class S>
Result<S> solve(FieldOracle<S>& oracle, Point<S> start, SolverOptions<S> options = {}) {
  return Solver<S>(oracle, std::move(start), std::move(options)).solve();
}

#define LANDFALL_SOLVER(EXTERN, S) \
  EXTERN template class Solver<S>; \
  EXTERN template void validate<S>(const SolverOptions<S>&);
LANDFALL_SOLVER(extern, float)
LANDFALL_SOLVER(extern, double)

}  // namespace landfall
