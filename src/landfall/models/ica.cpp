#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/components.hpp>
#include <landfall/models/ica.hpp>
#include <landfall/models/kept_rows.hpp>
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

// Of the warm-up: steps from one look at the signs to the next, and looks at most.
constexpr Index kStepsPerRound = 48;
constexpr int kMostRounds = 40;
// Of |c| over E g'(y) y: 0.28 for a Laplace source and log cosh. Less than this does not make f larger, or
// the steps would be too long once the first sources are found.
constexpr double kLeastNonlinearity = 0.12;

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
  if (!(options.passes > 0)) throw UsageError(fmt::format("passes must be positive, got {}", options.passes));
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

/// What |c| of a Gaussian component may come to by chance.
double doubt(const ComponentMoments& moments) {
  return 3 * moments.slopes.diagonal().cwiseAbs().mean() / std::sqrt(static_cast<double>(moments.rows));
}

/// The weights s_j / (2 max |c|) of f. A sign that is there changes where s_j c_j < -least. At first all are
/// the same: c of a mixture of many sources is mostly noise, its sum over the components less so.
template <class S>
void reweigh(const ComponentMoments& moments, double least, Vector<S>& weights) {
  const Vector<double> c = moments.nonlinearity();
  const double slope = moments.slopes.diagonal().cwiseAbs().mean();
  const double largest = std::max(c.cwiseAbs().maxCoeff(), kLeastNonlinearity * slope);
  for (Index j = 0; j < c.size(); ++j) {
    double sign = weights(j) < 0 ? -1 : 1;
    if (weights(j) == 0)
      sign = c.sum() < 0 ? -1 : 1;
    else if (sign * c(j) < -least)
      sign = -sign;
    weights(j) = static_cast<S>(sign / (2 * largest));
  }
}

/// Rows that ICA needs to see more than noise: among n directions of N Gaussian rows some have |c| of the
/// order of sqrt(n/N) by chance, which 100 rows per column keep below that of most sources.
template <class S>
Index first_rows(const IcaOptions& options, Index n) {
  const std::uint64_t fit = options.memory / 4 / (sizeof(S) * static_cast<std::uint64_t>(n));
  return std::max({options.first_rows, 8 * n,
                   std::min(100 * n, static_cast<Index>(std::min<std::uint64_t>(fit, 1u << 30)))});
}

/// What a batch must have so that its Gram matrix of the p components is near that of all rows.
constexpr Index rows_for(Index p) {
  return 8 * p;
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
    const auto link = contrast_link<S>(options.contrast, weights_);
    const Index n = static_cast<Index>(stream.transform(0).kept().size());
    const std::vector<Index> components{p};
    const std::vector<S> ridges{static_cast<S>(ridge)};
    const Index wanted = first_rows<S>(options, n), small = std::max<Index>(128, rows_for(p));
    if (fits(stream, options, n, rows)) {
      const auto order = shuffled_rows(rows, options.seed);
      const auto start = std::span(order).first(static_cast<std::size_t>(std::min(wanted, rows)));
      first_ = std::make_shared<KeptSamples<S>>(keep_rows<S>(source, stream.transform(0), start, small),
                                                components, ridges, link, options.seed);
      all_ = kept_ = std::make_shared<KeptSamples<S>>(keep_rows<S>(source, stream.transform(0), order, batch),
                                                      components, ridges, link, options.seed);
    } else {
      first_ = std::make_shared<KeptSamples<S>>(keep_rows(stream, wanted, small), components, ridges, link,
                                                options.seed);
      all_ = std::make_shared<StreamSamples<S>>(stream, components, ridges, link, rows);
    }
    const auto squares = 3 * sizeof(double) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n);
    try {
      look_ = squares <= options.memory ? whiten(*first_, options.seed)
                                        : look_at(*first_, options.landing.rank, options.seed);
    } catch (const NumericalError& error) {
      throw NumericalError(fmt::format("{}: {}", stream.source(0).name(), error.what()));
    }
    x_ = look_.start;
    choice_ = {.first_rows = first_->count(), .rank = look_.rank, .noise = look_.noise};
  }

  void warm_up() {
    if (options_.landing.warm_up <= 0) return reweigh<S>(look(), 0, *weights_);
    const auto batches = static_cast<Index>(first_->batches().size());
    const double size = static_cast<double>(first_->batches().front().front().rows());
    const double fitted = first_->count() < all_->count() ? 4 / static_cast<double>(first_->count()) : 0;
    const int passes = static_cast<int>(std::max<Index>(2, (kStepsPerRound + batches - 1) / batches));
    bool settled = false;
    ComponentMoments moments = look();
    reweigh<S>(moments, 0, *weights_);
    for (int round = 1; round <= kMostRounds; ++round) {
      if (!landscape_) {
        const SamplingOptions sampling{.estimator = options_.landing.estimator, .pass_variance = fitted};
        landscape_.emplace(first_, sampling, fields());
      }
      x_ = solve<S>(*landscape_, std::move(x_),
                    {.step = {.rule = StepRule::fixed, .size = step(size)},
                     .omega = options_.landing.omega,
                     .stop = stop::passes(landscape_->passes() + passes),
                     .history = 0})
               .x;
      choice_.warm_up += passes;
      const double found = moments.nonlinearity().cwiseAbs().sum();
      moments = look();
      const bool enough = choice_.warm_up >= options_.landing.warm_up &&
                          moments.nonlinearity().cwiseAbs().sum() < 1.02 * found;
      // Signs that are in doubt are tried the other way once the others have found their sources.
      if (change(moments, enough && !settled ? 0 : doubt(moments)))
        landscape_.reset();  // another f: what the estimator knows is of no use for it
      else if (enough)
        break;
      settled = settled || enough;
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

  /// Over all rows.
  ComponentMoments evaluate() const {
    return kept_ ? component_moments<S>(kept_->batches(), options_.contrast, x_.front())
                 : component_moments<S>(stream_, options_.contrast, x_.front());
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
  /// Takes the weights that the components ask for where they differ much from those there are.
  bool change(const ComponentMoments& moments, double least) {
    Vector<S> weights = *weights_;
    reweigh<S>(moments, least, weights);
    const S ratio = weights.cwiseAbs().maxCoeff() / weights_->cwiseAbs().maxCoeff();
    const bool differ = (weights.array() * weights_->array() < 0).any() || ratio > S(1.5) || ratio < S(0.7);
    if (differ) *weights_ = weights;
    return differ;
  }

  /// At X brought back to the manifold of the first rows: c has a meaning for unit variance alone.
  ComponentMoments look() const {
    const Index p = x_.front().cols();
    Matrix<double> gram = Matrix<double>::Zero(p, p);
    Matrix<S> y, square(p, p);
    for (const auto& batch : first_->batches()) {
      y.resize(batch.front().rows(), p);
      batch.front().times(x_.front(), y);
      multiply_at<S>(y, y, square);
      gram += square.template cast<double>();
    }
    SymmetricEigen<double> eigen;
    eigen.compute(gram / static_cast<double>(first_->count()));
    const Matrix<S> x = x_.front() * eigen.inverse_root().template cast<S>();
    return component_moments<S>(first_->batches(), options_.contrast, x);
  }

  DataStream<S>& stream_;
  const IcaOptions& options_;
  Index batch_;
  std::shared_ptr<Vector<S>> weights_;
  std::shared_ptr<KeptSamples<S>> first_;
  std::shared_ptr<KeptSamples<S>> kept_;  // all rows where they fit in memory, else null
  std::shared_ptr<Samples<S>> all_;
  FirstLook<S> look_;
  std::optional<SampledLandscape<S>> landscape_;
  Point<S> x_;
  AdaptiveChoice choice_;
};

/// Whether a component has another sign on all rows than landing was told.
template <class S>
bool signs_changed(const ComponentMoments& moments, const Vector<S>& weights) {
  const Vector<double> c = moments.nonlinearity().cwiseProduct(weights.template cast<double>().cwiseSign());
  return (c.array() < -doubt(moments)).any();
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
  result.batch =
      options.batch > 0
          ? options.batch
          : std::max<Index>(1024, rows_for(options.components > 0 ? options.components : data->cols()));
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

  Run<S> run(stream, source, options, p, result.ridge, std::min(result.batch, rows), rows);
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
    moments = run.evaluate();
    result.seconds.evaluate += timer.lap();
    if (result.termination == Termination::stopped || !signs_changed(moments, run.weights())) break;
    reweigh(moments, 0, run.weights());
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
