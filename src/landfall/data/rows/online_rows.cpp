#include <landfall/data/rows/online_rows.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cmath>
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
void OnlineRows<S>::check(const std::vector<const Batch<S>*>& views) const {
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
    Transform<S>(names_[i], batch.cols(), kRunning).check(batch, drop);
  }
}

template <class S>
void OnlineRows<S>::push(const std::vector<const Batch<S>*>& views, std::span<const Index> classes) {
  check(views);
  pushed_ = views;
  pushed_classes_ = classes;
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

template <class S>
bool OnlineRows<S>::next() {
  for (; at_ < pushed_[0]->rows() && waiting_[0].rows() < options_.batch; ++at_) {
    for (std::size_t i = 0; i < pushed_.size(); ++i) append_row(*pushed_[i], at_, waiting_[i]);
    if (!pushed_classes_.empty()) waiting_classes_.push_back(pushed_classes_[static_cast<std::size_t>(at_)]);
  }
  if (!started_ || waiting_[0].rows() < options_.batch) return false;
  std::swap(raw_, waiting_);
  std::swap(classes_, waiting_classes_);
  waiting_classes_.clear();
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    start_like(raw_[i], waiting_[i]);
    statistics_[i].add(raw_[i]);
  }
  kept_now_ = !complete_;
  if (kept_now_) keep();
  return true;
}

template <class S>
void OnlineRows<S>::keep() {
  for (const auto& batch : raw_) first_bytes_ += bytes(batch);
  first_.push_back(raw_);
  first_count_ += raw_[0].rows();
  complete_ = first_count_ >= options_.first_rows || first_bytes_ >= options_.memory;
}

template <class S>
std::vector<CentredBatch<S>>& OnlineRows<S>::centred() {
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    const ColumnStatistics now = statistics_[i].summary();
    const double after = static_cast<double>(now.rows), before = after - static_cast<double>(raw_[i].rows());
    const Vector<double> centre = means_[i] + (now.mean - means_[i]) / (1 + std::sqrt(before / after));
    set(transforms_[i], centre, scales_[i]);
    means_[i] = now.mean;
    transforms_[i].apply(raw_[i], centred_[i]);
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
  std::vector<std::vector<CentredBatch<S>>> centred(pieces.size());
  for (auto& views : centred) views.resize(names_.size());
  for (std::size_t i = 0; i < names_.size() && started_; ++i) {
    Transform<S> transform(names_[i], cols(i), kRunning);
    set(transform, columns(i).mean, scale(i));
    for (std::size_t k = 0; k < pieces.size(); ++k) transform.apply(pieces[k][i], centred[k][i]);
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
  statistics.add(waiting_[i]);
  return statistics.summary();
}

template <class S>
void OnlineRows<S>::state(State& state) {
  std::vector<Index> cols;
  for (const auto& batch : waiting_) cols.push_back(batch.cols());
  state(options_, started_, complete_, cols, means_, scales_, waiting_classes_, replayed_, first_bytes_,
        first_count_);
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
