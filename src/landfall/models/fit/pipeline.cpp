#include <landfall/data/io/checksum.hpp>
#include <landfall/data/rows/row_count.hpp>
#include <landfall/errors.hpp>
#include <landfall/landing/subspace/solve_subspace.hpp>
#include <landfall/models/fit/model_checkpoint.hpp>
#include <landfall/models/fit/pipeline.hpp>
#include <landfall/models/fit/warnings.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kExactBatch = 1024;
constexpr Index kSmallPiece = 128;  // of the first rows
constexpr double kGapMargin = 3;    // an estimated gap is at most so many times too small (docs/method.md)

template <class S>
bool is_sparse(const DataStream<S>& stream) {
  for (std::size_t i = 0; i < stream.views(); ++i)
    if (stream.source(i).sparse()) return true;
  return false;
}

/// What the readings so far, which took `seconds` each, tell about the rows.
template <class S>
SourceSample sample(DataStream<S>& stream, bool held_out, double seconds) {
  if (stream.statistics(0) == nullptr) return {.rows = count_rows(stream, held_out)};
  const Index rows = stream.statistics(0)->rows;
  double entries = 0;
  for (std::size_t i = 0; i < stream.views(); ++i)
    entries += static_cast<double>(stream.statistics(i)->nonzeros);
  const auto count = static_cast<double>(std::max<Index>(rows, 1));
  return {.rows = rows, .reading = seconds / count, .nonzeros = entries / count};
}

/// In the coordinates of the stream, where it is a multiple of the identity.
template <class S>
void set_ridge(Model<S>& model, Fit<S>& fit) {
  const FitOptions& options = fit.options;
  FitResult<S>& result = fit.result;
  result.ridge_kind = ridge_kind(options);
  double ridge = 0;
  if (options.ridge || options.relative_ridge) {
    ridge = options.ridge.value_or(options.relative_ridge.value_or(0));
  } else if (model.scaling() == Scaling::row_size) {
    if (fit.stream.statistics(0) == nullptr)
      throw UsageError("an automatic ridge requires an extra pass over the data; give one with --ridge");
    const RidgeChoice choice = model.automatic_ridge(fit);
    result.ridge_rows = choice.rows;
    ridge = choice.rows / static_cast<double>(fit.stream.statistics(0)->rows);
    if (choice.rows > 0)
      result.warnings.push_back(
          fmt::format("{}: a ridge of {:g} rows was added, because {}; --ridge 0 gives the plain answer",
                      fit.stream.source(0).name(), choice.rows, choice.reason));
  }
  if (options.relative_ridge && *options.relative_ridge > 0 && !fit.stream.statistics(0))
    throw UsageError(
        "a ridge relative to the variance requires an extra pass over the data; give an absolute one");
  for (auto& view : result.views) view.ridge = ridge;
}

/// While few rows have been seen; a ridge of all rows was larger then too.
template <class S>
void set_fading_ridge(Model<S>& model, Fit<S>& fit) {
  const bool scaled = model.scaling() == Scaling::row_size && fit.stream.statistics(0) != nullptr;
  const bool given = fit.options.ridge.value_or(0) > 0 || fit.options.relative_ridge.value_or(0) > 0;
  if (!scaled || given) return;
  fit.fading_rows = fit.result.ridge_rows > 0 ? fit.result.ridge_rows : model.fading_ridge(fit);
}

/// Numbers that are not finite never leave; a run that ended before it converged says so.
template <class S>
void check_result(const Model<S>& model, Fit<S>& fit) {
  FitResult<S>& result = fit.result;
  double left = 0;
  for (std::size_t i = 0; i < result.views.size(); ++i) {
    const FittedView<S>& view = result.views[i];
    if (!view.weights.allFinite() || !std::isfinite(view.infeasibility))
      throw NumericalError(fmt::format("{}: {} ended with weights that are not finite",
                                       fit.stream.source(i).name(), result.method_name));
    left = std::max(left, view.method_infeasibility);
  }
  if (result.method == FitMethod::baseline && model.has_exact())
    result.converged = result.termination == Termination::converged;
  if (result.method != FitMethod::landing || !model.has_exact()) return;  // ICA knows better
  if (result.converged) return;
  const std::string passes = fmt::format("{:.3g} {}", result.passes, result.passes == 1 ? "pass" : "passes");
  if (result.estimated_gap)
    result.warnings.push_back(
        fmt::format("landing had not converged after {}: its estimated gap to the optimum is {:.1g} (up to "
                    "{:.1g}), expected "
                    "{:g}; more passes come closer",
                    passes, *result.estimated_gap, std::min(1.0, kGapMargin * *result.estimated_gap),
                    fit.options.tolerance));
  else
    result.warnings.push_back(
        fmt::format("landing ended after {} before it converged (stationarity {:.1g}, infeasibility {:.1g}, "
                    "expected {:g}); "
                    "more --passes come closer",
                    passes, result.stationarity, left, kConverged));
}

/// Exact, landing or a baseline, and why.
template <class S>
const Baseline* choose(const Model<S>& model, Fit<S>& fit) {
  const FitOptions& options = fit.options;
  const bool resumed = !options.checkpoints.resume.empty();
  const Baseline* baseline = nullptr;
  if (!options.baseline.empty()) {
    if (!model.problem())
      throw UsageError(
          fmt::format("this model has no method '{}'; expected auto, exact or landing", options.baseline));
    baseline = &find_baseline(options.baseline, *model.problem());
    if (const int ranks = fit.stream.communicator().size(); ranks > 1)
      throw UsageError(fmt::format("{} runs in one process, got {} ranks; expected exact or landing",
                                   baseline->name, ranks));
    if (resumed) throw UsageError(fmt::format("{} does not support checkpoints", baseline->name));
  }
  FitResult<S>& result = fit.result;
  if (baseline) {
    result.method = FitMethod::baseline;
    result.reason = MethodChoice{}.reason;
  } else if (!model.has_exact()) {
    if (options.method == FitMethod::exact)
      throw UsageError("this model has no exact method; expected auto or landing");
    result.method = FitMethod::landing;
    result.reason = options.method == FitMethod::landing ? "requested" : "the only method";
  } else {
    auto chosen = choose_method<S>(resumed ? FitMethod::landing : options.method, fit.work, options.memory);
    Communicator& ranks = fit.stream.communicator();  // the choice depends on measured rates: rank 0 makes it
    ranks.broadcast(std::as_writable_bytes(std::span(&chosen.method, 1)));
    broadcast_text(ranks, chosen.reason);
    result.method = chosen.method;
    result.reason = std::move(chosen.reason);
  }
  if (!baseline && model.has_exact()) require_memory<S>(fit.work, options.memory, result.method);
  result.method_name = baseline ? baseline->name : to_string(result.method);
  return baseline;
}

}  // namespace

template <class S>
std::vector<double> Fit<S>::ridges() const {
  std::vector<double> ridges;
  for (const auto& view : result.views) ridges.push_back(view.ridge);
  return ridges;
}

template <class S>
std::vector<double> Fit<S>::solver_ridges() const {
  constexpr double least = sizeof(S) == sizeof(float) ? 1e-6 : 1e-12;  // too small to show in a result
  std::vector<double> all = ridges();
  // K of the recursive estimator is 0 there instead.
  if (result.method == FitMethod::landing && options.landing.estimator != Estimator::recursive)
    for (double& ridge : all) ridge = std::max(ridge, least);
  return all;
}

template <class S>
std::vector<Index> Fit<S>::features() const {
  std::vector<Index> features;
  for (std::size_t i = 0; i < stream.views(); ++i)
    features.push_back(static_cast<Index>(stream.transform(i).kept().size()));
  return features;
}

template <class S>
std::function<bool(const Progress&, const Point<S>&)> Fit<S>::watch() const {
  return [this](const Progress& progress, const Point<S>& x) {
    const bool goes_on = observer == nullptr || observer->step(progress, x);
    return (!options.observer || options.observer(progress)) && goes_on;
  };
}

template <class S>
void Fit<S>::record(Result<S>& run) {
  result.stationarity = run.progress.stationarity;
  result.passes += run.progress.passes;
  result.iterations += run.progress.iteration;
  result.back_offs += run.progress.back_offs;
  result.termination = run.termination;
  result.history = std::move(run.history);
  if (run.termination == Termination::diverged || run.termination == Termination::infeasible_start) {
    if (result.method == FitMethod::baseline)
      throw NumericalError(fmt::format("{} diverged after {} steps; a smaller --step may help",
                                       result.method_name, result.iterations));
    throw NumericalError(fmt::format("{}: landing failed after {} steps: {}", stream.source(0).name(),
                                     result.iterations, to_string(run.termination)));
  }
}

template <class S>
Solved<S> Model<S>::exact(Fit<S>&) {
  throw UsageError("this model has no exact method");
}

template <class S>
Solved<S> Model<S>::baseline(Fit<S>&, const Baseline&) {
  throw UsageError("this model has no baselines");
}

namespace {

/// What a run of landing leaves, whichever estimator it used.
template <class S, class Run>
Solved<S> landed(Fit<S>& fit, Run run, const AdaptiveChoice& choice) {
  fit.result.choice = choice;
  fit.record(run);
  if (fit.observer) fit.observer->end(run.progress, run.x);
  Solved<S> solved;
  solved.x = std::move(run.x);
  if constexpr (requires { run.ordered; }) solved.ordered = run.ordered;
  if (!solved.ordered) {
    solved.gradient = std::move(run.gradient);
    solved.bx = std::move(run.bx);
  }
  return solved;
}

template <class S>
Solved<S> land_once(Fit<S>& fit, const ScoreObjective<S>& f, std::uint64_t mark) {
  DataStream<S>& stream = fit.stream;
  const FitOptions& options = fit.options;
  const std::vector<Index> columns(stream.views(), fit.work.columns);
  std::vector<S> ridges;
  for (const double ridge : fit.solver_ridges()) ridges.push_back(static_cast<S>(ridge));
  // A product with a batch costs n numbers beside its rows, so the pieces are large; K needs rows of its own, so there are
  // eight of them. The other estimators step through them.
  const Index piece = options.landing.estimator == Estimator::recursive
                          ? std::clamp<Index>(fit.work.first_rows / 8, 1, fit.work.batch)
                          : kSmallPiece;
  auto first = std::make_shared<InMemorySamples<S>>(read_into_memory(stream, fit.work.first_rows, piece),
                                                    columns, ridges, f, options.seed, stream.communicator());
  auto all = std::make_shared<StreamSamples<S>>(stream, columns, ridges, f, fit.work.rows);

  Checksum data;
  const std::array marks{data_mark(stream, *first), mark};
  data.add(std::as_bytes(std::span(marks)));
  const ModelCheckpoint checkpoint(options.checkpoints, data.value(), fit.result.reason);
  fit.result.reason = checkpoint.reason();

  const AdaptiveOptions& by_hand = options.landing;
  if (by_hand.estimator == Estimator::recursive) {
    const AdaptiveOptions standard;
    if (by_hand.momentum || by_hand.omega != standard.omega || by_hand.warm_up != standard.warm_up)
      fit.result.warnings.push_back(
          "momentum, attraction and warm-up have no effect here: they belong to the estimators shared, split "
          "and svrg");
    std::vector<Vector<S>> variance;
    for (auto& view : column_scales(stream)) variance.push_back(std::move(view.variance));
    auto [run, choice] = solve_subspace<S>(
        std::move(first), std::move(all),
        {.wanted = fit.components,
         .ridge = fit.solver_ridges(),
         .rows = static_cast<double>(fit.work.rows),
         .fading_rows = fit.fading_rows,
         .rank = fit.work.ranks,
         .step = by_hand.step,
         .seed = options.seed},
        {.passes = options.passes, .tolerance = options.tolerance, .most_passes = options.most_passes},
        variance, fit.watch(), checkpoint.checkpoints(), options.cancel);
    fit.result.estimated_gap = run.estimated_gap;
    fit.result.converged = run.converged;
    return landed(fit, std::move(run), choice);
  }
  AdaptiveOptions landing = by_hand;
  landing.passes = fit.work.passes;
  landing.batch = fit.work.batch;
  landing.rank = fit.work.rank;
  landing.seed = options.seed;
  auto [run, choice] = solve_adaptively<S>(std::move(first), std::move(all), landing, fit.watch(),
                                           column_scales(stream), checkpoint.checkpoints(), options.cancel);
  fit.result.converged = run.progress.stationarity <= kConverged;
  return landed(fit, std::move(run), choice);
}

}  // namespace

template <class S>
Solved<S> land_adaptively(Fit<S>& fit, const ScoreObjective<S>& f, std::uint64_t mark) {
  for (;;) {
    try {
      return land_once(fit, f, mark);
    } catch (const LowRank& low) {
      // Without guard columns, or with fewer components where their number was left to the model.
      const std::string& name = fit.stream.source(low.view).name();
      if (low.rank == 0 || (fit.options.components > 0 && low.rank < fit.components))
        throw NumericalError(fmt::format("{}: rank {} on the training rows, expected at least p = {}", name,
                                         low.rank, fit.components));
      fit.components = std::min(fit.components, low.rank);
      fit.work.columns = low.rank;
      fit.result.warnings.push_back(dependent_columns(name, fit.features()[low.view], low.rank));
    }
  }
}

template <class S>
BaselineOptions<S> baseline_options(const Fit<S>& fit, double passes) {
  BaselineOptions<S> options;
  options.components = fit.components;
  const auto ridges = fit.ridges();
  std::copy_n(ridges.begin(), std::min(ridges.size(), options.ridge.size()), options.ridge.begin());
  options.step = fit.options.landing.step;
  options.passes = passes;
  options.memory = fit.options.memory;
  options.seed = fit.options.seed;
  options.observer = fit.watch();
  return options;
}

void require_columns(const std::string& name, Index features, Index p) {
  if (features < p)
    throw NumericalError(
        fmt::format("{}: {} non-constant columns, expected at least p = {}", name, features, p));
}

template <class S>
void fit_model(Model<S>& model, std::vector<SourcePtr<S>> sources, const FitOptions& options,
               FitResult<S>& result, FitObserver<S>* observer) {
  validate(options);
  model.validate(options);
  Timer timer;
  std::optional<ThreadPool> own;  // where the caller has no pool for it
  if (!ThreadPool::current()) own.emplace(threads());
  const ThreadPool::Use use(own ? *own : *ThreadPool::current());
  // All but the exact method give the same result with any number of threads.
  std::optional<SerialBlas> serial(std::in_place);

  // Open, with the statistics of the columns.
  const auto rewindable = [](const auto& source) { return source->rewindable(); };
  TransformOptions transform = options.transform;
  if (std::ranges::all_of(sources, rewindable)) transform.scaling = ridge_scaling(options, model.scaling());
  DataStream<S> stream(std::move(sources),
                       {.batch = kExactBatch,
                        .shuffle = {.seed = options.seed,
                                    .held_out = options.held_out,
                                    .folds = options.fold >= 0 ? *options.folds : 0,
                                    .fold = options.fold},
                        .transform = transform,
                        .weights = options.weights,
                        .communicator = options.communicator,
                        .rank_rows = options.rank_rows,
                        .mark = options.checkpoints.save || !options.checkpoints.resume.empty(),
                        .cancel = options.cancel});
  Fit<S> fit{options, stream, result, observer, timer};
  result.mean_pass = stream.statistics(0) != nullptr;
  result.sum_of_weights = stream.sum_of_weights();
  const double first_reading = fit.timer.lap();
  model.begin(fit);
  result.seconds.read = first_reading + fit.timer.lap();

  // Ridge.
  const std::vector<Index> features = fit.features();
  fit.components = model.components(options, features);
  result.views.resize(stream.views());
  for (std::size_t i = 0; i < stream.views(); ++i)
    require_columns(stream.source(i).name(), features[i], fit.components);
  set_ridge(model, fit);
  for (auto& warning : column_warnings(stream)) result.warnings.push_back(std::move(warning));

  // Plan.
  fit.work = model.workload(options, features, fit.components, is_sparse(stream),
                            sample(stream, options.holds_out(), first_reading));
  const Baseline* baseline = choose(model, fit);
  if (fit.exact()) serial.reset();
  if (!fit.exact() && !baseline) set_fading_ridge(model, fit);
  result.batch = fit.exact() || (baseline && !baseline->stream && !baseline->mixtures) ? kExactBatch
                 : baseline && model.has_exact() && options.batch == 0
                     ? small_batch(fit.components, is_sparse(stream))
                     : fit.work.batch;
  stream.set_batch(result.batch);

  // Solve.
  if (observer && !fit.exact()) {
    observer->begin(stream, fit.ridges());
    fit.timer.lap();
  }
  Solved<S> solved;
  if (fit.exact()) {
    solved = model.exact(fit);
    result.passes = 1;
  } else {
    solved = baseline ? model.baseline(fit, *baseline) : model.land(fit);
    if (!baseline && model.has_exact() &&
        std::ranges::all_of(fit.ridges(), [](double ridge) { return ridge == 0; }))
      for (auto& warning : condition_warnings(stream))
        if (std::ranges::find(result.warnings, warning) == result.warnings.end())
          result.warnings.push_back(std::move(warning));
  }
  result.seconds.solve += fit.timer.lap();

  // Evaluate and finish.
  model.finish(fit, std::move(solved));
  check_result(model, fit);
  result.seconds.evaluate += fit.timer.lap();
}

template <class S>
Workload landing_workload(const FitOptions& options, const std::vector<Index>& features, Index p,
                          Index columns, bool sparse, const SourceSample& sample) {
  Workload work{.rows = sample.rows,
                .features = features,
                .reading = sample.reading,
                .statistics = sample.statistics,
                .held = sample.held,
                .components = p,
                .columns = columns,
                .batch = options.batch > 0 || options.landing.estimator == Estimator::recursive
                             ? options.batch
                             : small_batch(p, sparse),
                .rank = options.landing.rank,
                .first_rows = options.first_rows,
                .passes = options.passes.value_or(default_passes(sample.rows)),
                .warm_up = options.landing.warm_up};
  if (sparse) work.nonzeros = sample.nonzeros;
  choose_sizes<S>(work, options.memory);
  if (!options.passes && options.landing.estimator == Estimator::recursive)
    work.passes = predicted_passes({.rows = static_cast<double>(work.rows),
                                    .first_rows = static_cast<double>(work.first_rows),
                                    .noise = static_cast<double>(*std::ranges::max_element(features)),
                                    .tolerance = options.tolerance,
                                    .most = options.most_passes});
  return work;
}

template <class S>
Workload model_workload(const Model<S>& model, const std::vector<Source<S>*>& sources,
                        const FitOptions& options) {
  SourceSample all;
  std::vector<Index> features;
  bool sparse = false;
  for (Source<S>* source : sources) {
    const SourceSample one = sample_source(*source);
    if (!features.empty() && one.rows != all.rows)
      throw DataError(fmt::format("{} has {} rows and {} has {}; expected the same number in both",
                                  sources.front()->name(), all.rows, source->name(), one.rows));
    all.rows = one.rows;
    all.reading += one.reading;
    all.nonzeros += one.nonzeros;
    all.statistics += one.statistics;
    all.held += one.held;
    features.push_back(source->cols());
    sparse = sparse || source->sparse();
  }
  return model.workload(options, features, model.components(options, features), sparse, all);
}

LANDFALL_PIPELINE(, float)
LANDFALL_PIPELINE(, double)

}  // namespace landfall
