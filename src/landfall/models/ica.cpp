#include <landfall/errors.hpp>
#include <landfall/models/components.hpp>
#include <landfall/models/ica.hpp>
#include <landfall/models/whitening.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include <Eigen/LU>
#include <fmt/format.h>

namespace landfall {
namespace {

constexpr int kLookEvery = 2;  // passes over the first rows from one look at the signs to the next
constexpr int kMostRounds = 12;

class Timer {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void validate(const IcaOptions& options) {
  if (options.components < 0)
    throw UsageError(fmt::format("p must not be negative, got {}", options.components));
  if (options.ridge && !(*options.ridge >= 0))
    throw UsageError(fmt::format("a ridge must not be negative, got {}", *options.ridge));
  if (!(options.relative_ridge >= 0))
    throw UsageError(fmt::format("a relative ridge must not be negative, got {}", options.relative_ridge));
  if (!(options.passes > 0))
    throw UsageError(fmt::format("passes must be positive, got {}", options.passes));
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

template <class S>
Index count_rows(DataStream<S>& stream) {
  if (const ColumnStatistics* columns = stream.statistics(0)) return columns->rows;
  if (const auto rows = stream.source(0).rows()) return *rows;
  Index rows = 0;
  stream.begin_pass(0);
  while (stream.next()) rows += stream.view(0).rows();
  return rows;
}

/// The weights s_j / (2 max |c|) of f; true where they ask for another run over the first rows.
template <class S>
bool reweigh(const ComponentMoments& moments, Vector<S>& weights) {
  const Vector<double> c = moments.nonlinearity();
  // Gaussian sources leave nothing but noise in c, which must not be blown up.
  const double largest = std::max(c.cwiseAbs().maxCoeff(), 0.05 * moments.slopes.diagonal().mean());
  const Vector<S> last = weights;
  for (Index j = 0; j < c.size(); ++j) weights(j) = static_cast<S>((c(j) < 0 ? -0.5 : 0.5) / largest);
  const S ratio = last.cwiseAbs().maxCoeff() / weights.cwiseAbs().maxCoeff();
  return (last.array() * weights.array() <= 0).any() || ratio > S(1.5) || ratio < S(0.7);
}

/// Landing over the first rows, then over all.
template <class S>
class Run {
 public:
  Run(DataStream<S>& stream, const IcaOptions& options, Index p, double ridge, Index batch, Index rows)
      : options_(options), batch_(batch), weights_(std::make_shared<Vector<S>>(Vector<S>::Zero(p))) {
    const auto link = contrast_link<S>(options.contrast, weights_);
    const Index n = static_cast<Index>(stream.transform(0).kept().size());
    const std::vector<Index> components{p};
    const std::vector<S> ridges{static_cast<S>(ridge)};
    first_ = std::make_shared<KeptSamples<S>>(keep_rows(stream, std::max(options.first_rows, 8 * n)), components,
                                              ridges, link, options.seed);
    all_ = std::make_shared<StreamSamples<S>>(stream, components, ridges, link, rows);
    const auto squares = 3 * sizeof(double) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n);
    look_ = squares <= options.memory ? whiten(*first_, options.seed)
                                      : look_at(*first_, options.landing.rank, options.seed);
    x_ = look_.start;
    choice_ = {.first_rows = first_->count(), .rank = look_.rank, .noise = look_.noise};
  }

  void warm_up() {
    const double size = static_cast<double>(first_->batches().front().front().rows());
    const double fitted = first_->count() < all_->count() ? 4 / static_cast<double>(first_->count()) : 0;
    const int least = (options_.landing.warm_up + kLookEvery - 1) / kLookEvery;
    reweigh<S>(look(), *weights_);
    for (int round = 1; round <= kMostRounds && least > 0; ++round) {
      landscape_.emplace(first_, SamplingOptions{.estimator = options_.landing.estimator, .pass_variance = fitted},
                         fields());
      x_ = solve<S>(*landscape_, std::move(x_),
                    {.step = {.rule = StepRule::fixed, .size = step(size)},
                     .omega = options_.landing.omega,
                     .stop = stop::passes(kLookEvery),
                     .history = 0})
               .x;
      choice_.warm_up += kLookEvery;
      const Vector<S> last = *weights_;
      const bool again = reweigh<S>(look(), *weights_);
      if (again || round < least) continue;
      *weights_ = last;  // those of the estimate that landing goes on with
      break;
    }
  }

  Result<S> land() {
    const SamplingOptions sampling{.estimator = options_.landing.estimator, .batch = batch_};
    if (landscape_)
      landscape_->continue_with(all_, sampling);
    else
      landscape_.emplace(all_, sampling, fields());
    const double r = static_cast<double>(batch_);
    choice_.step = step(r);
    choice_.momentum = options_.landing.momentum.value_or(std::min(0.5, r / (r + 4 * look_.noise)));
    choice_.omega = options_.landing.omega;
    auto result = solve<S>(*landscape_, x_,
                           {.step = {.rule = StepRule::fixed,
                                     .size = choice_.step,
                                     .schedule = Schedule::cosine,
                                     .horizon = options_.passes},
                            .omega = options_.landing.omega,
                            .momentum = choice_.momentum,
                            .stop = stop::passes(options_.passes),
                            .observer = [&](const Progress& progress, const Point<S>&) {
                              return !options_.observer || options_.observer(progress);
                            }});
    x_ = result.x;
    landscape_.reset();
    return result;
  }

  Vector<S>& weights() { return *weights_; }
  const Matrix<S>& x() const { return x_.front(); }
  const AdaptiveChoice& choice() const { return choice_; }

 private:
  double step(double r) const {
    return options_.landing.step > 0 ? options_.landing.step : 0.55 * r / (r + look_.noise);
  }
  std::vector<FieldOptions<S>> fields() const {
    return {{Direction::preconditioned, Normal::newton, look_.metric.front()}};
  }
  ComponentMoments look() const {
    return component_moments<S>(first_->batches(), options_.contrast, x_.front());
  }

  const IcaOptions& options_;
  Index batch_;
  std::shared_ptr<Vector<S>> weights_;
  std::shared_ptr<KeptSamples<S>> first_;
  std::shared_ptr<StreamSamples<S>> all_;
  FirstLook<S> look_;
  std::optional<SampledLandscape<S>> landscape_;
  Point<S> x_;
  AdaptiveChoice choice_;
};

/// Whether a component has another sign on all rows than landing was told, beyond sampling error.
template <class S>
bool signs_changed(const ComponentMoments& moments, const Vector<S>& weights) {
  const Vector<double> c = moments.nonlinearity();
  const double error = 4 * moments.slopes.diagonal().cwiseAbs().mean() / std::sqrt(static_cast<double>(moments.rows));
  return (c.array().abs() > error && c.array() * weights.template cast<double>().array() < 0).any();
}

/// Weights of the columns as the file has them: scaled back, in their places, in order, with the largest
/// weight of each source positive.
template <class S>
void set_components(const DataStream<S>& stream, const ComponentMoments& moments, Matrix<double> x,
                    Matrix<double> mixing, IcaResult<S>& result) {
  const Index p = x.cols();
  const Vector<double> entropy = (moments.value.array() - gaussian_value(result.contrast)).square();
  const Vector<double> c = moments.nonlinearity() * super_gaussian_sign(result.contrast);
  std::vector<Index> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return entropy(a) > entropy(b); });

  const Transform<S>& transform = stream.transform(0);
  x = transform.scale().cwiseInverse().asDiagonal() * x;
  mixing = transform.scale().asDiagonal() * mixing;
  Matrix<S> weights(x.rows(), p), columns(x.rows(), p);
  result.signs.resize(p);
  result.negentropy.resize(p);
  for (Index j = 0; j < p; ++j) {
    const Index from = order[static_cast<std::size_t>(j)];
    Index largest = 0;
    x.col(from).cwiseAbs().maxCoeff(&largest);
    const double sign = x(largest, from) < 0 ? -1 : 1;
    weights.col(j) = (sign * x.col(from)).template cast<S>();
    columns.col(j) = (sign * mixing.col(from)).template cast<S>();
    result.signs(j) = c(from) < 0 ? -1 : 1;
    result.negentropy(j) = entropy(from);
  }
  result.unmixing = transform.restore_rows(weights).transpose();
  result.mixing = transform.restore_rows(columns);
  result.mean.setZero(stream.source(0).cols());
  for (std::size_t k = 0; k < transform.kept().size(); ++k)
    result.mean(transform.kept()[k]) = transform.mean()(static_cast<Index>(k));
  result.dropped = transform.dropped();
}

}  // namespace

template <class S>
IcaResult<S> fit_ica(SourcePtr<S> data, const IcaOptions& options) {
  validate(options);
  const SerialBlas serial;  // products of a step are small, and the same whatever the number of threads
  IcaResult<S> result;
  result.contrast = options.contrast;
  Timer timer;
  result.batch = options.batch > 0 ? options.batch : std::max<Index>(1024, 2 * data->cols());
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::move(data));
  DataStream<S> stream(std::move(sources), {.batch = result.batch,
                                            .shuffle = {.seed = options.seed},
                                            .transform = options.transform});
  result.mean_pass = options.transform.needs_statistics();
  const Index n = static_cast<Index>(stream.transform(0).kept().size());
  const Index p = options.components > 0 ? options.components : n;
  if (n < p)
    throw NumericalError(fmt::format("{}: {} columns that are not constant, expected at least p = {}",
                                     stream.source(0).name(), n, p));
  result.ridge = ridge_of(options, stream);
  const Index rows = count_rows(stream);
  result.seconds.read = timer.lap();

  Run<S> run(stream, options, p, result.ridge, std::min(result.batch, rows), rows);
  run.warm_up();
  ComponentMoments moments;
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto landed = run.land();
    result.passes += landed.progress.passes;
    result.iterations += landed.progress.iteration;
    result.back_offs += landed.progress.back_offs;
    result.termination = landed.termination;
    result.history = std::move(landed.history);
    if (result.termination == Termination::diverged || result.termination == Termination::infeasible_start)
      throw NumericalError(fmt::format("{}: landing failed after {} steps: {}", stream.source(0).name(),
                                       result.iterations, to_string(result.termination)));
    result.seconds.solve += timer.lap();
    moments = component_moments<S>(stream, options.contrast, run.x());
    result.seconds.evaluate += timer.lap();
    if (result.termination == Termination::stopped || !signs_changed(moments, run.weights())) break;
    reweigh(moments, run.weights());
  }
  result.choice = run.choice();
  result.samples = moments.rows;

  const Matrix<double> x = run.x().template cast<double>();
  Matrix<double> metric = moments.gram + result.ridge * x.transpose() * x;
  const Vector<double> signs = run.weights().template cast<double>().cwiseSign();
  result.infeasibility = (metric - Matrix<double>::Identity(p, p)).norm();
  result.stationarity = rotation_residual(moments, signs);
  const Matrix<double> t = newton_step(moments, metric, signs);
  // E a y' (E y y')^-1 of the sources y = (X T)'a.
  const Matrix<double> regression = moments.mixing * moments.gram.inverse() * t.transpose().inverse();
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
