#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/fit/defaults.hpp>
#include <landfall/models/fit/online_landing.hpp>
#include <landfall/models/fit/online_state.hpp>
#include <landfall/models/ica/ica_start.hpp>
#include <landfall/models/ica/online_ica.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr double kBatches = 64;  // that running moments are the mean of: X moves

}  // namespace

template <class S>
OnlineIca<S>::OnlineIca(const OnlineIcaOptions& options) : options_(options) {
  validate(options);
}

template <class S>
void OnlineIca<S>::partial_fit(const Batch<S>& rows, std::span<const double> weights,
                               const CancelFlag& cancel) {
  if (!rows_) {
    const Index n = std::max<Index>(rows.cols(), 1);
    const Index p = options_.components > 0 ? options_.components : n;
    const OnlineRowsOptions options{
        .batch = options_.batch > 0 ? options_.batch : ica_batch<S>(p, n, options_.memory),
        .first_rows = ica_first_rows<S>(ica_pilot_rows(options_.first_rows), p, n, options_.memory),
        .memory = options_.memory / 4,
        .keep_first = options_.saved};
    rows_.emplace(std::vector<std::string>{"data"}, options);
  }
  rows_->push({&rows}, {}, weights);
  while (rows_->next()) {
    if (run_) {
      step(rows_->centred());
    } else if (rows_->complete()) {
      try {
        run_ = start(true);
      } catch (const NumericalError&) {
        if (!rows_->keep_more()) throw;
        continue;
      }
      rows_->release_first();
    }
    cancel.throw_if_requested();
  }
}

template <class S>
void OnlineIca<S>::state(State& state) {
  state_of_rows(state, options_, rows_, OnlineRows<S>({"data"}, {}));
  bool running = run_.has_value();
  state(running);
  if (!running) return;
  if (state.loading())
    with_first_rows(rows_, OnlineRows<S>({"data"}, rows_->options()), [&] { run_ = start(true); });
  state(*run_->weights, run_->value, run_->curvature);
  run_->landing->state(state);
}

template <class S>
typename OnlineIca<S>::Run OnlineIca<S>::start(bool more) const {
  const SerialBlas serial;  // the same result with any number of threads
  const auto constant = rows_->columns(0).constant.size();
  const Index varying = rows_->cols(0) - static_cast<Index>(constant), rows = rows_->rows();
  const Index p = options_.components > 0 ? options_.components : std::max<Index>(varying, 1);
  if (varying < p)
    throw NumericalError(
        fmt::format("{} non-constant columns in {} rows so far, expected at least p = {}", varying, rows, p));
  if (rows <= p)
    throw NumericalError(fmt::format("{} rows so far, expected at least {} for p = {}", rows, p + 1, p));
  IcaOptions options;
  options.contrast = options_.contrast;
  options.memory = options_.memory;
  options.seed = options_.seed;
  const double mean_variance =
      rows_->columns(0).variance.sum() / static_cast<double>(std::max<Index>(varying, 1));
  Run run{.ridge = options_.ridge.value_or(options_.relative_ridge.value_or(0) * mean_variance),
          .weights = std::make_shared<Vector<S>>(Vector<S>::Zero(p)),
          .landing = {},
          .value = {},
          .curvature = {}};
  const auto first = std::make_shared<InMemorySamples<S>>(
      rows_->first(), std::vector<Index>{p}, std::vector<S>{static_cast<S>(run.ridge)},
      contrast_objective<S>(options_.contrast, run.weights), options_.seed);
  IcaStart<S> start(first, run.weights, options);
  start.warm_up(more ? 4 / static_cast<double>(rows) : 0);
  const auto moments = component_moments<S>(first->batches(), options_.contrast, start.x()[0]);
  run.value = moments.value;
  run.curvature = moments.curvature;
  const OnlineLandingOptions landing{
      .batch = rows_->batch(), .more = more, .most_momentum = 0.5, .seed = options_.seed};
  run.landing = std::make_unique<OnlineLanding<S>>(first, start.pilot(), start.release(), start.x(), landing);
  return run;
}

template <class S>
void OnlineIca<S>::step(std::vector<CentredBatch<S>>& rows) {
  const SerialBlas serial;
  InMemoryBatches<S> batch(1);
  std::swap(batch[0], rows);
  const auto now = component_moments<S>(batch, options_.contrast, run_->landing->x()[0]);
  run_->value += (now.value - run_->value) / kBatches;
  run_->curvature += (now.curvature - run_->curvature) / kBatches;
  run_->landing->step(batch[0]);
  std::swap(batch[0], rows);

  auto known = moments(*run_);
  known.rows = std::min(known.rows, static_cast<Index>(kBatches) * rows_->batch());
  const Vector<double> c =
      known.nonlinearity().cwiseProduct(run_->weights->template cast<double>().cwiseSign());
  if (!(c.array() < -doubt(known)).any()) return;
  reweigh<S>(known, doubt(known), *run_->weights);
  run_->landing->forget();
}

/// E y y', E y g'(y)' and E a y' follow from B X and grad f.
template <class S>
ComponentMoments OnlineIca<S>::moments(const Run& run) const {
  const Matrix<double> x = run.landing->x()[0].template cast<double>(),
                       gradient = run.landing->gradient()[0].template cast<double>();
  ComponentMoments moments;
  moments.mixing = run.landing->bx()[0].template cast<double>() - run.ridge * x;
  moments.gram = x.transpose() * moments.mixing;
  symmetrize<double>(moments.gram);
  moments.slopes =
      x.transpose() * gradient * run.weights->template cast<double>().cwiseInverse().asDiagonal();
  moments.value = run.value;
  moments.curvature = run.curvature;
  moments.rows = rows_->rows();
  return moments;
}

template <class S>
IcaResult<S> OnlineIca<S>::result() const {
  if (!rows_ || rows_->rows() == 0) throw UsageError("no rows so far; a result needs at least one batch");
  return run_ ? finish(*run_) : finish(start(false));
}

template <class S>
IcaResult<S> OnlineIca<S>::finish(const Run& run) const {
  const SerialBlas serial;
  const auto moments = this->moments(run);
  const Matrix<double> x = run.landing->x()[0].template cast<double>();
  const Vector<double> signs = run.weights->template cast<double>().cwiseSign();
  const Matrix<double> metric = moments.gram + run.ridge * x.transpose() * x;
  const Matrix<double> t = newton_step(moments, metric, signs);
  // E a y' (E y y')^-1 of the sources y = (X T)'a.
  const Matrix<double> regression =
      moments.mixing * inverse<double>(moments.gram) * inverse<double>(t.transpose());

  IcaResult<S> result;
  ColumnStatistics columns = rows_->columns(0);
  Matrix<double> weights = x * t;
  for (const Index j : columns.constant) weights.row(j).setZero();
  const auto components = ordered_components(moments, options_.contrast, weights, regression);
  result.views.resize(1);
  FittedView<S>& view = result.views[0];
  view.weights = components.weights.template cast<S>();
  result.mixing = components.mixing.template cast<S>();
  result.signs = components.signs;
  result.negentropy = components.negentropy;
  view.mean = std::move(columns.mean);
  view.dropped = std::move(columns.constant);
  view.ridge = run.ridge;
  view.infeasibility = distance_to_identity(t.transpose() * metric * t);
  result.contrast = options_.contrast;
  set_online_run<S>(*run.landing, rows_->rows(), rows_->batch(), result);
  result.sum_of_weights = rows_->sum_of_weights();
  result.stationarity = rotation_residual(moments, signs);
  return result;
}

template class OnlineIca<float>;
template class OnlineIca<double>;

}  // namespace landfall
