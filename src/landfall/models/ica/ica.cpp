#include <landfall/data/rows/row_count.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/models/fit/in_memory_rows.hpp>
#include <landfall/models/fit/model_checkpoint.hpp>
#include <landfall/models/fit/timer.ipp>
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

void validate(const IcaOptions& options) {
  if (options.components < 0)
    throw UsageError(fmt::format("p must not be negative, got {}", options.components));
  if (options.ridge && !(*options.ridge >= 0))
    throw UsageError(fmt::format("a ridge must not be negative, got {}", *options.ridge));
  if (!(options.relative_ridge >= 0))
    throw UsageError(fmt::format("a relative ridge must not be negative, got {}", options.relative_ridge));
  if (options.passes && !(*options.passes > 0))
    throw UsageError(fmt::format("passes must be positive, got {}", *options.passes));
  if (options.first_rows < 1)
    throw UsageError(fmt::format("landing must look at a first row at least, got {}", options.first_rows));
}

template <class S>
double ridge_of(const IcaOptions& options, const DataStream<S>& stream) {
  if (options.ridge) return *options.ridge;
  if (options.relative_ridge == 0 || options.transform.unit_variance) return options.relative_ridge;
  const ColumnStatistics* columns = stream.statistics(0);
  if (columns == nullptr)
    throw UsageError("a ridge relative to the variance needs a reading of its own; give an absolute one");
  double sum = 0;
  for (const Index j : stream.transform(0).kept())
    sum += columns->variance(j) +
           (options.transform.centring == Centring::none ? columns->mean(j) * columns->mean(j) : 0);
  return options.relative_ridge * sum / static_cast<double>(stream.transform(0).kept().size());
}

/// Whether all rows may be kept, and in any order: then only one reading follows that for the mean.
template <class S>
bool fits(const DataStream<S>& stream, const IcaOptions& options, Index n, Index rows) {
  const Source<S>& source = stream.source(0);
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
    const Index wanted = ica_first_rows<S>(options, n), small = std::max<Index>(128, ica_rows_for(p));
    if (fits(stream, options, n, rows)) {
      const auto order = shuffled_rows(rows, options.seed);
      const auto start = std::span(order).first(static_cast<std::size_t>(std::min(wanted, rows)));
      first_ =
          std::make_shared<InMemorySamples<S>>(read_into_memory<S>(source, stream.transform(0), start, small),
                                               components, ridges, objective, options.seed);
      all_ = kept_ =
          std::make_shared<InMemorySamples<S>>(read_into_memory<S>(source, stream.transform(0), order, batch),
                                               components, ridges, objective, options.seed);
    } else {
      first_ = std::make_shared<InMemorySamples<S>>(read_into_memory(stream, wanted, small), components,
                                                    ridges, objective, options.seed);
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

  Result<S> land(const Checkpoints& checkpoints) {
    const SamplingOptions sampling{.estimator = options_.landing.estimator, .batch = batch_};
    if (oracle_)
      oracle_->continue_with(all_, sampling);
    else
      oracle_ = std::make_unique<SampledOracle<S>>(all_, sampling, start_->fields());
    const double r = static_cast<double>(batch_), passes = options_.passes.value_or(1);
    choice_.step = start_->step(r);
    choice_.momentum = options_.landing.momentum.value_or(std::min(0.5, r / (r + 4 * start_->pilot().noise)));
    choice_.omega = options_.landing.omega;
    auto result = solve_with_checkpoints<S>(
        *oracle_, x_,
        {.step =
             {.rule = StepRule::fixed, .size = choice_.step, .schedule = Schedule::cosine, .horizon = passes},
         .omega = options_.landing.omega,
         .momentum = choice_.momentum,
         .stop = stop::passes(passes),
         .observer = [&](const Progress& progress,
                         const Point<S>&) { return !options_.observer || options_.observer(progress); }},
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

/// As the file has the columns: scaled back, in their places.
template <class S>
void set_components(const DataStream<S>& stream, const ComponentMoments& moments, const Matrix<double>& x,
                    const Matrix<double>& mixing, IcaResult<S>& result) {
  const Transform<S>& transform = stream.transform(0);
  const auto components =
      ordered_components(moments, result.contrast, transform.scale().cwiseInverse().asDiagonal() * x,
                         transform.scale().asDiagonal() * mixing);
  result.signs = components.signs;
  result.negentropy = components.negentropy;
  result.unmixing = transform.restore_rows(components.weights.template cast<S>()).transpose();
  result.mixing = transform.restore_rows(components.mixing.template cast<S>());
  result.mean.setZero(stream.source(0).cols());
  for (std::size_t k = 0; k < transform.kept().size(); ++k)
    result.mean(transform.kept()[k]) = transform.mean()(static_cast<Index>(k));
  result.dropped = transform.dropped();
}

/// A baseline's components as they are, but for their scale: unit variance.
template <class S>
void finish_baseline(DataStream<S>& stream, const Matrix<S>& weights, IcaResult<S>& result) {
  const auto moments = component_moments<S>(stream, result.contrast, weights);
  result.samples = moments.rows;
  const Matrix<double> x = weights.template cast<double>();
  result.infeasibility = (moments.gram - Matrix<double>::Identity(x.cols(), x.cols())).norm();
  const Vector<double> length = moments.gram.diagonal().cwiseSqrt();
  const Matrix<double> regression = moments.mixing * inverse<double>(moments.gram) * length.asDiagonal();
  set_components(stream, moments, x * length.cwiseInverse().asDiagonal(), regression, result);
}

}  // namespace

template <class S>
IcaResult<S> fit_ica(SourcePtr<S> data, const IcaOptions& options) {
  validate(options);
  const SerialBlas serial;  // products of a step are small, and the same whatever the number of threads
  IcaResult<S> result;
  result.contrast = options.contrast;
  Timer timer;
  result.batch =
      options.batch > 0
          ? options.batch
          : std::max<Index>(1024, ica_rows_for(options.components > 0 ? options.components : data->cols()));
  Source<S>& source = *data;
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::move(data));
  DataStream<S> stream(
      std::move(sources),
      {.batch = result.batch, .shuffle = {.seed = options.seed}, .transform = options.transform});
  result.mean_pass = options.transform.needs_statistics();
  const Index n = static_cast<Index>(stream.transform(0).kept().size());
  const Index p = options.components > 0 ? options.components : n;
  if (n < p)
    throw NumericalError(fmt::format("{}: {} columns that are not constant, expected at least p = {}",
                                     stream.source(0).name(), n, p));
  result.ridge = ridge_of(options, stream);
  const Index rows = count_rows(stream);
  result.seconds.read = timer.lap();

  if (!options.baseline.empty()) {
    const Baseline& baseline = find_baseline(options.baseline, Problem::ica);
    auto found = solve_ica_baseline<S>(baseline, stream, options, p, rows);
    result.method_name = baseline.name;
    result.passes = found.progress.passes;
    result.iterations = found.progress.iteration;
    result.termination = found.termination;
    result.history = std::move(found.history);
    result.stationarity = found.progress.stationarity;
    result.seconds.solve = timer.lap();
    finish_baseline(stream, found.x.front(), result);
    result.seconds.evaluate = timer.lap();
    return result;
  }

  Run<S> run(stream, source, options, p, result.ridge, std::min(result.batch, rows), rows);
  int attempt = 0;
  const ModelCheckpoint continued(options.checkpoints, data_mark(stream, run.first()), {}, [&](State& state) {
    run.state(state);
    state(attempt, result.passes, result.iterations, result.back_offs);
  });
  if (options.checkpoints.resume.empty()) run.warm_up();
  Checkpoints checkpoints = continued.checkpoints();
  ComponentMoments moments;
  Matrix<double> x, t;
  for (const int most = options.passes ? kMostRuns : kMostPasses; attempt < most; ++attempt) {
    auto landed = run.land(checkpoints);
    checkpoints.resume.clear();
    result.passes += landed.progress.passes;
    result.iterations += landed.progress.iteration;
    result.back_offs += landed.progress.back_offs;
    result.termination = landed.termination;
    result.history = std::move(landed.history);
    if (result.termination == Termination::diverged || result.termination == Termination::infeasible_start)
      throw NumericalError(fmt::format("{}: landing failed after {} steps: {}", stream.source(0).name(),
                                       result.iterations, to_string(result.termination)));
    result.seconds.solve += timer.lap();
    moments = run.evaluate();
    const bool stopped = result.termination == Termination::stopped,
               changed = !stopped && signs_changed(moments, run.weights());
    if (changed) reweigh(moments, 0, run.weights());
    const Vector<double> signs = run.weights().template cast<double>().cwiseSign();
    x = run.x().template cast<double>();
    const Matrix<double> metric = moments.gram + result.ridge * x.transpose() * x;
    t = newton_step(moments, metric, signs);
    result.infeasibility = (metric - Matrix<double>::Identity(p, p)).norm();
    result.stationarity = rotation_residual(moments, signs);
    result.seconds.evaluate += timer.lap();
    if (stopped || !(changed || (!options.passes && is_far(t, moments.rows)))) break;
    run.turn(t);
  }
  result.choice = run.choice();
  result.samples = moments.rows;

  // E a y' (E y y')^-1 of the sources y = (X T)'a.
  const Matrix<double> regression =
      moments.mixing * inverse<double>(moments.gram) * inverse<double>(t.transpose());
  set_components(stream, moments, x * t, regression, result);
  result.seconds.evaluate += timer.lap();
  return result;
}

template <class S>
Matrix<S> transform(const IcaResult<S>& result, const Batch<S>& rows) {
  const Matrix<S> weights = result.unmixing.transpose();
  Matrix<S> sources(rows.rows(), weights.cols());
  rows.times(weights, sources);
  const Vector<S> shift = result.unmixing * result.mean.template cast<S>();
  sources.rowwise() -= shift.transpose();
  return sources;
}

LANDFALL_ICA(, float)
LANDFALL_ICA(, double)

}  // namespace landfall
