#include <landfall/data/io/checksum.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/fit/model_checkpoint.hpp>
#include <landfall/models/fit/timer.ipp>
#include <landfall/models/lda/discriminant.hpp>
#include <landfall/models/lda/lda.hpp>
#include <landfall/models/lda/lda_plan.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

void validate(const LdaOptions& options) {
  if (options.components < 0)
    throw UsageError(fmt::format("p must be at least 1, or 0 for all, got {}", options.components));
  if (options.ridge && !(*options.ridge >= 0))
    throw UsageError(fmt::format("a ridge must not be negative, got {}", *options.ridge));
  if (options.relative_ridge && !(*options.relative_ridge >= 0))
    throw UsageError(fmt::format("a relative ridge must not be negative, got {}", *options.relative_ridge));
  if (!(options.passes > 0)) throw UsageError(fmt::format("passes must be positive, got {}", options.passes));
  if (options.first_rows < 1)
    throw UsageError(fmt::format("first rows must be at least 1, got {}", options.first_rows));
  if (options.transform.centring == Centring::none || options.transform.centring == Centring::running)
    throw UsageError("LDA needs the mean of all rows; expected automatic or exact centring");
}

template <class S>
double ridge_of(const LdaOptions& options, const DataStream<S>& stream) {
  if (options.ridge) return *options.ridge;
  const double relative = options.relative_ridge.value_or(sizeof(S) == sizeof(float) ? 1e-6 : 1e-8);
  if (options.transform.unit_variance) return relative;
  const auto& kept = stream.transform(0).kept();
  double sum = 0;
  for (const Index j : kept) sum += stream.statistics(0)->variance(j);
  return relative * sum / static_cast<double>(kept.size());
}

[[noreturn]] void singular(const std::string& name, double ridge) {
  throw NumericalError(fmt::format(
      "{}: the covariance within classes is singular, expected a ridge above {:.3g}", name, ridge));
}

/// p <= C - 1 and p <= n; what p = 0 means.
template <class S>
Index components_of(const LdaOptions& options, const DataStream<S>& stream, Index classes, Index features) {
  const Index p = options.components;
  if (p > classes - 1)
    throw UsageError(fmt::format("p = {}, expected at most {}: {} classes differ in one direction less", p,
                                 classes - 1, classes));
  if (features < p)
    throw NumericalError(fmt::format("{}: {} columns that are not constant, expected at least p = {}",
                                     stream.source(0).name(), features, p));
  return p > 0 ? p : std::min(classes - 1, features);
}

/// S_b x = mu (S_t + ridge I) x, for columns scaled so that the right side has a diagonal of ones, and summed
/// in double: neither their scales nor single precision make it singular.
template <class S>
Matrix<S> exact_directions(DataStream<S>& stream, const ClassMeans& classes, double ridge, Index columns) {
  Matrix<double> total = std::move(covariances<S, double>(stream).within[0]);
  total.diagonal().array() += ridge;
  const Vector<double> scale = total.diagonal().cwiseSqrt().cwiseInverse();
  total = scale.asDiagonal() * total * scale.asDiagonal();
  if (numerical_rank<double>(total) < total.rows()) singular(stream.source(0).name(), ridge);
  Matrix<double> between = scale.asDiagonal() * between_covariance<double>(classes) * scale.asDiagonal();
  const auto eigen = solve_pencil<double>(std::move(between), std::move(total), columns);
  return (scale.asDiagonal() * eigen.vectors).template cast<S>();
}

/// What the two readings so far, which took so long, tell of the rows.
template <class S>
SourceSample sample(const DataStream<S>& stream, double seconds) {
  const auto rows = static_cast<double>(stream.statistics(0)->rows);
  return {.rows = stream.statistics(0)->rows,
          .reading = seconds / 2 / rows,
          .nonzeros = static_cast<double>(stream.statistics(0)->nonzeros) / rows};
}

template <class S>
Matrix<S> landing_directions(DataStream<S>& stream, const ClassMeans& classes, const LdaOptions& options,
                             const Workload& work, LdaResult<S>& result) {
  const std::vector<Index> components{work.columns};
  const std::vector<S> ridges{static_cast<S>(result.ridge)};
  const ScoreObjective<S> objective = between_objective<S>(classes);
  auto first = std::make_shared<InMemorySamples<S>>(read_into_memory(stream, work.first_rows), components,
                                                    ridges, objective, options.seed);
  auto all = std::make_shared<StreamSamples<S>>(stream, components, ridges, objective, classes.rows);
  Checksum mark;
  const std::uint64_t rows = data_mark(stream, *first);
  mark.add(std::as_bytes(std::span(&rows, 1)));
  mark.add(std::as_bytes(std::span(classes.means.data(), static_cast<std::size_t>(classes.means.size()))));
  const ModelCheckpoint continued(options.checkpoints, mark.value(), result.reason);
  result.reason = continued.reason();
  AdaptiveOptions landing = options.landing;
  landing.passes = options.passes;
  landing.batch = work.batch;
  landing.rank = work.rank;
  landing.most_rank = work.most_rank;
  landing.seed = options.seed;
  auto [run, choice] = solve_adaptively<S>(
      std::move(first), std::move(all), landing,
      [&](const Progress& progress, const Point<S>&) {
        return !options.observer || options.observer(progress);
      },
      column_scales(stream), continued.checkpoints());
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
  return std::move(run.x[0]);
}

double distance_to_identity(const Matrix<double>& m) {
  return (m - Matrix<double>::Identity(m.rows(), m.cols())).norm();
}

/// Each column's largest weight, as the file has the columns, becomes positive.
template <class S>
void fix_signs(const Transform<S>& transform, Matrix<double>& x) {
  for (Index j = 0; j < x.cols(); ++j) {
    Index largest = 0;
    x.col(j).cwiseQuotient(transform.scale()).cwiseAbs().maxCoeff(&largest);
    if (x(largest, j) < 0) x.col(j) *= -1;
  }
}

template <class S>
void set_weights(const DataStream<S>& stream, const Matrix<double>& x, LdaResult<S>& result) {
  const Transform<S>& transform = stream.transform(0);
  const Matrix<double> weights = transform.scale().cwiseInverse().asDiagonal() * x;
  result.weights = transform.restore_rows(weights.template cast<S>());
  result.mean = stream.statistics(0)->mean;
  result.dropped = transform.dropped();
}

/// The share of a part of the rows that are nearest to the centre of their class; and how many rows it has.
template <class S>
std::pair<double, Index> accuracy(DataStream<S>& stream, Part part, const Labels& labels, In<S> x,
                                  const LdaResult<S>& result) {
  Index rows = 0, right = 0;
  Scratch<S> scores;
  stream.begin_pass(0, part);
  while (stream.next()) {
    auto& a = scores.resize(stream.view(0).rows(), x.cols());
    stream.view(0).times(x, a);
    const auto nearest = nearest_centres(a.template cast<double>(), result.centres, result.priors);
    for (std::size_t i = 0; i < nearest.size(); ++i)
      right += nearest[i] == labels.of(stream.view(0).batch.numbers()[i]);
    rows += stream.view(0).rows();
  }
  return {rows > 0 ? static_cast<double>(right) / static_cast<double>(rows) : 0, rows};
}

}  // namespace

template <class S>
LdaResult<S> fit_lda(SourcePtr<S> data, const Labels& labels, const LdaOptions& options) {
  validate(options);
  if (!data->rewindable())
    throw UsageError(fmt::format("{}: can be read only once, but LDA reads it several times; expected a file",
                                 data->name()));
  if (data->rows()) labels.expect_rows(data->name(), *data->rows());
  LdaResult<S> result;
  Timer timer;
  std::optional<SerialBlas> serial(std::in_place);  // landing gives the same with any number of threads
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::move(data));
  DataStream<S> stream(std::move(sources), {.batch = 1024,
                                            .shuffle = {.seed = options.seed, .held_out = options.held_out},
                                            .transform = options.transform});
  const Source<S>& source = stream.source(0);
  if (source.rows()) labels.expect_rows(source.name(), *source.rows());  // a text file has been read now
  const ClassMeans classes = class_means(stream, labels);
  if (classes.present() < 2)
    throw DataError(fmt::format("{}: {} class among the labels of {} rows, expected at least 2",
                                source.name(), classes.present(), classes.rows));
  result.seconds.read = timer.lap();

  const auto features = static_cast<Index>(stream.transform(0).kept().size());
  const Index p = components_of(options, stream, classes.present(), features);
  const double ridge = result.ridge = ridge_of(options, stream);
  if (ridge == 0 && classes.rows - classes.present() < features) singular(source.name(), 0);
  const Index all = std::min(classes.present() - 1, features);  // S_b has no more directions

  const Workload work =
      lda_workload<S>(options, features, p, all, source.sparse(), sample(stream, result.seconds.read));
  const bool resumed = !options.checkpoints.resume.empty();
  auto chosen = choose_method<S>(resumed ? FitMethod::landing : options.method, work, options.memory);
  result.method = chosen.method;
  result.reason = std::move(chosen.reason);
  const bool exact = result.method == FitMethod::exact;
  if (exact) serial.reset();
  result.batch = exact ? 1024 : work.batch;
  stream.set_batch(result.batch);

  const Index columns = exact ? all : work.columns;
  const Matrix<S> x = exact ? exact_directions(stream, classes, ridge, columns)
                            : landing_directions(stream, classes, options, work, result);
  if (exact) result.passes = 1;
  result.seconds.solve = timer.lap();

  Matrix<double> wide = x.template cast<double>();
  auto moments = discriminant_moments<S>(stream, labels, classes, x);
  result.samples = moments.rows;
  moments.within += ridge * wide.transpose() * wide;
  if (!exact) result.infeasibility = distance_to_identity(moments.within + moments.between);
  auto rotation = discriminant_rotation(moments, columns);
  // 1 - mu = 1 / (1 + lambda): the fraction of the variance in this direction that is within classes.
  if (ridge == 0 && 1 <= rank_tolerance<double>(features) * (1 + rotation.eigenvalues(0)))
    singular(source.name(), 0);
  const double sum = rotation.eigenvalues.sum();
  result.eigenvalues = rotation.eigenvalues.head(p);
  if (columns == all)
    result.explained_ratio = sum > 0 ? Vector<double>(result.eigenvalues / sum) : Vector<double>::Zero(p);
  rotation.vectors.conservativeResize(Eigen::NoChange, p);
  if (exact)
    result.infeasibility =
        distance_to_identity(rotation.vectors.transpose() * moments.within * rotation.vectors);
  wide *= rotation.vectors;
  fix_signs(stream.transform(0), wide);
  set_weights(stream, wide, result);
  result.classes.assign(labels.names().begin(), labels.names().end());
  result.priors = classes.priors;
  result.centres.resize(p, labels.classes());
  multiply_at<double>(wide, classes.means, result.centres);

  const Matrix<S> final = wide.template cast<S>();
  result.training_accuracy = accuracy<S>(stream, Part::training, labels, final, result).first;
  if (options.held_out > 0) {
    const auto [share, rows] = accuracy<S>(stream, Part::held_out, labels, final, result);
    result.held_out_samples = rows;
    if (rows > 0) result.held_out_accuracy = share;
  }
  result.seconds.evaluate = timer.lap();
  return result;
}

template <class S>
Matrix<S> transform(const LdaResult<S>& result, const Batch<S>& rows) {
  Matrix<S> scores(rows.rows(), result.weights.cols());
  rows.times(result.weights, scores);
  const Vector<double> shift = result.weights.template cast<double>().transpose() * result.mean;
  scores.rowwise() -= shift.transpose().template cast<S>();
  return scores;
}

template <class S>
std::vector<Index> predict(const LdaResult<S>& result, const Batch<S>& rows) {
  return nearest_centres(transform(result, rows).template cast<double>(), result.centres, result.priors);
}

template <class S>
double score(const LdaResult<S>& result, const Batch<S>& rows, const Labels& labels) {
  const auto predicted = predict(result, rows);
  Index right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    right += result.classes[static_cast<std::size_t>(predicted[i])] ==
             labels.names()[static_cast<std::size_t>(labels.of(rows.numbers()[i]))];
  return predicted.empty() ? 0 : static_cast<double>(right) / static_cast<double>(predicted.size());
}

LANDFALL_LDA(, float)
LANDFALL_LDA(, double)

}  // namespace landfall
