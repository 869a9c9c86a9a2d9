#include <landfall/data/rows/rows.hpp>
#include <landfall/landing/subspace/heavy_rows.hpp>

#include <algorithm>
#include <cmath>

namespace landfall {
namespace {

constexpr double kGiant = 0.25;      // of N
constexpr std::size_t kMost = 2048;  // rows that are kept
constexpr double kSoon = 8;          // batches

}  // namespace

double copies_of(double ratio) {
  return std::max(1.0, std::ceil(ratio / 2));
}

template <class S>
HeavyRows<S>::HeavyRows(std::vector<Matrix<S>> probes, std::vector<double> sizes, double rows)
    : probes_(std::move(probes)),
      sizes_(std::move(sizes)),
      rows_(rows),
      store_(probes_.size()),
      due_(probes_.size()),
      parts_(2),
      scores_(probes_.size()) {}

template <class S>
void HeavyRows<S>::begin_pass() {
  at_ = 0;
  for (Kept& row : kept_) row.since = -1;
  known_.clear();
  for (const Kept& row : kept_) known_[row.number] = true;
}

/// h of every row, over its mean.
template <class S>
void HeavyRows<S>::measure(const std::vector<const CentredBatch<S>*>& views) {
  const Index count = views[0]->rows();
  // A matrix of its own each time: Eigen frees the old one before it asks for memory, and then both if it gets none.
  if (sizes_of_rows_.rows() != count)
    sizes_of_rows_ = Matrix<double>(count, static_cast<Index>(views.size()));
  for (std::size_t k = 0; k < views.size() && count > 0; ++k) {
    auto& scores = scores_[k].resize(count, probes_[k].cols());
    views[k]->times(probes_[k], scores);
    sizes_of_rows_.col(static_cast<Index>(k)) =
        scores.rowwise().squaredNorm().template cast<double>() / std::max(sizes_[k], 1e-300);
  }
  ratio_ = Vector<double>(sizes_of_rows_.rowwise().maxCoeff());
}

/// Whether a kept row enters the present batch.
template <class S>
bool HeavyRows<S>::due(const Kept& row, std::size_t place) const {
  if (row.since >= 0) return at_ > row.since && at_ < row.since + row.copies;
  // Evenly over the pass, each row beginning elsewhere: exactly `copies` times.
  const double phase = std::fmod(0.6180339887498949 * static_cast<double>(place + 1), 1.0);
  const double copies = std::min(row.copies, batches_);
  return std::floor((at_ + 1) * copies / batches_ + phase) > std::floor(at_ * copies / batches_ + phase);
}

template <class S>
std::span<const WeightedRows<S>> HeavyRows<S>::split(const std::vector<const CentredBatch<S>*>& views) {
  const Index count = views[0]->rows();
  if (batches_ == 0 && rows_ > 0)
    batches_ = std::ceil(rows_ / static_cast<double>(std::max<Index>(count, 1)));
  measure(views);
  giants_.clear();
  excess_ = 1;
  parts_[0].views = views;
  parts_[0].weights = Vector<S>();
  const auto weight = [&](Index row) -> S& {
    if (parts_[0].weights.size() == 0) parts_[0].weights = Vector<S>::Ones(count).eval();
    return parts_[0].weights(row);
  };

  // Rows that were kept and are due now.
  for (std::size_t k = 0; k < views.size(); ++k) {
    due_[k].mean = views[k]->mean;
    start_like(views[k]->batch, due_[k].batch);
  }
  std::vector<S> weights;
  for (std::size_t j = 0; j < kept_.size(); ++j) {
    if (!due(kept_[j], j)) continue;
    for (std::size_t k = 0; k < views.size(); ++k)
      append_row(store_[k].batch, static_cast<Index>(j), due_[k].batch);
    const double copies = kept_[j].since < 0 ? std::min(kept_[j].copies, batches_) : kept_[j].copies;
    weights.push_back(static_cast<S>(1 / copies));
  }

  // Rows of this batch that are heavy.
  // All visits within the pass; of an endless stream, before it is much more than twice as long.
  const double left = rows_ > 0 ? std::max(batches_ - at_, 1.0) : kSoon + at_;
  for (Index i = 0; i < count; ++i) {
    if (!(ratio_(i) > 2)) continue;
    const Index number = views[0]->batch.numbers()[static_cast<std::size_t>(i)];
    if (known_.contains(number)) {
      weight(i) = 0;
      continue;
    }
    const std::size_t before = giants_.size();
    for (std::size_t k = 0; k < views.size() && rows_ > 0 && kept_.size() < kMost; ++k)
      if (sizes_of_rows_(i, static_cast<Index>(k)) * sizes_[k] > kGiant * rows_) giants_.push_back({i, k});
    const double copies = std::min(copies_of(ratio_(i)), left);
    excess_ = std::max(excess_, ratio_(i) / (2 * (kept_.size() < kMost ? copies : 1)));
    if (kept_.size() >= kMost) continue;
    weight(i) = static_cast<S>(1 / copies);
    keep(views, i, copies, giants_.size() > before);
  }

  ++at_;
  forget_done();
  parts_[1].views.clear();
  for (const auto& rows : due_) parts_[1].views.push_back(&rows);
  parts_[1].weights =
      Vector<S>(Eigen::Map<const Vector<S>>(weights.data(), static_cast<Index>(weights.size())));
  return {parts_.data(), weights.empty() ? std::size_t{1} : std::size_t{2}};
}

template <class S>
void HeavyRows<S>::keep(const std::vector<const CentredBatch<S>*>& views, Index row, double copies,
                        bool giant) {
  for (std::size_t k = 0; k < views.size(); ++k) {
    if (kept_.empty()) start_like(views[k]->batch, store_[k].batch);
    append_row(views[k]->batch, row, store_[k].batch);
  }
  kept_.push_back({views[0]->batch.numbers()[static_cast<std::size_t>(row)], copies, giant, at_});
}

template <class S>
WeightedRows<S> HeavyRows<S>::giants_of_all() {
  WeightedRows<S> rows;
  for (std::size_t k = 0; k < store_.size(); ++k) {
    start_like(store_[k].batch, due_[k].batch);
    for (std::size_t j = 0; j < kept_.size(); ++j)
      if (kept_[j].giant) append_row(store_[k].batch, static_cast<Index>(j), due_[k].batch);
    rows.views.push_back(&due_[k]);
  }
  rows.weights.setConstant(rows.views[0]->rows(), static_cast<S>(1 / rows_));
  return rows;
}

/// Where rows do not come again, one that has made all its visits is no longer needed.
template <class S>
void HeavyRows<S>::forget_done() {
  if (rows_ > 0) return;
  const auto done = [&](const Kept& row) { return at_ >= row.since + row.copies; };
  if (std::ranges::none_of(kept_, done)) return;
  std::vector<Kept> left;
  std::vector<CentredBatch<S>> store(store_.size());
  for (std::size_t k = 0; k < store_.size(); ++k) start_like(store_[k].batch, store[k].batch);
  for (std::size_t j = 0; j < kept_.size(); ++j) {
    if (done(kept_[j])) continue;
    left.push_back(kept_[j]);
    for (std::size_t k = 0; k < store_.size(); ++k)
      append_row(store_[k].batch, static_cast<Index>(j), store[k].batch);
  }
  kept_ = std::move(left);
  store_ = std::move(store);
}

template <class S>
void HeavyRows<S>::state(State& state) {
  state(batches_, at_, kept_);
  std::vector<Index> known;
  for (const auto& [number, is] : known_) known.push_back(number);
  state(known);
  for (auto& view : store_) landfall::state(state, view.batch);
  if (!state.loading()) return;
  known_.clear();
  for (const Index number : known) known_[number] = true;
}

template class HeavyRows<float>;
template class HeavyRows<double>;

}  // namespace landfall
