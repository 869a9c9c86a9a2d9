#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/models/fit/in_memory_rows.hpp>
#include <landfall/models/fit/model_checkpoint.hpp>
#include <landfall/models/fit/pipeline.hpp>
#include <landfall/models/ica/components.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/ica/ica_baseline.hpp>
#include <landfall/models/ica/ica_start.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

// Times that landing runs over all rows at most, the first included: where the number of passes is given, and
// where it is not.
constexpr int kMostRuns = 2, kMostPasses = 4;
constexpr double kUsualPasses = 2;  // for plans, and of baselines

/// Whether all rows may be kept in memory, in any order: then only one reading follows that for the mean.
template <class S>
bool keeps_rows(const Source<S>& source, const IcaOptions& options, Index n, Index rows) {
  const double bytes = static_cast<double>(rows) * static_cast<double>(n) * sizeof(S);
  return source.random_access() && !source.sparse() && options.transform.centring != Centring::running &&
         options.transform.missing != Missing::drop && bytes <= static_cast<double>(options.memory) / 4;
}

/// Landing over the first rows, then over all.
template <class S>
class Run {
 public:
  Run(DataStream<S>& stream, Source<S>& source, const IcaOptions& options, Index p, double ridge, Index batch,
      Index rows)
      : stream_(stream),
        options_(options),
        batch_(batch),
        weights_(std::make_shared<Vector<S>>(Vector<S>::Zero(p))) {
    const auto objective = contrast_objective<S>(options.contrast, weights_);
    const Index n = static_cast<Index>(stream.transform(0).kept().size());
    const std::vector<Index> components{p};
    const std::vector<S> ridges{static_cast<S>(ridge)};
    const Index wanted = ica_first_rows<S>(options.first_rows, options.memory, n),
                small = std::max<Index>(128, ica_rows_for(p));
    if (keeps_rows(source, options, n, rows)) {
      const auto order = shuffled_rows(rows, options.seed);
      const auto start = std::span(order).first(static_cast<std::size_t>(std::min(wanted, rows)));
      first_ = std::make_shared<InMemorySamples<S>>(
          read_into_memory<S>(source, stream.transform(0), start, small), components, ridges, objective,
          options.seed, stream.communicator());
      all_ = kept_ = std::make_shared<InMemorySamples<S>>(
          read_into_memory<S>(source, stream.transform(0), order, batch), components, ridges, objective,
          options.seed, stream.communicator());
    } else {
      first_ = std::make_shared<InMemorySamples<S>>(read_into_memory(stream, wanted, small), components,
                                                    ridges, objective, options.seed, stream.communicator());
      all_ = std::make_shared<StreamSamples<S>>(stream, components, ridges, objective, rows);
    }
    try {
      start_.emplace(first_, weights_, options);
    } catch (const NumericalError& error) {
      throw NumericalError(fmt::format("{}: {}", stream.source(0).name(), error.what()));
    }
    x_ = start_->x();
    choice_ = {.first_rows = first_->count(), .rank = start_->pilot().rank, .noise = start_->pilot().noise};
  }

  void warm_up() {
    choice_.warm_up =
        start_->warm_up(first_->count() < all_->count() ? 4 / static_cast<double>(first_->count()) : 0);
    x_ = start_->x();
    oracle_ = start_->release();
  }

  Result<S> land(const Checkpoints& checkpoints,
                 std::function<bool(const Progress&, const Point<S>&)> observer) {
    const SamplingOptions sampling{.estimator = options_.landing.estimator, .batch = batch_};
    if (oracle_)
      oracle_->continue_with(all_, sampling);
    else
      oracle_ = std::make_unique<SampledOracle<S>>(all_, sampling, start_->fields());
    const double r = static_cast<double>(batch_), passes = options_.passes.value_or(1);
    choice_.step = start_->step(r);
    choice_.momentum = options_.landing.momentum.value_or(std::min(0.5, r / (r + 4 * start_->pilot().noise)));
    choice_.omega = options_.landing.omega;
    auto result = solve_with_checkpoints<S>(*oracle_, x_,
                                            {.step = {.rule = StepRule::fixed,
                                                      .size = choice_.step,
                                                      .schedule = Schedule::cosine,
                                                      .horizon = passes},
                                             .omega = options_.landing.omega,
                                             .momentum = choice_.momentum,
                                             .stop = stop::passes(passes),
                                             .observer = std::move(observer),
                                             .cancel = options_.cancel},
                                            checkpoints);
    x_ = result.x;
    oracle_.reset();
    return result;
  }

  /// Over all rows.
  ComponentMoments evaluate() const {
    return kept_ ? component_moments<S>(kept_->batches(), options_.contrast, x_.front())
                 : component_moments<S>(stream_, options_.contrast, x_.front());
  }

  /// X <- X T: where the next run begins.
  void turn(const Matrix<double>& t) { x_.front() *= t.template cast<S>(); }

  /// What warm_up() and later evaluations have found out.
  void state(State& state) { state(*weights_, choice_.warm_up); }

  const InMemorySamples<S>& first() const { return *first_; }
  Vector<S>& weights() { return *weights_; }
  const Matrix<S>& x() const { return x_.front(); }
  const AdaptiveChoice& choice() const { return choice_; }

 private:
  DataStream<S>& stream_;
  const IcaOptions& options_;
  Index batch_;
  std::shared_ptr<Vector<S>> weights_;
  std::shared_ptr<InMemorySamples<S>> first_;
  std::shared_ptr<InMemorySamples<S>> kept_;  // all rows where they fit in memory, else null
  std::shared_ptr<Samples<S>> all_;
  std::optional<IcaStart<S>> start_;
  std::unique_ptr<SampledOracle<S>> oracle_;
  Point<S> x_;
  AdaptiveChoice choice_;
};

/// Whether a component has another sign on all rows than landing was told.
template <class S>
bool signs_changed(const ComponentMoments& moments, const Vector<S>& weights) {
  const Vector<double> c = moments.nonlinearity().cwiseProduct(weights.template cast<double>().cwiseSign());
  return (c.array() < -doubt(moments)).any();
}

/// Whether the Newton step T is too long to end with. It leaves about the square of what it turns, of which a
/// tenth of the sampling error of an angle, 1/sqrt(N), is a hundredth of that of the Amari distance.
bool is_far(const Matrix<double>& t, Index rows) {
  const double turn = (t - Matrix<double>::Identity(t.rows(), t.cols())).cwiseAbs().maxCoeff();
  return turn * turn > 0.1 / std::sqrt(static_cast<double>(rows));
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

  Index components(const FitOptions& options, const std::vector<Index>& features) const override {
    return options.components > 0 ? options.components : features[0];
  }

  Scaling scaling() const override { return Scaling::none; }  // whitening scales

  Workload workload(const FitOptions& options, const std::vector<Index>& features, Index p, bool sparse,
                    const SourceSample& sample) const override {
    const Index n = features[0];
    Workload work{.rows = sample.rows,
                  .features = features,
                  .reading = sample.reading,
                  .statistics = sample.statistics,
                  .held = sample.held,
                  .components = p,
                  .columns = p,
                  .batch = options.batch > 0 ? options.batch : ica_batch(p),
                  .rank = n,  // the covariance of the first rows
                  .first_rows = ica_first_rows<S>(options.first_rows, options.memory, n),
                  .passes = options.passes.value_or(kUsualPasses),
                  .warm_up = 0,
                  .kept = keeps_rows(source_, options, n, sample.rows)};
    if (sparse) work.nonzeros = sample.nonzeros;
    return work;
  }

  Solved<S> baseline(Fit<S>& fit, const Baseline& baseline) override {
    auto run = solve_ica_baseline<S>(baseline, fit.stream, fit.options.contrast,
                                     baseline_options(fit, fit.options.passes.value_or(kUsualPasses)),
                                     fit.work.rows);
    fit.record(run);
    return {std::move(run.x), {}, {}};
  }

  /// Landing, evaluated on all rows after each run, until the Newton step is short and the signs are right.
  Solved<S> land(Fit<S>& fit) override {
    const FitOptions& options = fit.options;
    const Index p = fit.components, rows = fit.work.rows;
    const double ridge = result_.views[0].ridge;
    Run<S> run(fit.stream, source_, options, p, ridge, std::min(fit.work.batch, rows), rows);
    int attempt = 0;
    const ModelCheckpoint checkpoint(options.checkpoints, data_mark(fit.stream, run.first()), result_.reason,
                                     [&](State& state) {
                                       run.state(state);
                                       state(attempt, result_.passes, result_.iterations, result_.back_offs);
                                     });
    result_.reason = checkpoint.reason();
    if (options.checkpoints.resume.empty()) run.warm_up();
    Checkpoints checkpoints = checkpoint.checkpoints();
    for (const int most = options.passes ? kMostRuns : kMostPasses; attempt < most; ++attempt) {
      auto landed = run.land(checkpoints, fit.watch());
      checkpoints.resume.clear();
      fit.record(landed);
      result_.seconds.solve += fit.timer.lap();
      moments_ = run.evaluate();
      const bool stopped = result_.termination == Termination::stopped,
                 changed = !stopped && signs_changed(moments_, run.weights());
      if (changed) reweigh(moments_, 0, run.weights());
      const Vector<double> signs = run.weights().template cast<double>().cwiseSign();
      const Matrix<double> x = run.x().template cast<double>();
      const Matrix<double> metric = moments_.gram + ridge * x.transpose() * x;
      turn_ = newton_step(moments_, metric, signs);
      result_.views[0].infeasibility = distance_to_identity(metric);
      result_.stationarity = rotation_residual(moments_, signs);
      result_.seconds.evaluate += fit.timer.lap();
      const bool again = changed || (!options.passes && is_far(turn_, moments_.rows));
      if (stopped || !again || attempt + 1 == most) break;  // finish() makes the last turn
      run.turn(turn_);
    }
    result_.choice = run.choice();
    return {{run.x()}, {}, {}};
  }

  void finish(Fit<S>& fit, Solved<S> solved) override {
    const Matrix<double> x = solved.x.front().template cast<double>();
    if (fit.result.method == FitMethod::baseline) {
      // Its components as they are, apart from their scale: unit variance.
      moments_ = component_moments<S>(fit.stream, result_.contrast, solved.x.front());
      result_.views[0].infeasibility = distance_to_identity(moments_.gram);
      turn_ = moments_.gram.diagonal().cwiseSqrt().cwiseInverse().asDiagonal();
    }
    result_.samples = moments_.rows;
    // E a y' (E y y')^-1 of the sources y = (X T)'a.
    const Matrix<double> regression =
        moments_.mixing * inverse<double>(moments_.gram) * inverse<double>(turn_.transpose());
    const Transform<S>& transform = fit.stream.transform(0);
    const auto components = ordered_components(moments_, result_.contrast, unscaled(fit.stream, 0, x * turn_),
                                               transform.scale().asDiagonal() * regression);
    result_.signs = components.signs;
    result_.negentropy = components.negentropy;
    result_.mixing = transform.restore_rows(components.mixing.template cast<S>());
    set_weights(fit.stream, 0, components.weights, result_.views[0]);
  }

 private:
  Source<S>& source_;
  IcaResult<S>& result_;
  ComponentMoments moments_;
  Matrix<double> turn_;  // T of the sources y = (X T)'a
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
