#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/fit/defaults.hpp>
#include <landfall/models/fit/online_state.hpp>
#include <landfall/models/lda/online_lda.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr double kMostShare = 1 - 1e-6;  // of mu = lambda / (1 + lambda), which is only estimated

/// f = -tr X'F F'X / 2, where F changes with each batch.
template <class S>
ScoreObjective<S> between_of(std::shared_ptr<const Matrix<S>> factor) {
  const auto work = std::make_shared<Scratch<S>>();
  return {.known = [factor, work](const Point<S>& x, Point<S>* gradient) {
    auto& projected = work->resize(factor->cols(), x[0].cols());
    multiply_at<S>(*factor, x[0], projected);
    if (gradient) multiply<S>(*factor, projected, (*gradient)[0], S(-1));
    return -static_cast<double>(projected.squaredNorm()) / 2;
  }};
}

}  // namespace

template <class S>
void OnlineLda<S>::Sums::add(const Batch<S>& batch, std::span<const Index> classes,
                             std::span<const double> weights) {
  const Index known = rows.cols();
  Index all = known;
  for (const Index c : classes) all = std::max(all, c + 1);
  rows.conservativeResize(batch.cols(), all);
  counts.conservativeResize(all);
  rows.rightCols(all - known).setZero();
  counts.tail(all - known).setZero();
  for (Index i = 0; i < batch.rows(); ++i) {
    const Index c = classes[static_cast<std::size_t>(i)];
    const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
    counts(c) += weight;
    each_entry(batch, i, [&](Index j, S value) { rows(j, c) += weight * static_cast<double>(value); });
  }
}

template <class S>
OnlineLda<S>::OnlineLda(const OnlineLdaOptions& options) : options_(options) {
  validate(options);
}

template <class S>
void OnlineLda<S>::partial_fit(const Batch<S>& rows, const Labels& labels, std::span<const double> weights) {
  std::vector<std::string> names;
  for (const Index row : rows.numbers())
    names.push_back(labels.names()[static_cast<std::size_t>(labels.of(row))]);
  partial_fit(rows, names, weights);
}

template <class S>
void OnlineLda<S>::partial_fit(const Batch<S>& rows, std::span<const std::string> labels,
                               std::span<const double> weights, const CancelFlag& cancel) {
  if (static_cast<Index>(labels.size()) != rows.rows())
    throw DataError(
        fmt::format("{} labels for {} rows, expected the same number", labels.size(), rows.rows()));
  if (!rows_) {
    const OnlineRowsOptions options{
        .batch = options_.batch > 0 ? options_.batch : default_batch(options_.components, rows.sparse()),
        .first_rows = options_.first_rows > 0 ? options_.first_rows : default_first_rows(rows.cols()),
        .memory = options_.memory / 4,
        .keep_first = options_.saved,
        .scaling = online_scaling(options_)};
    rows_.emplace(std::vector<std::string>{"data"}, options);
  }
  rows_->check({&rows}, weights);
  std::vector<Index> classes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!weights.empty() && weights[i] == 0) {  // the row is left out, and so is its class
      classes.push_back(0);
      continue;
    }
    const auto [place, added] = numbers_.try_emplace(labels[i], static_cast<Index>(names_.size()));
    if (added) names_.push_back(labels[i]);
    classes.push_back(place->second);
  }
  rows_->push({&rows}, classes, weights);
  while (rows_->next()) {
    sums_.add(rows_->raw(0), rows_->classes(), rows_->weights());
    if (landing_) {
      *between_ = between_factor();
      step_online(*landing_, *rows_);
    } else if (rows_->complete()) {
      begin();
    }
    cancel.throw_if_requested();
  }
}

/// The first rows are complete.
template <class S>
void OnlineLda<S>::begin() {
  const Index classes = means().present();
  if (classes - 1 < std::max<Index>(options_.components, 1) && rows_->keep_more()) return;
  try {
    p_ = components(classes);
    const OnlineRidge ridge = choose_ridge();
    between_ = std::make_shared<Matrix<S>>();
    landing_ = start(between_, ridge, true);
    ridge_ = ridge;
  } catch (const NumericalError&) {
    if (!rows_->keep_more()) throw;
    return;
  }
  first_sums_ = sums_;
  rows_->release_first();
}

template <class S>
void OnlineLda<S>::state(State& state) {
  state(names_, sums_.rows, sums_.counts, first_sums_.rows, first_sums_.counts, ridge_, p_);
  for (std::size_t c = 0; c < names_.size(); ++c) numbers_[names_[c]] = static_cast<Index>(c);
  state_of_rows(state, options_, rows_, OnlineRows<S>({"data"}, {}));
  bool running = landing_ != nullptr;
  state(running);
  if (!running) return;
  if (state.loading()) {
    std::swap(sums_, first_sums_);
    between_ = std::make_shared<Matrix<S>>();
    with_first_rows(rows_, OnlineRows<S>({"data"}, rows_->options()),
                    [&] { landing_ = start(between_, ridge_, true); });
    std::swap(sums_, first_sums_);
  }
  state(*between_);
  landing_->state(state);
}

/// As for a table that has no more rows than these.
template <class S>
OnlineRidge OnlineLda<S>::choose_ridge() const {
  if (const auto given = given_ridge(options_)) return *given;
  const ColumnStatistics columns = rows_->columns(0);
  const Index n = rows_->cols(0) - static_cast<Index>(columns.constant.size());
  return {.rows = 2 * (rows_->rows() - means().present()) >= 3 * n ? 0 : kLdaRidgeRows};
}

/// Of all rows that count, about their mean.
template <class S>
ClassMeans OnlineLda<S>::means() const {
  Sums sums = sums_;
  if (!rows_->complete()) sums.add(rows_->waiting(0), rows_->waiting_classes(), rows_->waiting_weights());
  const Vector<double> mean = rows_->columns(0).mean;
  ClassMeans classes{std::move(sums.rows), sums.counts / sums.counts.sum(), rows_->rows()};
  for (Index c = 0; c < sums.counts.size(); ++c)
    classes.means.col(c) = classes.means.col(c) / sums.counts(c) - mean;
  return classes;
}

template <class S>
Matrix<S> OnlineLda<S>::between_factor() const {
  const ClassMeans classes = means();
  return (rows_->scale(0).cwiseInverse().asDiagonal() * classes.means *
          classes.priors.cwiseSqrt().asDiagonal())
      .template cast<S>();
}

template <class S>
Index OnlineLda<S>::components(Index classes) const {
  if (classes < 2)
    throw DataError(fmt::format("{} class among the labels of {} rows so far, expected at least 2", classes,
                                rows_->rows()));
  const Index p = options_.components;
  if (p > classes - 1)
    throw UsageError(
        fmt::format("p = {}, expected at most {} so far: {} classes span at most one dimension less", p,
                    classes - 1, classes));
  const ColumnStatistics columns = rows_->columns(0);
  const Index most =
      std::min(rows_->cols(0) - static_cast<Index>(columns.constant.size()), rows_->rows() - 1);
  if (most < std::max<Index>(p, 1))
    throw NumericalError(fmt::format("{} non-constant columns in {} rows so far, expected at least p = {}",
                                     rows_->cols(0) - static_cast<Index>(columns.constant.size()),
                                     rows_->rows(), std::max<Index>(p, 1)));
  return p > 0 ? p : std::min(classes - 1, most);
}

template <class S>
std::unique_ptr<SubspaceLanding<S>> OnlineLda<S>::start(const std::shared_ptr<Matrix<S>>& between,
                                                        const OnlineRidge& ridge, bool more) const {
  *between = between_factor();
  const Index classes = means().present(), p = components(classes);
  const Index varying = rows_->cols(0) - static_cast<Index>(rows_->columns(0).constant.size());
  return start_online<S>(*rows_, options_,
                         {.objective = between_of<S>(between),
                          .components = p,
                          .columns = std::min({classes - 1, p + options_.guard.value_or(lda_guard(p)),
                                               rows_->rows() - 1, varying}),
                          .ridge = ridge,
                          .more = more});
}

template <class S>
LdaResult<S> OnlineLda<S>::result() const {
  if (!rows_ || rows_->rows() == 0) throw UsageError("no rows so far; a result needs at least one batch");
  if (landing_) return finish(*landing_, ridge_, p_);
  const Index p = components(means().present());
  const OnlineRidge ridge = choose_ridge();
  return finish(*start(std::make_shared<Matrix<S>>(), ridge, false), ridge, p);
}

template <class S>
LdaResult<S> OnlineLda<S>::finish(const SubspaceLanding<S>& landing, const OnlineRidge& ridge,
                                  Index p) const {
  const SerialBlas serial;
  const Matrix<double> x = landing.x()[0].template cast<double>();
  const ClassMeans classes = means();
  const Matrix<double> total = plausible_metric(x.transpose() * landing.bx()[0].template cast<double>());
  Matrix<double> centres(x.cols(), classes.means.cols());
  const Matrix<double> inverse_scale = rows_->scale(0).cwiseInverse();
  multiply_at<double>(inverse_scale.col(0).asDiagonal() * x, classes.means, centres);
  // S_t + ridge in the place of S_w + ridge: lambda there is mu = lambda / (1 + lambda) here.
  const auto rotation =
      discriminant_rotation({total, centres * classes.priors.asDiagonal() * centres.transpose()}, p);
  const Vector<double> mu = rotation.eigenvalues.cwiseMin(kMostShare);

  LdaResult<S> result;
  ColumnStatistics columns = rows_->columns(0);
  Matrix<double> weights = x * rotation.vectors;
  for (const Index j : columns.constant) weights.row(j).setZero();
  result.views.resize(1);
  FittedView<S>& view = result.views[0];
  view.ridge = landing.ridge(0);
  require_online_rank<S>("data", weights, view.ridge, rows_->rows());
  const Vector<double> scale =
      signs_of_largest(weights).array() / (1 - mu.array()).sqrt();  // unit variance within the classes
  weights = inverse_scale.col(0).asDiagonal() * weights * scale.asDiagonal();
  view.weights = weights.template cast<S>();
  view.mean = std::move(columns.mean);
  view.dropped = std::move(columns.constant);
  result.classes.assign(names_.begin(), names_.begin() + classes.priors.size());
  result.priors = classes.priors;
  result.centres.resize(p, classes.means.cols());
  multiply_at<double>(weights, classes.means, result.centres);
  result.eigenvalues = mu.array() / (1 - mu.array());
  result.training_accuracy = std::numeric_limits<double>::quiet_NaN();
  view.infeasibility = distance_to_identity(total);
  set_online_run<S>(landing, rows_->rows(), rows_->batch(), result);
  result.sum_of_weights = rows_->sum_of_weights();
  result.ridge_kind = ridge_kind(options_);
  result.ridge_rows = ridge.rows;
  result.estimated_gap = landing.estimated_gap();
  return result;
}

template class OnlineLda<float>;
template class OnlineLda<double>;

}  // namespace landfall
