#include <landfall/data/rows/row_count.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/cca_baseline.hpp>
#include <landfall/models/cca/cca_plan.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/fit/model_checkpoint.hpp>
#include <landfall/models/fit/timer.ipp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

/// Weights of rare columns are noise. 4 n / N mean variances, as much as four rows of the usual length add to
/// each column, even that out (docs/method.md).
double default_relative_ridge(const ColumnStatistics& columns) {
  const auto n = static_cast<double>(columns.mean.size()), rows = static_cast<double>(columns.rows);
  const bool rare = static_cast<double>(columns.nonzeros) < 0.1 * n * rows;
  return rare ? std::max(1e-3, 4 * n / rows) : 1e-3;
}

template <class S>
double ridge_of(const CcaOptions& options, const DataStream<S>& stream, std::size_t view) {
  if (options.ridge) return *options.ridge;
  const ColumnStatistics* columns = stream.statistics(view);
  const double relative =
      options.relative_ridge.value_or(columns == nullptr ? 1e-3 : default_relative_ridge(*columns));
  if (options.transform.unit_variance) return relative;
  if (columns == nullptr)
    throw UsageError("a ridge relative to the variance needs a reading of its own; give an absolute one");
  double sum = 0;
  for (const Index j : stream.transform(view).kept())
    sum += columns->variance(j) +
           (options.transform.centring == Centring::none ? columns->mean(j) * columns->mean(j) : 0);
  return relative * sum / static_cast<double>(stream.transform(view).kept().size());
}

template <class S>
bool is_sparse(const DataStream<S>& stream) {
  return stream.source(0).sparse() || stream.source(1).sparse();
}

/// What the first reading, which took so long, tells of the rows.
template <class S>
SourceSample sample(DataStream<S>& stream, double held_out, double seconds) {
  if (stream.statistics(0) == nullptr) return {.rows = count_rows(stream, held_out)};
  const auto rows = static_cast<double>(stream.statistics(0)->rows);
  const auto entries = static_cast<double>(stream.statistics(0)->nonzeros + stream.statistics(1)->nonzeros);
  return {.rows = stream.statistics(0)->rows, .reading = seconds / rows, .nonzeros = entries / rows};
}

template <class S>
void require_rank(const DataStream<S>& stream, std::size_t view, Index rank, Index p) {
  if (rank < p)
    throw NumericalError(fmt::format("{}: of rank {} on the rows it was trained on, expected at least p = {}",
                                     stream.source(view).name(), rank, p));
}

/// How many directions of X the rows of a view fill, given X'SX and X'BX = X'SX + ridge X'X.
template <class S>
Index filled_directions(const Matrix<double>& scores, const Matrix<double>& metric) {
  const Vector<double> scale = metric.diagonal().cwiseSqrt().cwiseInverse();
  SymmetricEigen<double> eigen;
  eigen.compute(scale.asDiagonal() * scores * scale.asDiagonal());
  return (eigen.values().array() > static_cast<double>(rank_tolerance<S>(scores.rows()))).count();
}

template <class S>
struct Exact {
  Point<S> x;
  CanonicalMoments moments;  // with the ridge
};

/// M = S_yx B_x^-1 S_xy against B_y: eigenvalues rho^2, eigenvectors Y, and X = B_x^-1 S_xy Y up to scale.
template <class S>
Exact<S> exact_directions(DataStream<S>& stream, const std::array<double, 2>& ridge, Index p) {
  auto moments = covariances(stream);
  for (std::size_t i = 0; i < 2; ++i) {
    const Index full = moments.within[i].rows(), rank = numerical_rank<S>(moments.within[i]);
    require_rank(stream, i, rank, p);
    moments.within[i].diagonal().array() += static_cast<S>(ridge[i]);
    if (rank < full && numerical_rank<S>(moments.within[i]) < full)
      throw NumericalError(fmt::format("{}: the covariance is singular, expected a ridge above {:.3g}",
                                       stream.source(i).name(), ridge[i]));
  }
  const std::size_t small = moments.within[1].rows() <= moments.within[0].rows() ? 1 : 0;
  const Matrix<S> turned = small == 1 ? Matrix<S>() : Matrix<S>(moments.cross.transpose());
  const Matrix<S>& cross = small == 1 ? moments.cross : turned;
  Matrix<S> solved(cross.rows(), cross.cols()), squared(cross.cols(), cross.cols());
  inverse_preconditioner<S>(moments.within[1 - small])->apply(cross, solved);
  multiply_at<S>(cross, solved, squared);
  Point<S> directions(2);
  directions[small] = solve_pencil<S>(std::move(squared), moments.within[small], p).vectors;
  directions[1 - small].resize(cross.rows(), p);
  multiply<S>(solved, directions[small], directions[1 - small]);
  auto scores = canonical_moments(moments, directions);
  return {std::move(directions), std::move(scores)};
}

void add_ridge(CanonicalMoments& moments, const Point<double>& x, const std::array<double, 2>& ridge) {
  moments.left += ridge[0] * x[0].transpose() * x[0];
  moments.right += ridge[1] * x[1].transpose() * x[1];
}

CanonicalMoments rotated(const CanonicalMoments& moments, const Matrix<double>& u, const Matrix<double>& v) {
  return {u.transpose() * moments.left * u, v.transpose() * moments.right * v,
          u.transpose() * moments.cross * v, moments.rows};
}

double distance_to_identity(const Matrix<double>& m) {
  return (m - Matrix<double>::Identity(m.rows(), m.cols())).norm();
}

/// Weights of the columns as the file has them: scaled back, in their places, signs as the left ones say.
template <class S>
void set_weights(const DataStream<S>& stream, const Point<double>& x, CcaResult<S>& result) {
  Vector<double> signs(x[0].cols());
  for (std::size_t i = 0; i < 2; ++i) {
    const Transform<S>& transform = stream.transform(i);
    CcaView<S>& view = result.views[i];
    Matrix<double> weights = transform.scale().cwiseInverse().asDiagonal() * x[i];
    if (i == 0)
      for (Index j = 0; j < signs.size(); ++j) {
        Index largest = 0;
        weights.col(j).cwiseAbs().maxCoeff(&largest);
        signs(j) = weights(largest, j) < 0 ? -1 : 1;
      }
    weights *= signs.asDiagonal();
    view.weights = transform.restore_rows(weights.template cast<S>());
    view.mean.setZero(stream.source(i).cols());
    for (std::size_t k = 0; k < transform.kept().size(); ++k)
      view.mean(transform.kept()[k]) = transform.mean()(static_cast<Index>(k));
    view.dropped = transform.dropped();
  }
}

/// The sum of the best p correlations within the span, from covariances with the ridge.
template <class S>
CurvePoint point_of_curve(const Progress& at, const Covariances<S>& covariances, const Point<S>& x, Index p) {
  const auto moments = canonical_moments(covariances, x);
  return {at.passes, at.seconds, canonical_rotation(moments, p).correlations.sum(),
          std::hypot(distance_to_identity(moments.left), distance_to_identity(moments.right))};
}

void validate(const CcaOptions& options) {
  if (options.components < 1)
    throw UsageError(fmt::format("p must be at least 1, got {}", options.components));
  if (options.ridge && !(*options.ridge >= 0))
    throw UsageError(fmt::format("a ridge must not be negative, got {}", *options.ridge));
  if (options.relative_ridge && !(*options.relative_ridge >= 0))
    throw UsageError(fmt::format("a relative ridge must not be negative, got {}", *options.relative_ridge));
  if (!(options.passes > 0)) throw UsageError(fmt::format("passes must be positive, got {}", options.passes));
}

}  // namespace

template <class S>
CcaResult<S> fit_cca(SourcePtr<S> left, SourcePtr<S> right, const CcaOptions& options) {
  validate(options);
  CcaResult<S> result;
  Timer timer;
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::move(left));
  sources.push_back(std::move(right));
  DataStream<S> stream(std::move(sources), {.shuffle = {.seed = options.seed, .held_out = options.held_out},
                                            .transform = options.transform});
  result.mean_pass = stream.statistics(0) != nullptr;
  result.seconds.read = timer.lap();

  const Index p = options.components;
  std::array<Index, 2> features{};
  std::array<double, 2> ridge{};
  for (std::size_t i = 0; i < 2; ++i) {
    features[i] = static_cast<Index>(stream.transform(i).kept().size());
    if (features[i] < p)
      throw NumericalError(fmt::format("{}: {} columns that are not constant, expected at least p = {}",
                                       stream.source(i).name(), features[i], p));
    result.views[i].ridge = ridge[i] = ridge_of(options, stream, i);
  }

  const Workload work = cca_workload<S>(options, features, is_sparse(stream),
                                        sample(stream, options.held_out, result.seconds.read));
  const Baseline* baseline =
      options.baseline.empty() ? nullptr : &find_baseline(options.baseline, Problem::cca);
  const bool resumed = !options.checkpoints.resume.empty();
  if (baseline && resumed)
    throw UsageError(fmt::format("{} has no checkpoints to go on from", baseline->name));
  auto chosen = choose_method<S>(baseline  ? FitMethod::baseline
                                 : resumed ? FitMethod::landing
                                           : options.method,
                                 work, options.memory);
  result.method = chosen.method;
  result.reason = std::move(chosen.reason);
  const bool exact = result.method == FitMethod::exact;
  std::optional<SerialBlas> serial;  // landing gives the same with any number of threads, to the end
  if (!exact) serial.emplace();
  result.method_name = baseline ? baseline->name : to_string(result.method);
  result.batch = exact || (baseline && !baseline->stream) ? 1024 : work.batch;
  stream.set_batch(result.batch);

  Point<S> x;
  CanonicalMoments moments, plain;  // of the scores, with the ridge and (not by exact) without
  Matrix<double> u, v;              // which p of the columns of x, once the method says
  std::optional<Covariances<S>> reference;
  if (options.curve_every > 0 && !exact) {
    reference = covariances(stream);
    for (std::size_t i = 0; i < 2; ++i) reference->within[i].diagonal().array() += static_cast<S>(ridge[i]);
    timer.lap();
  }
  const auto observe = [&](const Progress& progress, const Point<S>& at) {
    const double next = options.curve_every * static_cast<double>(result.curve.size() + 1);
    if (reference && at.size() == 2 && progress.passes >= next)
      result.curve.push_back(point_of_curve(progress, *reference, at, p));
    return !options.observer || options.observer(progress);
  };
  if (exact) {
    auto found = exact_directions(stream, ridge, p);
    x = std::move(found.x);
    moments = std::move(found.moments);
    result.passes = 1;
  } else if (baseline) {
    auto run = solve_cca_baseline<S>(*baseline, stream,
                                     {.components = p,
                                      .ridge = ridge,
                                      .step = options.landing.step,
                                      .passes = options.passes,
                                      .memory = options.memory,
                                      .seed = options.seed,
                                      .observer = observe});
    x = std::move(run.x);
    result.stationarity = run.progress.stationarity;
    result.passes = run.progress.passes;
    result.iterations = run.progress.iteration;
    result.termination = run.termination;
    result.history = std::move(run.history);
    if (result.termination == Termination::diverged)
      throw NumericalError(fmt::format("{} diverged after {} steps; a smaller --step may help",
                                       baseline->name, result.iterations));
    if (reference) result.curve.push_back(point_of_curve(run.progress, *reference, x, p));
  } else {
    const Index columns = work.columns;
    const std::vector<Index> components{columns, columns};
    const std::vector<S> ridges{static_cast<S>(ridge[0]), static_cast<S>(ridge[1])};
    auto first = std::make_shared<InMemorySamples<S>>(read_into_memory(stream, work.first_rows), components,
                                                      ridges, correlation_objective<S>(), options.seed);
    auto all =
        std::make_shared<StreamSamples<S>>(stream, components, ridges, correlation_objective<S>(), work.rows);
    const ModelCheckpoint continued(options.checkpoints, data_mark(stream, *first), result.reason);
    result.reason = continued.reason();
    AdaptiveOptions landing = options.landing;
    landing.passes = options.passes;
    landing.batch = result.batch;
    landing.rank = work.rank;
    landing.most_rank = work.most_rank;
    landing.seed = options.seed;
    auto [run, choice] = solve_adaptively<S>(std::move(first), std::move(all), landing, observe,
                                             column_scales(stream), continued.checkpoints());
    x = std::move(run.x);
    if (reference) result.curve.push_back(point_of_curve(run.progress, *reference, x, p));
    if (columns > p) {
      const auto small = [&](std::size_t i, const Point<S>& m) {
        return Matrix<double>((x[i].transpose() * m[i]).template cast<double>());
      };
      try {
        const auto rotation =
            canonical_rotation({small(0, run.bx), small(1, run.bx), -small(0, run.gradient)}, p);
        u = rotation.left;
        v = rotation.right;
      } catch (const DataError&) {
        // What the estimator knows of X'BX is not positive definite: the evaluation says which, below.
      }
    }
    result.stationarity = run.progress.stationarity;
    result.passes = run.progress.passes;
    result.iterations = run.progress.iteration;
    result.back_offs = run.progress.back_offs;
    result.termination = run.termination;
    result.history = std::move(run.history);
    result.choice = choice;
    if (result.termination == Termination::diverged || result.termination == Termination::infeasible_start)
      throw NumericalError(
          fmt::format("landing failed after {} steps: {}", result.iterations, to_string(result.termination)));
  }
  result.seconds.solve = timer.lap();

  Point<double> wide{x[0].template cast<double>(), x[1].template cast<double>()};
  if (!exact) {
    plain = moments = canonical_moments<S>(stream, Part::training, x[0], x[1]);
    add_ridge(moments, wide, ridge);
    result.views[0].infeasibility = distance_to_identity(moments.left);
    result.views[1].infeasibility = distance_to_identity(moments.right);
  }
  result.samples = moments.rows;
  if (u.size() == 0 && x[0].cols() > p) {
    auto best = canonical_rotation(moments, p);
    u = std::move(best.left);
    v = std::move(best.right);
  }
  if (u.size() > 0) {
    moments = rotated(moments, u, v);
    if (!exact) plain = rotated(plain, u, v);
    wide = {wide[0] * u, wide[1] * v};
  }
  if (!exact) {
    require_rank(stream, 0, filled_directions<S>(plain.left, moments.left), p);
    require_rank(stream, 1, filled_directions<S>(plain.right, moments.right), p);
  }
  const auto rotation = canonical_rotation(moments, p);
  result.correlations = rotation.correlations;
  wide = {wide[0] * rotation.left, wide[1] * rotation.right};
  set_weights(stream, wide, result);
  if (exact) {
    const auto last = rotated(moments, rotation.left, rotation.right);
    result.views[0].infeasibility = distance_to_identity(last.left);
    result.views[1].infeasibility = distance_to_identity(last.right);
  }
  if (options.held_out > 0) {
    const auto held =
        canonical_moments<S>(stream, Part::held_out, wide[0].template cast<S>(), wide[1].template cast<S>());
    result.held_out_samples = held.rows;
    result.held_out = paired_correlations(held);
  }
  result.seconds.evaluate = timer.lap();
  return result;
}

template <class S>
Matrix<S> transform(const CcaView<S>& view, const Batch<S>& rows) {
  Matrix<S> scores(rows.rows(), view.weights.cols());
  rows.times(view.weights, scores);
  const Vector<S> shift = view.weights.transpose() * view.mean.template cast<S>();
  scores.rowwise() -= shift.transpose();
  return scores;
}

LANDFALL_CCA(, float)
LANDFALL_CCA(, double)

}  // namespace landfall
