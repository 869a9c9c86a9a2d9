#include <landfall/data/rows/row_count.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/fit/column_loadings.hpp>
#include <landfall/models/fit/in_memory_rows.hpp>
#include <landfall/models/fit/model_checkpoint.hpp>
#include <landfall/models/fit/pipeline.hpp>
#include <landfall/models/ica/components.hpp>
#include <landfall/models/ica/fixed_point.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/ica/ica_baseline.hpp>
#include <landfall/models/ica/ica_landing.hpp>
#include <landfall/models/ica/ica_rows.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

// Times that landing runs over all rows at most, the first included: where the number of passes is given, and where
// rows in memory can be iterated over after that.
constexpr int kMostRuns = 2, kMostPasses = 4;
constexpr double kUsualPasses = 2;           // for plans, and of baselines
constexpr double kMostInfeasibility = 0.01;  // ||W'BW - I||_F of a result
constexpr double kMostResidual = 0.1;        // rotation_residual() of landing before its last Newton step
constexpr double kNearTurn = 0.1;            // radians, of a Newton step that another may follow at once

/// Whether a component has another sign on all rows than landing was told.
template <class S>
bool signs_changed(const ComponentMoments& moments, const Vector<S>& weights) {
  const Vector<double> c = moments.nonlinearity().cwiseProduct(weights.template cast<double>().cwiseSign());
  return (c.array() < -doubt(moments)).any();
}

/// The longest Newton step to end with, in radians. It leaves about the square of what it turns, of which a
/// tenth of the sampling error of an angle, 1/sqrt(N), is a hundredth of that of the Amari distance.
double short_turn(Index rows) {
  return std::sqrt(0.1 / std::sqrt(static_cast<double>(rows)));
}

double turn_of(const Matrix<double>& t) {
  return (t - Matrix<double>::Identity(t.rows(), t.cols())).cwiseAbs().maxCoeff();
}

template <class S>
class IcaModel final : public Model<S> {
 public:
  IcaModel(Source<S>& source, IcaResult<S>& result) : source_(source), result_(result) {}

  void validate(const FitOptions& options) const override {
    if (options.held_out > 0) throw UsageError("ICA does not hold out rows");
  }
  std::optional<Problem> problem() const override { return Problem::ica; }
  bool has_exact() const override { return false; }

  /// Reads the first rows, or all where they may be kept, and finds the rank and the principal components.
  void begin(Fit<S>& fit) override {
    const FitOptions& options = fit.options;
    const Index n = fit.features()[0], asked = options.components;
    if (n < std::max<Index>(asked, 1)) return;  // an error that the pipeline words
    const Index p = asked > 0 ? asked : n;
    rows_.rows = fit.stream.statistics(0) ? fit.stream.statistics(0)->rows : count_rows(fit.stream);
    rows_.batch =
        std::min(options.batch > 0 ? options.batch : ica_batch<S>(p, n, options.memory), rows_.rows);
    const Baseline* baseline = find_baseline_or_null(options.baseline);
    if (!options.baseline.empty() && (baseline == nullptr || !baseline->sources)) return;
    if (baseline)
      require_ica_baseline(*baseline, options.contrast, n, p, rows_.rows, sizeof(S), options.memory);
    else {
      require_memory<S>(workload(options, {n}, p, source_.sparse(), {.rows = rows_.rows}), options.memory,
                        FitMethod::landing);
      read_rows(source_, fit, p, rows_);
    }
    try {
      find_directions(fit, asked, baseline != nullptr, rows_);
    } catch (const NumericalError& error) {
      throw NumericalError(fmt::format("{}: {}", fit.stream.source(0).name(), error.what()));
    }
  }

  Index components(const FitOptions& options, const std::vector<Index>& features) const override {
    if (options.components > 0) return options.components;
    return rows_.whitening ? rows_.whitening->rank() : std::max<Index>(features[0], 1);
  }

  Scaling scaling() const override { return Scaling::none; }  // whitening scales

  Workload workload(const FitOptions& options, const std::vector<Index>& features, Index p, bool sparse,
                    const SourceSample& sample) const override {
    const Index n = features[0];
    const bool reads_again = options.reduction == Reduction::pca && p < n;
    Workload work{.rows = sample.rows,
                  .features = features,
                  .reading = sample.reading,
                  .statistics = sample.statistics,
                  .held = sample.held,
                  .components = p,
                  .more_readings = reads_again ? 1 : 0,
                  .columns = p,
                  .batch = rows_.batch > 0     ? rows_.batch
                           : options.batch > 0 ? options.batch
                                               : ica_batch<S>(p, n, options.memory),
                  .rank = squares_fit(n, options.memory) ? n : std::max(options.landing.rank, p),
                  .first_rows = ica_first_rows<S>(ica_pilot_rows(options.first_rows), p, n, options.memory),
                  .passes = options.passes.value_or(kUsualPasses),
                  .warm_up = 0,
                  .kept = keeps_rows(source_, options, n, sample.rows)};
    if (sparse) work.nonzeros = sample.nonzeros;
    return work;
  }

  Solved<S> baseline(Fit<S>& fit, const Baseline& baseline) override {
    const Matrix<S> k = rows_.whitening ? Matrix<S>(rows_.whitening->factor.template cast<S>()) : Matrix<S>();
    auto run = solve_ica_baseline<S>(baseline, fit.stream, fit.options.contrast,
                                     baseline_options(fit, fit.options.passes.value_or(kUsualPasses)),
                                     fit.work.rows, k);
    fit.record(run);
    if (run.termination == Termination::iteration_limit) {
      result_.converged = false;
      result_.warnings.push_back(fmt::format("{} did not converge: it reached the limit of {} iterations",
                                             baseline.name, result_.iterations));
    }
    // Its components as they are, apart from their scale: unit variance.
    Matrix<S>& x = run.x.front();
    moments_ = component_moments<S>(fit.stream, result_.contrast, x);
    const Vector<double> scale = moments_.gram.diagonal().cwiseSqrt().cwiseInverse();
    if (!scale.allFinite()) throw NumericalError(fmt::format("{} found no finite sources", baseline.name));
    x *= scale.template cast<S>().asDiagonal();
    moments_ = component_moments<S>(fit.stream, result_.contrast, x);
    turn_ = Matrix<double>::Identity(x.cols(), x.cols());
    return {std::move(run.x), {}, {}};
  }

  Solved<S> land(Fit<S>& fit) override {
    if (is_small(fit)) {
      iterate(fit);
      return {};
    }
    return land_on_all(fit);
  }

  void finish(Fit<S>& fit, Solved<S> solved) override {
    if (!solved.x.empty()) x_ = solved.x.front().template cast<double>();
    result_.samples = moments_.rows;
    // E a y' (E y y')^-1 of the sources y = (X T)'a.
    const Matrix<double> regression =
        moments_.mixing * inverse<double>(moments_.gram) * inverse<double>(turn_.transpose());
    const Transform<S>& transform = fit.stream.transform(0);
    const Matrix<double> weights = unscaled(fit.stream, 0, x_ * turn_);
    require_feasible(fit, weights);
    // E g of these sources, to first order: d E g(y_j) = sum_i E y_i g'(y_j) (T - I)_ij.
    const Matrix<double> step = turn_ - Matrix<double>::Identity(turn_.rows(), turn_.cols());
    moments_.value += moments_.slopes.cwiseProduct(step).colwise().sum().transpose();
    const auto components =
        ordered_components(moments_, result_.contrast, weights, transform.scale().asDiagonal() * regression);
    result_.signs = components.signs;
    result_.negentropy = components.negentropy;
    result_.kurtosis = kurtosis(moments_, turn_)(components.order);
    result_.mixing = transform.restore_rows(components.mixing.template cast<S>());
    if (fit.stream.statistics(0)) set_mixing_loadings(fit.stream, components.mixing, result_.views[0]);
    if (rows_.reduced) {
      result_.reduction = Reduction::pca;
      result_.explained_variance = rows_.whitening->explained;
    }
    set_weights(fit.stream, 0, components.weights, result_.views[0]);
  }

 private:
  /// Whether rows are so few that all of them are iterated over until nothing changes, in place of landing.
  bool is_small(const Fit<S>& fit) const {
    const FitOptions& options = fit.options;
    return options.method == FitMethod::automatic && !options.passes && options.batch == 0 &&
           options.landing.step == 0 && options.checkpoints.resume.empty() && rows_.whitening &&
           rows_.complete &&
           rows_.rows <= std::max(ica_pilot_rows(options.first_rows), 8 * fit.features()[0]);
  }

  /// `batches`: whose scores are iterated over, with directions X.
  FixedPoint converge(const Fit<S>& fit, const InMemoryBatches<S>& batches, const Matrix<double>& x,
                      Matrix<double> start) {
    Communicator& ranks = fit.stream.communicator();
    const Matrix<double> z = scores_of_all(batches, x, ranks);
    const auto watch = fit.watch();
    FixedPoint found = iterate_to_convergence(
        z, {.contrast = result_.contrast,
            .roots = roots_of_all(batches, ranks),
            .start = std::move(start),
            .seed = fit.options.seed,
            .observer =
                [&](const Progress& progress, const Matrix<double>& rotation) {
                  return watch(progress, {Matrix<S>((x * rotation).template cast<S>())});
                },
            .cancel = fit.options.cancel});
    x_ = x * found.rotation;
    result_.passes += found.passes;
    result_.iterations += found.history.size() - 1;
    result_.history.insert(result_.history.end(), found.history.begin(), found.history.end());
    result_.termination = found.converged ? Termination::converged
                          : found.stopped ? Termination::stopped
                                          : Termination::iteration_limit;
    result_.converged = found.converged;
    if (!found.converged)
      result_.warnings.push_back(
          fmt::format("ICA did not converge in {} iterations: another would turn a source by {:.2g} radians",
                      found.history.size() - 1, found.turn));
    return found;
  }

  /// Of x_ and moments_ at the end: sources have unit variance and are uncorrelated.
  void orthonormalize() {
    const Matrix<double> metric = this->metric();
    SymmetricEigen<double> eigen;
    eigen.compute(metric);
    turn_ = eigen.inverse_root();
    result_.stationarity = rotation_residual(
        moments_, moments_.nonlinearity().unaryExpr([](double c) { return c < 0 ? -1. : 1.; }));
  }

  Matrix<double> metric() const { return moments_.gram + result_.views[0].ridge * x_.transpose() * x_; }

  /// All rows, to convergence.
  void iterate(Fit<S>& fit) {
    const Whitening& directions = *rows_.whitening;
    result_.method_name = "fixed-point";
    result_.reason = fmt::format("{} rows are few enough to iterate over all of them", rows_.rows);
    result_.batch = rows_.rows;
    FixedPoint found = converge(fit, rows_.in_memory(), directions.factor, {});
    const double ridge = result_.views[0].ridge;
    moments_ = std::move(found.moments);
    moments_.mixing = (directions.dual - ridge * directions.factor) * found.rotation;
    if (fit.components < x_.cols())
      moments_ = best_components(moments_, result_.contrast, fit.components, x_);
    orthonormalize();
  }

  /// Landing, evaluated on all rows after each run, until the Newton step is short and the signs are right.
  Solved<S> land_on_all(Fit<S>& fit) {
    const FitOptions& options = fit.options;
    const Index p = fit.components;
    IcaLanding<S> run(fit.stream, options, rows_, p, result_.views[0].ridge);
    int attempt = 0;
    const ModelCheckpoint checkpoint(options.checkpoints, data_mark(fit.stream, run.first()), result_.reason,
                                     [&](State& state) {
                                       run.state(state);
                                       state(attempt, result_.passes, result_.iterations, result_.back_offs);
                                     });
    result_.reason = checkpoint.reason();
    if (options.checkpoints.resume.empty()) run.warm_up();
    result_.seconds.solve += fit.timer.lap();
    Checkpoints checkpoints = checkpoint.checkpoints();
    const bool polishes = !options.passes && rows_.complete &&
                          3. * 8 * rows_.rows * p <= static_cast<double>(options.memory) / 2;
    const double most = options.passes ? kMostRuns
                        : polishes     ? std::min<double>(kMostPasses, options.most_passes)
                                       : options.most_passes;
    bool stopped = false, changed = false;
    // The first rows have led close to the sources of all rows, which are in memory: Newton steps over them do, unless there
    // are more directions than components.
    bool near = polishes && tries_newton(options) && rows_.whitening && rows_.whitening->rank() == p;
    for (;; ++attempt) {
      if (!near) {
        auto landed = run.land(checkpoints, fit.watch());
        checkpoints.resume.clear();
        fit.record(landed);
        result_.seconds.solve += fit.timer.lap();
      }
      evaluate(run);
      if (near) tell_newton(fit, run);
      stopped = result_.termination == Termination::stopped;
      changed = !stopped && signs_changed(moments_, run.weights());
      if (changed) reweigh(moments_, 0, run.weights());
      const Vector<double> signs = run.weights().template cast<double>().cwiseSign();
      turn_ = newton_step(moments_, metric(), signs);
      result_.stationarity = rotation_residual(moments_, signs);
      // A Newton step leaves the square of the angle that it turns.
      result_.estimated_gap = relative_gain(moments_, signs, turn_) * std::pow(turn_of(turn_), 2);
      result_.seconds.evaluate += fit.timer.lap();
      const bool again = changed || (!options.passes && is_far(options.tolerance));
      if (stopped || !again || attempt + 1 >= most) break;  // finish() makes the last turn
      run.turn(turn_);
      near = near && !changed && turn_of(turn_) <= kNearTurn && result_.stationarity <= kMostResidual;
    }
    result_.choice = run.choice();
    const double turn = turn_of(turn_), residual = result_.stationarity;
    const bool far = changed || is_far(options.tolerance);
    // Of few rows a Newton step may leave more than its square: sources close to Gaussian have little curvature.
    const bool few = rows_.rows <= ica_pilot_rows(options.first_rows);
    if (stopped || !(far || (few && polishes))) {
      result_.converged = !stopped;
      return {};
    }
    run.turn(turn_);
    evaluate(run);
    if (polishes)
      polish(fit, run);
    else
      tell_far(turn, residual, options.tolerance);
    orthonormalize();
    return {};
  }

  /// A Newton step in place of landing is a pass and an iteration.
  void tell_newton(Fit<S>& fit, const IcaLanding<S>& run) {
    const Vector<double> weights = run.weights().template cast<double>();
    Progress progress;
    progress.iteration = ++result_.iterations;
    progress.passes = ++result_.passes;
    result_.seconds.evaluate += fit.timer.lap();
    progress.seconds = result_.seconds.solve + result_.seconds.evaluate;
    progress.objective = weights.dot(moments_.value);
    progress.infeasibility = distance_to_identity(metric());
    progress.stationarity = rotation_residual(moments_, weights.cwiseSign());
    progress.step = 1;
    result_.history.push_back(progress);
    result_.termination = fit.watch()(progress, {run.x()}) ? Termination::converged : Termination::stopped;
  }

  void evaluate(const IcaLanding<S>& run) {
    moments_ = run.evaluate();
    x_ = run.x().template cast<double>();
  }

  /// Landing is not there yet, and all rows are in memory: iterates over them.
  void polish(Fit<S>& fit, const IcaLanding<S>& run) {
    orthonormalize();
    const Matrix<double> x = x_ * turn_, mixing = moments_.mixing * turn_;
    FixedPoint found = converge(fit, (run.kept() ? run.kept() : &run.first())->batches(), x,
                                Matrix<double>::Identity(x.cols(), x.cols()));
    result_.estimated_gap.reset();  // nothing is left of it
    moments_ = std::move(found.moments);
    moments_.mixing = mixing * found.rotation;
  }

  /// Whether the Newton step is too long to end with, or leaves out pairs that it can say nothing about.
  bool is_far(double tolerance) const {
    return turn_of(turn_) > short_turn(moments_.rows) || result_.stationarity > kMostResidual ||
           !(result_.estimated_gap <= tolerance);
  }

  void tell_far(double turn, double residual, double tolerance) {
    result_.converged = false;
    const double most = short_turn(moments_.rows);
    const std::string why =
        turn > most
            ? fmt::format("the last Newton step turned a source by {:.2g} radians, expected at most {:.2g}",
                          turn, most)
        : residual > kMostResidual
            ? fmt::format("the residual is {:.2g}, expected at most {}", residual, kMostResidual)
            : fmt::format("the estimated gap is {:.2g}, expected at most {:.2g}", *result_.estimated_gap,
                          tolerance);
    result_.warnings.push_back(fmt::format(
        "landing did not converge in {:.3g} passes: {}; more passes may help", result_.passes, why));
  }

  /// Measures ||W'BW - I|| of the weights as they are written, rounded to S: NumericalError where they are not
  /// finite or the sources are not what they should be.
  void require_feasible(const Fit<S>& fit, const Matrix<double>& weights) {
    const double ridge = result_.views[0].ridge;
    const Matrix<double> rounding = fit.stream.transform(0).scale().asDiagonal() *
                                    (weights.template cast<S>().template cast<double>() - weights).eval();
    const Matrix<double> first = rounding.transpose() * (moments_.mixing + ridge * x_) * turn_;
    const double infeasibility =
        distance_to_identity(turn_.transpose() * metric() * turn_ + first + first.transpose());
    const std::string& name = fit.stream.source(0).name();
    if (!std::isfinite(infeasibility) || !weights.allFinite() || !moments_.value.allFinite())
      throw NumericalError(fmt::format("{}: {} found no finite sources", name, result_.method_name));
    result_.views[0].infeasibility = infeasibility;
    if (infeasibility <= kMostInfeasibility) return;
    if (result_.method != FitMethod::baseline)
      throw NumericalError(fmt::format("{}: the sources are correlated by {:.2g}, expected at most {}{}",
                                       name, infeasibility, kMostInfeasibility,
                                       sizeof(S) == sizeof(float) ? "; double precision may help" : ""));
    result_.warnings.push_back(
        fmt::format("the sources of {} are correlated by {:.2g}", result_.method_name, infeasibility));
  }

  Source<S>& source_;
  IcaResult<S>& result_;
  IcaRows<S> rows_;
  Matrix<double> x_;          // in the coordinates of the stream
  ComponentMoments moments_;  // of y = X'a over all rows
  Matrix<double> turn_;       // T of the sources y = (X T)'a
};

}  // namespace

template <class S>
IcaResult<S> fit_ica(SourcePtr<S> data, const IcaOptions& options) {
  IcaResult<S> result;
  result.contrast = options.contrast;
  IcaModel<S> model(*data, result);
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::move(data));
  fit_model<S>(model, std::move(sources), options, result);
  return result;
}

template <class S>
Cost plan_ica(Source<S>& data, const IcaOptions& options) {
  IcaResult<S> result;
  const IcaModel<S> model(data, result);
  Workload work = model_workload<S>(model, {&data}, options);
  const MachineRates rates = measure_machine<S>();
  Cost cost = landing_cost<S>(work, &rates);
  // All rows where they are kept; the covariance of the first ones, its eigenvectors and their scaled copy,
  // in double precision.
  const double rows = static_cast<double>(work.rows), columns = static_cast<double>(data.cols()),
               p = static_cast<double>(work.components), passes = work.passes;
  if (work.kept) cost.bytes += static_cast<std::uint64_t>(rows * columns * sizeof(S));
  cost.bytes += static_cast<std::uint64_t>(3 * sizeof(double) * columns * columns);
  // The warm-up, in small batches of the first rows; and the contrast, about 20 flops for each score, at two
  // points in every step and once at the end, with the p x p moments of the last step.
  work.rows = std::min(work.rows, work.first_rows);
  work.batch = std::max<Index>(128, ica_rows_for(work.components));
  work.passes = 2.0 * options.landing.warm_up;
  work.reading = work.statistics = 0;
  cost.seconds += landing_cost<S>(work, &rates).seconds;
  const double scores = rows * (2 * passes + 1) + static_cast<double>(work.rows) * 2 * work.passes;
  cost.seconds += (20 * p * scores + 6 * p * p * rows) / rates.thin;
  return cost;
}

LANDFALL_ICA(, float)
LANDFALL_ICA(, double)

}  // namespace landfall
