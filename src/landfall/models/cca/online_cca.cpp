#include <landfall/errors.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/online_cca.hpp>
#include <landfall/models/cca/ridge_choice.hpp>
#include <landfall/models/fit/defaults.hpp>
#include <landfall/models/fit/online_state.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::array<const char*, 2> kNames{"left", "right"};

}  // namespace

template <class S>
OnlineCca<S>::OnlineCca(const OnlineCcaOptions& options) : options_(options) {
  validate(options);
}

template <class S>
void OnlineCca<S>::partial_fit(const Batch<S>& left, const Batch<S>& right, std::span<const double> weights,
                               const CancelFlag& cancel) {
  if (!rows_) {
    components_ =
        options_.components > 0 ? options_.components : std::min({Index{10}, left.cols(), right.cols()});
    const bool sparse = left.sparse() || right.sparse();
    const OnlineRowsOptions options{
        .batch = options_.batch > 0 ? options_.batch : default_batch(components_, sparse),
        .first_rows = options_.first_rows > 0 ? options_.first_rows
                                              : default_first_rows(std::max(left.cols(), right.cols())),
        .memory = options_.memory / 4,
        .keep_first = options_.saved,
        .scaling = online_scaling(options_)};
    rows_.emplace(make_rows(options));
  }
  rows_->push({&left, &right}, {}, weights);
  while (rows_->next()) {
    if (landing_)
      step_online(*landing_, *rows_);
    else if (rows_->complete())
      begin();
    cancel.throw_if_requested();
  }
}

template <class S>
OnlineRows<S> OnlineCca<S>::make_rows(const OnlineRowsOptions& options) const {
  return {std::vector<std::string>{kNames[0], kNames[1]}, options};
}

template <class S>
void OnlineCca<S>::state(State& state) {
  state(components_, ridge_);
  state_of_rows(state, options_, rows_, make_rows({}));
  bool running = landing_ != nullptr;
  state(running);
  if (!running) return;
  if (state.loading())
    with_first_rows(rows_, make_rows(rows_->options()), [&] { landing_ = start(ridge_, true); });
  landing_->state(state);
}

/// The first rows are complete.
template <class S>
void OnlineCca<S>::begin() {
  try {
    const OnlineRidge ridge = choose_ridge();
    landing_ = start(ridge, true);
    ridge_ = ridge;
  } catch (const NumericalError&) {
    if (!rows_->keep_more()) throw;
    return;
  }
  rows_->release_first();
}

/// As for a table that has no more rows than these.
template <class S>
OnlineRidge OnlineCca<S>::choose_ridge() const {
  if (const auto given = given_ridge(options_)) return *given;
  CcaColumns columns;
  for (std::size_t i = 0; i < 2; ++i) columns.add(rows_->columns(i), true);
  const auto first = [&](Index rows) {
    InMemoryBatches<S> batches = rows_->first();
    Index kept = 0;
    std::size_t end = 0;
    while (end < batches.size() && kept < rows) kept += batches[end++][0].rows();
    batches.resize(end);
    return batches;
  };
  return {.rows = choose_cca_ridge<S>(columns, components_, options_.memory, first).rows};
}

template <class S>
std::unique_ptr<SubspaceLanding<S>> OnlineCca<S>::start(const OnlineRidge& ridge, bool more) const {
  const Index p = components_;
  Index most = rows_->rows() - 1;
  for (std::size_t i = 0; i < 2; ++i) {
    const Index varying = rows_->cols(i) - static_cast<Index>(rows_->columns(i).constant.size());
    if (varying < p)
      throw NumericalError(fmt::format("{}: {} non-constant columns in {} rows, expected at least p = {}",
                                       kNames[i], varying, rows_->rows(), p));
    most = std::min(most, varying);
  }
  if (most < p)
    throw NumericalError(
        fmt::format("{} rows so far, expected at least {} for p = {}", rows_->rows(), p + 1, p));
  const Index guard = options_.guard.value_or(cca_guard(p));
  return start_online<S>(*rows_, options_,
                         {.objective = correlation_objective<S>(),
                          .components = p,
                          .columns = p + std::clamp<Index>(guard, 0, most - p),
                          .ridge = ridge,
                          .more = more});
}

template <class S>
CcaResult<S> OnlineCca<S>::result() const {
  if (!rows_ || rows_->rows() == 0) throw UsageError("no rows so far; a result needs at least one batch");
  if (landing_) return finish(*landing_, ridge_);
  const OnlineRidge ridge = choose_ridge();
  return finish(*start(ridge, false), ridge);
}

template <class S>
CcaResult<S> OnlineCca<S>::finish(const SubspaceLanding<S>& landing, const OnlineRidge& ridge) const {
  const SerialBlas serial;  // the same result with any number of threads
  const Point<S>& x = landing.x();
  const auto small = [&](std::size_t i, const Point<S>& m) {
    return Matrix<double>((x[i].transpose() * m[i]).template cast<double>());
  };
  const Point<S> bx = landing.bx();
  CanonicalMoments moments{plausible_metric(small(0, bx)), plausible_metric(small(1, bx)),
                           0.5 * (small(0, landing.ascent()) + small(1, landing.ascent()).transpose()),
                           rows_->rows()};
  const auto rotation = canonical_rotation(moments, components_);

  CcaResult<S> result;
  result.regularized = result.correlations = rotation.correlations.cwiseMin(1.0);
  Vector<double> signs(components_);
  result.views.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    FittedView<S>& view = result.views[i];
    ColumnStatistics columns = rows_->columns(i);
    Matrix<double> weights = x[i].template cast<double>() * (i == 0 ? rotation.left : rotation.right);
    for (const Index j : columns.constant) weights.row(j).setZero();
    view.ridge = landing.ridge(i);
    require_online_rank<S>(kNames[i], weights, view.ridge, rows_->rows());
    if (i == 0) signs = signs_of_largest(weights);  // in the units of the ridge, as a planned fit
    // Of variance 1 with the ridge, so of 1 - ridge ||x||^2 without.
    const Vector<double> variance =
        (1 - view.ridge * weights.colwise().squaredNorm().transpose().array()).max(1e-300);
    result.correlations = result.correlations.cwiseQuotient(variance.cwiseSqrt()).cwiseMin(1.0).eval();
    view.weights =
        (rows_->scale(i).cwiseInverse().asDiagonal() * weights * signs.asDiagonal()).template cast<S>();
    const Matrix<double>& metric = i == 0 ? moments.left : moments.right;
    view.method_infeasibility = distance_to_identity(metric);
    view.mean = std::move(columns.mean);
    view.dropped = std::move(columns.constant);
  }
  set_online_run<S>(landing, rows_->rows(), rows_->batch(), result);
  result.sum_of_weights = rows_->sum_of_weights();
  result.ridge_kind = ridge_kind(options_);
  result.ridge_rows = ridge.rows;
  result.estimated_gap = landing.estimated_gap();
  return result;
}

template class OnlineCca<float>;
template class OnlineCca<double>;

}  // namespace landfall
