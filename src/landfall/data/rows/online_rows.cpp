#include <landfall/data/rows/online_rows.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr TransformOptions kRunning{.centring = Centring::running, .scaling = Scaling::deviation};
constexpr Index kPiece = 128;  // rows of the first ones

template <class S>
std::uint64_t bytes(const Batch<S>& batch) {
  return batch.values().size() * (sizeof(S) + (batch.sparse() ? sizeof(Index) : 0));
}

}  // namespace

template <class S>
OnlineRows<S>::OnlineRows(std::vector<std::string> names, const OnlineRowsOptions& options)
    : names_(std::move(names)), options_(options), waiting_(names_.size()) {
  if (options.batch < 1)
    throw UsageError(fmt::format("a batch of {} rows, expected at least 1", options.batch));
  if (options.first_rows < 1)
    throw UsageError(fmt::format("first rows must be at least 1, got {}", options.first_rows));
  raw_ = waiting_;
  centred_.resize(names_.size());
}

template <class S>
void OnlineRows<S>::check(const std::vector<const Batch<S>*>& views, std::span<const double> weights) const {
  if (!weights.empty() && static_cast<Index>(weights.size()) != views[0]->rows())
    throw DataError(
        fmt::format("{} weights for {} rows, expected the same number", weights.size(), views[0]->rows()));
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw DataError(
          fmt::format("row {} has the weight {}, expected a finite number of at least 0", i + 1, weights[i]));
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Batch<S>& batch = *views[i];
    if (batch.rows() != views[0]->rows())
      throw DataError(fmt::format("{} has {} rows, {} has {}; expected the same number", names_[0],
                                  views[0]->rows(), names_[i], batch.rows()));
    if (started_ && batch.cols() != waiting_[i].cols())
      throw DataError(fmt::format("{}: a batch of {} columns, expected {} as before", names_[i], batch.cols(),
                                  waiting_[i].cols()));
    if (started_ && batch.sparse() != waiting_[i].sparse())
      throw UsageError(fmt::format("{}: a {} batch, expected a {} one as before", names_[i],
                                   batch.sparse() ? "sparse" : "dense", batch.sparse() ? "dense" : "sparse"));
    std::vector<char> drop(static_cast<std::size_t>(batch.rows()));
    for (std::size_t row = 0; row < weights.size(); ++row) drop[row] = weights[row] == 0;
    Transform<S>(names_[i], batch.cols(), kRunning).check(batch, drop);
  }
}

template <class S>
void OnlineRows<S>::push(const std::vector<const Batch<S>*>& views, std::span<const Index> classes,
                         std::span<const double> weights) {
  check(views, weights);
  if (!weights.empty() && !weighted_) begin_weights();
  pushed_ = views;
  pushed_classes_ = classes;
  pushed_weights_ = weights;
  at_ = 0;
  if (started_ || views[0]->rows() == 0) return;
  started_ = true;
  for (std::size_t i = 0; i < views.size(); ++i) {
    start_like(*views[i], waiting_[i]);
    statistics_.emplace_back(views[i]->cols());
    transforms_.emplace_back(names_[i], views[i]->cols(), kRunning);
    means_.push_back(Vector<double>::Zero(views[i]->cols()));
  }
}

/// Rows so far have a weight of 1.
template <class S>
void OnlineRows<S>::begin_weights() {
  weighted_ = true;
  for (const auto& batch : first_)
    first_weights_.emplace_back(static_cast<std::size_t>(batch[0].rows()), 1.0);
  if (!started_) return;
  waiting_weights_.assign(static_cast<std::size_t>(waiting_[0].rows()), 1.0);
  weight_ = static_cast<double>(statistics_[0].rows());
}

template <class S>
double OnlineRows<S>::weight_of_rows() const {
  return complete_ ? weight_ : std::accumulate(waiting_weights_.begin(), waiting_weights_.end(), weight_);
}

/// Of the rows of the batch, from the first on.
template <class S>
void OnlineRows<S>::weigh(std::span<const double> weights, double scale, std::size_t first,
                          Batch<S>& batch) const {
  if (weights.empty()) return;
  std::vector<S> roots;
  for (const double weight : weights.subspan(first, static_cast<std::size_t>(batch.rows())))
    roots.push_back(static_cast<S>(std::sqrt(scale * weight)));
  if (std::ranges::any_of(roots, [](S root) { return root != 1; })) batch.weigh(roots);
}

template <class S>
std::span<const double> OnlineRows<S>::first_weights(std::size_t batch) const {
  return weighted_ ? std::span<const double>(first_weights_[batch]) : std::span<const double>();
}

template <class S>
bool OnlineRows<S>::next() {
  for (; at_ < pushed_[0]->rows() && waiting_[0].rows() < options_.batch; ++at_) {
    const double weight = pushed_weights_.empty() ? 1.0 : pushed_weights_[static_cast<std::size_t>(at_)];
    if (weight == 0) continue;
    if (weighted_) waiting_weights_.push_back(weight);
    for (std::size_t i = 0; i < pushed_.size(); ++i) append_row(*pushed_[i], at_, waiting_[i]);
    if (!pushed_classes_.empty()) waiting_classes_.push_back(pushed_classes_[static_cast<std::size_t>(at_)]);
  }
  if (!started_ || waiting_[0].rows() < options_.batch) return false;
  std::swap(raw_, waiting_);
  std::swap(classes_, waiting_classes_);
  waiting_classes_.clear();
  std::swap(weights_, waiting_weights_);
  waiting_weights_.clear();
  weight_ = std::accumulate(weights_.begin(), weights_.end(), weight_);
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    start_like(raw_[i], waiting_[i]);
    statistics_[i].add(raw_[i], weights_);
  }
  kept_now_ = !complete_;
  if (kept_now_) keep();
  return true;
}

template <class S>
void OnlineRows<S>::keep() {
  for (const auto& batch : raw_) first_bytes_ += bytes(batch);
  first_.push_back(raw_);
  if (weighted_) first_weights_.push_back(weights_);
  first_count_ += raw_[0].rows();
  complete_ = first_count_ >= options_.first_rows || first_bytes_ >= options_.memory;
}

template <class S>
std::vector<CentredBatch<S>>& OnlineRows<S>::centred() {
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    const ColumnStatistics now = statistics_[i].summary();
    const double after = weighted_ ? weight_ : static_cast<double>(now.rows),
                 before = after - (weighted_ ? std::accumulate(weights_.begin(), weights_.end(), 0.0)
                                             : static_cast<double>(raw_[i].rows()));
    const Vector<double> centre = means_[i] + (now.mean - means_[i]) / (1 + std::sqrt(before / after));
    set(transforms_[i], centre, scales_[i]);
    means_[i] = now.mean;
    transforms_[i].apply(raw_[i], centred_[i]);
    weigh(weights_, static_cast<double>(now.rows) / after, 0, centred_[i].batch);
  }
  return centred_;
}

/// What the columns will be like, by the first rows.
template <class S>
ColumnStatistics OnlineRows<S>::expected(std::size_t i) const {
  ColumnStatistics columns = this->columns(i);
  const Index varying = columns.mean.size() - static_cast<Index>(columns.constant.size());
  if (varying == 0) return columns;
  const double variance = columns.variance.sum() / static_cast<double>(varying),
               fourth = columns.fourth.sum() / static_cast<double>(varying);
  for (const Index j : columns.constant) {
    columns.variance(j) = variance;
    columns.fourth(j) = fourth;
  }
  return columns;
}

template <class S>
Vector<double> OnlineRows<S>::scale(std::size_t i) const {
  if (!scales_.empty()) return scales_[i];
  Vector<double> scale = Vector<double>::Ones(cols(i));
  if (options_.scaling == Scaling::none) return scale;
  const ColumnStatistics columns = expected(i);
  for (Index j = 0; j < scale.size(); ++j) {
    const double size =
        options_.scaling == Scaling::row_size ? row_size(columns, j, true) : deviation(columns, j, true);
    if (size > 0) scale(j) = size;
  }
  return scale;
}

/// Rows are (a - mean) / scale.
template <class S>
void OnlineRows<S>::set(Transform<S>& transform, const Vector<double>& mean,
                        const Vector<double>& scale) const {
  ColumnStatistics columns;
  columns.mean = mean;
  columns.variance = scale.cwiseAbs2();
  columns.third = columns.fourth = columns.min = columns.max = Vector<double>::Zero(mean.size());
  transform.follow(columns);
}

template <class S>
Vector<double> OnlineRows<S>::expected_variance(std::size_t i) const {
  return expected(i).variance.cwiseQuotient(scale(i).cwiseAbs2());
}

template <class S>
std::vector<std::vector<CentredBatch<S>>> OnlineRows<S>::first() const {
  auto batches = first_;
  if (waiting_[0].rows() > 0) batches.push_back(waiting_);
  Index rows = 0;
  for (const auto& batch : batches) rows += batch[0].rows();
  const Index piece = std::clamp<Index>(rows / 8, 1, kPiece);
  std::vector<std::vector<Batch<S>>> pieces;
  for (const auto& batch : batches)
    for (Index row = 0; row < batch[0].rows(); ++row) {
      if (pieces.empty() || pieces.back()[0].rows() == piece) {
        pieces.emplace_back(names_.size());
        for (std::size_t i = 0; i < names_.size(); ++i) start_like(batch[i], pieces.back()[i]);
      }
      for (std::size_t i = 0; i < names_.size(); ++i) append_row(batch[i], row, pieces.back()[i]);
    }
  std::vector<double> weights;
  for (const auto& of_batch : first_weights_) weights.insert(weights.end(), of_batch.begin(), of_batch.end());
  if (waiting_[0].rows() > 0) weights.insert(weights.end(), waiting_weights_.begin(), waiting_weights_.end());
  const double scale_of_weights =
      static_cast<double>(rows) / std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::vector<CentredBatch<S>>> centred(pieces.size());
  for (auto& views : centred) views.resize(names_.size());
  for (std::size_t i = 0; i < names_.size() && started_; ++i) {
    Transform<S> transform(names_[i], cols(i), kRunning);
    set(transform, columns(i).mean, scale(i));
    std::size_t row = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      transform.apply(pieces[k][i], centred[k][i]);
      weigh(weights, scale_of_weights, row, centred[k][i].batch);
      row += static_cast<std::size_t>(centred[k][i].rows());
    }
  }
  return centred;
}

template <class S>
void OnlineRows<S>::release_first() {
  std::vector<Vector<double>> scales;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    means_[i] = columns(i).mean;
    scales.push_back(scale(i));
  }
  scales_ = std::move(scales);
}

template <class S>
bool OnlineRows<S>::replay() {
  if (replayed_ == first_.size()) return false;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    set(transforms_[i], means_[i], scales_[i]);
    raw_[i] = first_[replayed_][i];
    transforms_[i].apply(raw_[i], centred_[i]);
    weigh(first_weights(replayed_), static_cast<double>(statistics_[i].rows()) / weight_, 0,
          centred_[i].batch);
    if (!options_.keep_first) first_[replayed_][i] = Batch<S>();
  }
  ++replayed_;
  return true;
}

template <class S>
bool OnlineRows<S>::keep_more() {
  if (first_bytes_ >= options_.memory) return false;
  options_.first_rows = 2 * first_count_;
  complete_ = false;
  return true;
}

template <class S>
Index OnlineRows<S>::rows() const {
  if (!started_) return 0;
  return statistics_[0].rows() + (complete_ ? 0 : waiting_[0].rows());
}

template <class S>
ColumnStatistics OnlineRows<S>::columns(std::size_t i) const {
  if (complete_) return statistics_[i].summary();
  RunningStatistics<S> statistics = statistics_[i];
  statistics.add(waiting_[i], waiting_weights_);
  return statistics.summary();
}

template <class S>
void OnlineRows<S>::state(State& state) {
  std::vector<Index> cols;
  for (const auto& batch : waiting_) cols.push_back(batch.cols());
  state(options_, started_, complete_, cols, means_, scales_, waiting_classes_, replayed_, first_bytes_,
        first_count_, weighted_, waiting_weights_, first_weights_, weight_);
  if (state.loading() && started_)
    for (std::size_t i = 0; i < names_.size(); ++i) {
      statistics_.emplace_back(cols[i]);
      transforms_.emplace_back(names_[i], cols[i], kRunning);
    }
  for (auto& statistics : statistics_) statistics.state(state);
  for (auto& batch : waiting_) batch.state(state);
  std::size_t batches = first_.size();
  state(batches);
  first_.resize(batches);
  for (auto& views : first_) {
    views.resize(names_.size());
    for (auto& batch : views) batch.state(state);
  }
}

template class OnlineRows<float>;
template class OnlineRows<double>;

}  // namespace landfall
