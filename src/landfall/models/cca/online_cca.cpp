#include <landfall/errors.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/online_cca.hpp>
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
void OnlineCca<S>::partial_fit(const Batch<S>& left, const Batch<S>& right) {
  if (!rows_) {
    components_ =
        options_.components > 0 ? options_.components : std::min({Index{10}, left.cols(), right.cols()});
    const bool sparse = left.sparse() || right.sparse();
    const OnlineRowsOptions options{
        .batch = options_.batch > 0 ? options_.batch : online_batch(components_, sparse),
        .first_rows = options_.first_rows,
        .memory = options_.memory / 4,
        .keep_first = options_.saved};
    rows_.emplace(make_rows(options));
  }
  rows_->push({&left, &right});
  while (rows_->next())
    if (landing_)
      landing_->step(rows_->centred());
    else if (rows_->complete())
      begin();
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
  if (state.loading()) with_first_rows(rows_, make_rows(rows_->options()), [&] { landing_ = start(true); });
  landing_->state(state);
}

/// The first rows are complete.
template <class S>
void OnlineCca<S>::begin() {
  const std::array<double, 2> ridge{this->ridge(0), this->ridge(1)};
  try {
    landing_ = start(true);
  } catch (const NumericalError&) {
    if (!rows_->keep_more()) throw;
    return;
  }
  ridge_ = ridge;
  rows_->forget_first();
}

template <class S>
double OnlineCca<S>::ridge(std::size_t view) const {
  if (landing_) return ridge_[view];
  return ridge_of(options_, rows_->columns(view), kCcaRidge);
}

template <class S>
std::unique_ptr<OnlineLanding<S>> OnlineCca<S>::start(bool more) const {
  const Index p = components_;
  Index most = rows_->rows() - 1;
  std::vector<ConstantColumns> constant;
  for (std::size_t i = 0; i < 2; ++i) {
    constant.push_back(constant_columns(rows_->columns(i)));
    const Index varying = rows_->cols(i) - static_cast<Index>(constant[i].columns.size());
    if (varying < p)
      throw NumericalError(fmt::format("{}: {} non-constant columns in {} rows, expected at least p = {}",
                                       kNames[i], varying, rows_->rows(), p));
    most = std::min(most, varying);
  }
  if (most < p)
    throw NumericalError(
        fmt::format("{} rows so far, expected at least {} for p = {}", rows_->rows(), p + 1, p));
  const Index guard = options_.guard.value_or(online_cca_guard(p));
  const Index columns = p + std::clamp<Index>(guard, 0, most - p);
  auto samples =
      std::make_shared<InMemorySamples<S>>(rows_->first(), std::vector<Index>{columns, columns},
                                           std::vector<S>{static_cast<S>(ridge(0)), static_cast<S>(ridge(1))},
                                           correlation_objective<S>(), options_.seed);
  const OnlineLandingOptions landing{.batch = rows_->batch(), .more = more, .seed = options_.seed};
  return std::make_unique<OnlineLanding<S>>(samples, landing, constant);
}

template <class S>
CcaResult<S> OnlineCca<S>::result() const {
  if (!rows_ || rows_->rows() == 0) throw UsageError("no rows so far; a result needs at least one batch");
  return finish(landing_ ? *landing_ : *start(false));
}

template <class S>
CcaResult<S> OnlineCca<S>::finish(const OnlineLanding<S>& landing) const {
  const SerialBlas serial;  // the same result with any number of threads
  const Point<S>& x = landing.x();
  const auto small = [&](std::size_t i, const Point<S>& m) {
    return Matrix<double>((x[i].transpose() * m[i]).template cast<double>());
  };
  CanonicalMoments moments{small(0, landing.bx()), small(1, landing.bx()),
                           -0.5 * (small(0, landing.gradient()) + small(1, landing.gradient()).transpose()),
                           rows_->rows()};
  symmetrize<double>(moments.left);
  symmetrize<double>(moments.right);
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
    view.ridge = ridge(i);
    require_online_rank<S>(kNames[i], weights, view.ridge, rows_->rows());
    if (i == 0) signs = signs_of_largest(weights);
    // Of variance 1 with the ridge, so of 1 - ridge ||x||^2 without.
    const Vector<double> variance =
        (1 - view.ridge * weights.colwise().squaredNorm().transpose().array()).max(1e-300);
    result.correlations = result.correlations.cwiseQuotient(variance.cwiseSqrt()).cwiseMin(1.0).eval();
    view.weights = (weights * signs.asDiagonal()).template cast<S>();
    const Matrix<double>& metric = i == 0 ? moments.left : moments.right;
    view.method_infeasibility = distance_to_identity(metric);
    view.mean = std::move(columns.mean);
    view.dropped = std::move(columns.constant);
  }
  set_online_run<S>(landing, rows_->rows(), rows_->batch(), result);
  return result;
}

template class OnlineCca<float>;
template class OnlineCca<double>;

}  // namespace landfall
