#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/fit/in_memory_rows.hpp>
#include <landfall/models/fit/ridge.hpp>
#include <landfall/models/ica/fixed_point.hpp>
#include <landfall/models/ica/ica_restarts.hpp>
#include <landfall/models/ica/ica_start.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kRestartBatch = 1024;
constexpr int kHalves = 2;
constexpr double kTurn = 1e-3;  // radians, which change a similarity by 1e-6

bool is_serial(const IcaOptions& options) {
  return !options.communicator || options.communicator->size() == 1;
}

/// Whether the user left the method to the program: otherwise restarts are by the method that was asked for.
bool any_method(const IcaOptions& options) {
  return options.method == FitMethod::automatic && options.baseline.empty() && !options.passes &&
         options.batch == 0 && options.landing.step == 0 &&
         options.ridge.value_or(options.relative_ridge.value_or(0)) == 0;
}

/// Rows for all columns of the file; those of columns that do not vary are 0.
Matrix<double> restored(const Matrix<double>& rows, const std::vector<Index>& places, Index columns) {
  Matrix<double> all = Matrix<double>::Zero(columns, rows.cols());
  all(places, Eigen::all) = rows;
  return all;
}

}  // namespace

template <class S>
IcaRestarts<S>::IcaRestarts(Source<S>& data, const IcaOptions& options, Index most)
    : data_(data), options_(options), most_(most) {
  validate(options);
  options_.observer = {};
  options_.checkpoints = {};
  if (!is_serial(options) || !data.rewindable() || !squares_fit(data.cols(), options.memory)) return;
  const SerialBlas serial;
  ThreadPool pool(threads());
  const ThreadPool::Use use(pool);
  data_.rewind();
  TransformOptions transform = options.transform;
  transform.scaling = ridge_scaling(options, Scaling::none);
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::make_unique<BorrowedSource<S>>(data));
  DataStream<S> stream(std::move(sources), {.batch = kRestartBatch,
                                            .shuffle = {.seed = options.seed},
                                            .transform = transform,
                                            .weights = options.weights,
                                            .cancel = options.cancel});
  whiten_rows(stream);
  const double bytes =
      3. * sizeof(double) * static_cast<double>(rows_) * static_cast<double>(whitening_.rank());
  if (any_method(options) && bytes <= static_cast<double>(options.memory) / 2) read_scores(stream);
}

template <class S>
void IcaRestarts<S>::whiten_rows(DataStream<S>& stream) {
  scale_ = stream.transform(0).scale();
  places_ = stream.transform(0).kept();
  const Covariances<double> found = covariances<S, double>(stream);
  const Matrix<double>& covariance = found.within[0];
  const Index n = covariance.rows();
  if (n == 0) throw DataError(fmt::format("{}: no columns that vary", data_.name()));
  if (!covariance.allFinite())
    throw NumericalError(fmt::format("{}: the covariance of its columns is not finite", data_.name()));
  rows_ = found.rows;
  whitening_ = whiten(covariance, 0, variance_tolerance<S>(n, mean_offset(stream)));
  rank_ = whitening_.rank();
  if (rank_ < 1) throw NumericalError(fmt::format("{}: rank 0, expected at least 1", data_.name()));
  most_ = most_ > 0 ? std::min(most_, rank_) : rank_;
  if (options_.reduction == Reduction::none) return;
  try {
    whitening_ = principal_components(covariance, scale_, most_, 0);
    by_variance_ = true;
  } catch (
      const NumericalError& error) {  // of scales too far apart: all directions can be whitened nevertheless
    if (most_ < rank_) throw NumericalError(fmt::format("{}: {}", data_.name(), error.what()));
  }
}

template <class S>
void IcaRestarts<S>::read_scores(DataStream<S>& stream) {
  scores_.resize(rows_, whitening_.rank());
  if (stream.weighted()) roots_.resize(rows_);
  Index at = 0;
  stream.begin_pass(in_file_order);
  while (stream.next()) {
    const CentredBatch<S>& batch = stream.view(0);
    double_scores<S>(batch, whitening_.factor, scores_.middleRows(at, batch.rows()));
    if (stream.weighted()) roots_.segment(at, batch.rows()) = batch.roots().template cast<double>();
    at += batch.rows();
  }
}

template <class S>
double IcaRestarts<S>::explained(Index p) const {
  if (p >= rank_ || !by_variance_) return 1;
  return std::min(1.0, whitening_.shares.head(std::min(p, most_)).sum());
}

template <class S>
std::optional<IcaSources> IcaRestarts<S>::run(Index p, int restart) {
  const std::uint64_t seed = random_words({options_.seed, 0x1ca}, static_cast<std::uint64_t>(restart))[0];
  try {
    if (in_memory()) return iterate(p, seed);
    IcaOptions options = options_;
    options.components = p;
    options.seed = seed;
    options.folds = kHalves;
    options.fold = 0;
    data_.rewind();
    const auto fitted = fit_ica<S>(std::make_unique<BorrowedSource<S>>(data_), options);
    return sources_of(fitted);
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

template <class S>
int IcaRestarts<S>::threads_for(Index p) const {
  // Beside the scores a run has its half of them, y and g'(y).
  const double rows = static_cast<double>(rows_) * sizeof(double),
               all = rows * static_cast<double>(scores_.cols()),
               run = 1.5 * rows * static_cast<double>(by_variance_ ? p : scores_.cols());
  const double most = (static_cast<double>(options_.memory) / 2 - all) / run;
  return std::max(1, static_cast<int>(std::min<double>(threads(), most)));
}

template <class S>
std::vector<IcaSources> IcaRestarts<S>::runs(Index p, int count) {
  std::vector<std::optional<IcaSources>> all(static_cast<std::size_t>(count));
  const auto make = [&](Index i) { all[static_cast<std::size_t>(i)] = run(p, static_cast<int>(i)); };
  if (in_memory()) {
    ThreadPool pool(threads_for(p));
    const ThreadPool::Use use(pool);
    parallel_for(count, make);
  } else {
    for (Index i = 0; i < count; ++i) make(i);
  }
  std::vector<IcaSources> made;
  for (auto& one : all)
    if (one) made.push_back(std::move(*one));
  return made;
}

template <class S>
std::vector<Index> IcaRestarts<S>::half_of_rows(std::uint64_t seed) const {
  std::vector<Index> half;
  for (Index i = 0; i < rows_; ++i)
    if (fold_of(i, kHalves, seed) != 0) half.push_back(i);
  return half;
}

template <class S>
IcaSources IcaRestarts<S>::iterate(Index p, std::uint64_t seed) const {
  const SerialBlas serial;
  const Index directions = by_variance_ ? p : whitening_.rank();
  const std::vector<Index> half = half_of_rows(seed);
  Matrix<double> scores = scores_.leftCols(directions)(half, Eigen::all);
  Vector<double> roots;
  if (roots_.size() > 0) {  // the weights of these rows have their number as their sum
    roots = roots_(half);
    const double unit = std::sqrt(static_cast<double>(half.size()) / roots.squaredNorm());
    roots *= unit;
    scores *= unit;
  }
  FixedPoint found = iterate_to_convergence(scores, {.contrast = options_.contrast,
                                                     .roots = std::move(roots),
                                                     .starts = 1,
                                                     .tolerance = kTurn,
                                                     .seed = seed,
                                                     .cancel = options_.cancel});
  Matrix<double> x = whitening_.factor.leftCols(directions) * found.rotation;
  ComponentMoments& moments = found.moments;
  moments.mixing = whitening_.dual.leftCols(directions) * found.rotation;
  if (p < directions) moments = best_components(moments, options_.contrast, p, x);
  const Index columns = data_.cols();
  // To first order, of sources that are scaled to unit variance over these rows.
  const Vector<double> excess =
      moments.value -
      (moments.gram.diagonal().array() - 1).matrix().cwiseProduct(moments.slopes.diagonal()) / 2;
  const double error = gaussian_deviation(options_.contrast) / std::sqrt(static_cast<double>(moments.rows));
  return {restored(scale_.cwiseInverse().asDiagonal() * x, places_, columns),
          restored(scale_.asDiagonal() * moments.mixing, places_, columns),
          (excess.array() - gaussian_value(options_.contrast)).abs() / error};
}

template <class S>
IcaSources sources_of(const IcaResult<S>& result) {
  const double error = gaussian_deviation(result.contrast) / std::sqrt(static_cast<double>(result.samples));
  return {result.views[0].weights.template cast<double>(), result.mixing.template cast<double>(),
          result.negentropy.cwiseSqrt() / error};
}

template IcaSources sources_of<float>(const IcaResult<float>&);
template IcaSources sources_of<double>(const IcaResult<double>&);
template class IcaRestarts<float>;
template class IcaRestarts<double>;

}  // namespace landfall
