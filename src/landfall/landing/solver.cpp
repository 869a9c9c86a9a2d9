#include <landfall/errors.hpp>
#include <landfall/landing/solver.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
bool finite(const Point<S>& point) {
  return std::all_of(point.begin(), point.end(), [](const auto& block) { return block.allFinite(); });
}

}  // namespace

template <class S>
void validate(const SolverOptions<S>& options) {
  validate(options.step);
  if (!(options.epsilon > 0 && options.epsilon < 1))
    throw UsageError(fmt::format("epsilon must be in (0, 1), got {}", options.epsilon));
  if (!(options.attraction > 0 && options.attraction < 0.5))
    throw UsageError(fmt::format("attraction must be in (0, 1/2), got {}", options.attraction));
  if (options.omega && !(*options.omega >= 0))
    throw UsageError(fmt::format("omega must not be negative, got {}", *options.omega));
  if (!(options.momentum >= 0 && options.momentum < 1))
    throw UsageError(fmt::format("momentum must be in [0, 1), got {}", options.momentum));
  if (options.momentum > 0 && options.step.rule != StepRule::fixed)
    throw UsageError("momentum requires fixed steps: the other rules choose each step themselves");
  if (options.trust && !(*options.trust > 0))
    throw UsageError(fmt::format("trust must be positive, got {}", *options.trust));
  if (options.averaging && *options.averaging < 0)
    throw UsageError(fmt::format("averaging must not be negative, got {}", *options.averaging));
  if (options.history < 0)
    throw UsageError(fmt::format("history must not be negative, got {}", options.history));
}

template <class S>
Solver<S>::Solver(FieldOracle<S>& oracle, Point<S> start, SolverOptions<S> options)
    : oracle_(oracle), known_(oracle.known()), options_(std::move(options)), x_(std::move(start)) {
  validate(options_);
  history_ = ProgressHistory(options_.history);
  const auto& shapes = oracle_.shapes();
  if (x_.size() != shapes.size())
    throw UsageError(fmt::format("the start has {} blocks, the problem {}", x_.size(), shapes.size()));
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (x_[i].rows() != shapes[i].rows || x_[i].cols() != shapes[i].cols)
      throw UsageError(fmt::format("block {} of the start is {}x{}, expected {}x{}", i + 1, x_[i].rows(),
                                   x_[i].cols(), shapes[i].rows, shapes[i].cols));
  if (!known_ && options_.step.rule != StepRule::fixed)
    throw UsageError(
        "a sampled problem takes fixed steps (with a schedule): the other rules need f and B exactly");

  if (options_.restore_start) restoration_ = oracle_.restore(x_, options_.epsilon);
  if (!(restoration_.to <= std::max(options_.epsilon, restoration_.noise)))
    termination_ = Termination::infeasible_start;
  if (!known_ && !options_.trust) options_.trust = 0.3;
  field_.lambda = momentum_ = last_finite_ = x_;
  for (auto& block : momentum_) block.setZero();
  if (known_) trial_ = last_x_ = last_psi_ = x_;
  if (options_.averaging) average_ = x_;
}

/// X <- X - eta Lambda(X).
template <class S>
void Solver<S>::step() {
  options_.cancel.throw_if_requested();
  const bool planned = options_.step.rule == StepRule::fixed || options_.step.rule == StepRule::safeguarded;
  if (planned)
    planned_step();
  else
    found_step();

  ++progress_.iteration;
  progress_.passes = oracle_.passes();
  progress_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  progress_.objective = field_.objective;
  progress_.infeasibility = field_.infeasibility;
  progress_.stationarity = field_.stationarity;
  progress_.attraction = field_.omega;
  progress_.field_norm = static_cast<double>(norm(field_.lambda));
  if (!std::isfinite(progress_.field_norm) || !finite(x_)) {
    x_ = last_finite_;
    termination_ = Termination::diverged;
    return;
  }
  std::copy(x_.begin(), x_.end(), last_finite_.begin());
  if (options_.averaging) average();
  history_.add(progress_);
  if (progress_.iteration == 1 && options_.allocation_count)
    allocations_before_ = options_.allocation_count();
}

template <class S>
void Solver<S>::planned_step() {
  const StepOptions& plan = options_.step;
  double eta = plan.size * step_factor_ * schedule_factor(plan, progress_.iteration, progress_.passes);
  oracle_.field(x_, {options_.attraction, plan.size, options_.omega}, field_);  // Lambda = Psi + omega N
  if (plan.rule == StepRule::safeguarded) eta = keep_safe(eta);
  move(eta);
}

template <class S>
void Solver<S>::found_step() {
  known_->tangent(x_, field_);  // Psi
  double eta = two_point_step();
  for (std::size_t i = 0; i < x_.size(); ++i) {
    last_x_[i] = x_[i];
    last_psi_[i] = field_.lambda[i];
  }
  known_->attract(x_, {options_.attraction, eta, options_.omega}, field_);  // Lambda = Psi + omega N
  double safe = keep_safe(eta);
  // A step cut short would pull less than a; made stronger, the pull itself opens the way inwards.
  for (int tries = 0; tries < 4 && safe > 0 && safe < eta / 2 && !options_.omega; ++tries) {
    known_->attract(x_, {options_.attraction, 1 / (1 / safe - 1 / eta), {}}, field_);
    eta = safe;
    safe = keep_safe(eta);
  }
  move(options_.step.rule == StepRule::line_search ? search(safe) : safe);
}

template <class S>
double Solver<S>::two_point_step() const {
  const double psi = static_cast<double>(norm(field_.lambda));
  const double first = options_.step.size > 0 ? options_.step.size
                       : psi > 0              ? 0.1 * static_cast<double>(norm(x_)) / psi
                                              : 1.0;
  if (progress_.iteration == 0) return first;
  double ss = 0, sv = 0, vv = 0;  // s = X - X_last, v = Psi - Psi_last
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const auto s = x_[i] - last_x_[i], v = field_.lambda[i] - last_psi_[i];
    ss += static_cast<double>(s.squaredNorm());
    vv += static_cast<double>(v.squaredNorm());
    sv += static_cast<double>(s.cwiseProduct(v).sum());
  }
  const double step = progress_.iteration % 2 ? ss / std::abs(sv) : std::abs(sv) / vv;
  if (!std::isfinite(step) || !(step > 0)) return last_step_ > 0 ? last_step_ : first;
  return last_step_ > 0 ? std::clamp(step, 1e-3 * last_step_, 1e3 * last_step_) : step;
}

template <class S>
double Solver<S>::ray_limit() const {
  if (options_.step.rule == StepRule::safeguarded) return std::max(options_.epsilon, field_.infeasibility);
  // Steps that learn from the last one must stay near the manifold: at the border of the safe region the
  // normal term, not f, decides how Psi changes, and two-point steps never leave it.
  return std::max(options_.epsilon / 50, field_.infeasibility / 2);
}

template <class S>
double Solver<S>::keep_safe(double step) {
  const double limit = std::max(options_.epsilon, field_.infeasibility);
  ray_ = known_->ray(x_, field_.lambda);
  if (ray_) return std::min(step, safe_step(*ray_, ray_limit()));
  for (int halvings = 0; halvings < 60; ++halvings, step /= 2) {
    for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] - static_cast<S>(step) * field_.lambda[i];
    if (known_->infeasibility(trial_) <= limit) return step;
  }
  return 0;
}

template <class S>
double Solver<S>::search(double step) {
  const double multiplier = known_->multiplier_size(x_);
  penalty_ = std::max(penalty_, multiplier > 0 ? 2 * multiplier : 1.0);
  if (ray_ && ray_->has_objective) return std::min(best_step(*ray_, penalty_), safe_step(*ray_, ray_limit()));
  // Armijo on Fletcher's augmented Lagrangian, halving. What rounding hides of a decrease is granted.
  const double merit = known_->merit(x_, penalty_), slope = known_->slope();
  const double rounding = 10 * static_cast<double>(std::numeric_limits<S>::epsilon()) * std::abs(merit);
  for (int halvings = 0; halvings < 40; ++halvings, step /= 2) {
    for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] - static_cast<S>(step) * field_.lambda[i];
    if (known_->merit(trial_, penalty_) <= merit - 1e-4 * step * slope + rounding) return step;
  }
  penalty_ *= 4;  // no descent at any length: beta is too small for Lambda to be a descent direction
  return step;
}

template <class S>
void Solver<S>::move(double step) {
  const S eta = static_cast<S>(step), mu = static_cast<S>(options_.momentum);
  bool cut = false;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    Matrix<S>& m = momentum_[i];
    m = mu * m + eta * field_.lambda[i];
    if (options_.trust) {
      const S factor = trust_scale<S>(oracle_.metric(i), m, *options_.trust, scratch_);
      if (factor < 1) {
        m *= factor;
        cut = true;
      }
    }
    x_[i] -= m;
  }
  if (known_) known_->moved(ray_ && !cut && options_.momentum == 0 ? std::optional(step) : std::nullopt);
  if (!known_) back_off(cut);
  ray_.reset();
  last_step_ = progress_.step = step;
}

/// Steps that the trust region cuts again and again are too long: noise moves X as fast as it may go, and
/// each move makes the next estimate worse.
template <class S>
void Solver<S>::back_off(bool cut) {
  constexpr int window = 64, most = 16;
  cut_ += cut;
  if (++in_window_ < window) return;
  if (cut_ >= most) {
    step_factor_ /= 2;
    ++progress_.back_offs;
    for (auto& block : momentum_) block.setZero();
  }
  cut_ = in_window_ = 0;
}

template <class S>
void Solver<S>::average() {
  // Polynomial-decay averaging (Shamir and Zhang, 2013): weight (s+1)/(k+s) for the k-th iterate.
  const double s = *options_.averaging;
  const double weight = (s + 1) / (static_cast<double>(progress_.iteration) + s);
  for (std::size_t i = 0; i < x_.size(); ++i) average_[i] += static_cast<S>(weight) * (x_[i] - average_[i]);
}

template <class S>
bool Solver<S>::finished() {
  if (termination_ != Termination::running) return true;
  if (const auto reason = options_.stop(progress_)) termination_ = *reason;
  if (termination_ == Termination::running && progress_.iteration > 0 && options_.observer) {
    const auto before = std::chrono::steady_clock::now();
    if (!options_.observer(progress_, x_)) termination_ = Termination::stopped;
    began_ += std::chrono::steady_clock::now() - before;
  }
  return termination_ != Termination::running;
}

template <class S>
Result<S> Solver<S>::solve() {
  while (!finished()) step();
  return result();
}

template <class S>
void Solver<S>::state(State& state, bool times) {
  oracle_.state(state);
  state(x_, momentum_, average_, last_step_, step_factor_, cut_, in_window_);
  save_progress(state, times, progress_, history_);
  if (!state.loading()) return;
  last_finite_ = x_;
  began_ = std::chrono::steady_clock::now() - std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                  std::chrono::duration<double>(progress_.seconds));
}

template <class S>
Result<S> Solver<S>::result() {
  Result<S> result;
  result.counts = oracle_.counts();
  if (allocations_before_) result.counts.allocations = options_.allocation_count() - *allocations_before_;
  result.x = options_.averaging && progress_.iteration > 0 ? average_ : x_;
  result.termination = termination_;
  result.restoration = restoration_;
  result.progress = progress_;
  result.history = history_.records();
  if (known_) {  // one more pilot, at the point that is returned
    known_->moved(std::nullopt);
    known_->tangent(result.x, field_);
    result.progress.objective = field_.objective;
    result.progress.infeasibility = field_.infeasibility;
    result.progress.stationarity = field_.stationarity;
  }
  return result;
}

LANDFALL_SOLVER(, float)
LANDFALL_SOLVER(, double)

}  // namespace landfall
