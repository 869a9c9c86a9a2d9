#include <landfall/data/rows/rows.hpp>
#include <landfall/landing/subspace/heavy_rows.hpp>
#include <landfall/linalg/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace landfall {
namespace {

constexpr double kGiant = 0.25;     // of N
constexpr double kGiantRatio = 16;  // of the mean, which may be N/4 by itself
constexpr Index kMostGiants = 128;
constexpr Index kMost = 2048;  // rows that are kept
constexpr double kSoon = 8;    // batches

}  // namespace

double copies_of(double ratio) {
  return std::max(1.0, std::ceil(ratio / 2));
}

template <class S>
HeavyRows<S>::HeavyRows(std::vector<Matrix<S>> probes, std::vector<double> sizes, double rows, bool giants,
                        Communicator& communicator)
    : probes_(std::move(probes)),
      sizes_(std::move(sizes)),
      rows_(rows),
      has_giants_(giants && rows > 0),
      communicator_(&communicator),
      store_(probes_.size()),
      due_(probes_.size()),
      parts_(2),
      scores_(probes_.size()) {}

template <class S>
void HeavyRows<S>::begin_pass() {
  at_ = 0;
  found_ = 0;
  kept_.clear();
}

/// h of every row, over its mean.
template <class S>
void HeavyRows<S>::measure(const std::vector<const CentredBatch<S>*>& views) {
  const Index count = views[0]->rows();
  // A matrix of its own each time: Eigen frees the old one before it asks for memory, and then both if it gets none.
  const auto n = static_cast<Index>(views.size());
  if (sizes_of_rows_.rows() != count || sizes_of_rows_.cols() != n) sizes_of_rows_ = Matrix<double>(count, n);
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
bool HeavyRows<S>::due(const Kept& row) const {
  return !row.giant && at_ > row.since && at_ < row.since + row.copies;
}

template <class S>
std::span<const WeightedRows<S>> HeavyRows<S>::split(const std::vector<const CentredBatch<S>*>& views) {
  const Index count = views[0]->rows();
  if (batches_ == 0 && rows_ > 0) {
    Index all = count;
    reduce(*communicator_, all);
    batches_ = std::ceil(rows_ / static_cast<double>(std::max<Index>(all, 1)));
  }
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
    if (!due(kept_[j])) continue;
    for (std::size_t k = 0; k < views.size(); ++k)
      append_row(store_[k].batch, static_cast<Index>(j), due_[k].batch);
    weights.push_back(static_cast<S>(1 / kept_[j].copies));
  }

  // Rows of this batch that are heavy.
  std::vector<Index> heavy;
  for (Index i = 0; i < count; ++i)
    if (ratio_(i) > 2) heavy.push_back(i);
  auto all = static_cast<Index>(heavy.size());
  Index place = found_;
  if (communicator_->size() > 1) {
    const auto counts = counts_of_ranks(*communicator_, all);
    all = std::accumulate(counts.begin(), counts.end(), Index{0});
    place = std::accumulate(counts.begin(), counts.begin() + communicator_->rank(), found_);
  }
  // All visits within the pass; of an endless stream, before it is much more than twice as long.
  const double left = rows_ > 0 ? std::max(batches_ - at_, 1.0) : kSoon + at_;
  std::vector<std::pair<Index, std::size_t>> giants;  // row and view
  const bool room = has_giants_ && giant_count_ < kMostGiants;
  Index new_giants = 0;
  for (const Index i : heavy) {
    const bool kept = place++ < kMost;
    const std::size_t before = giants.size();
    for (std::size_t k = 0; k < views.size() && kept && room; ++k)
      if (sizes_of_rows_(i, static_cast<Index>(k)) > std::max(kGiantRatio, kGiant * rows_ / sizes_[k]))
        giants.emplace_back(i, k);
    const bool giant = giants.size() > before;
    const double copies = std::min(copies_of(ratio_(i)), left);
    if (!giant) excess_ = std::max(excess_, ratio_(i) / (2 * (kept ? copies : 1)));
    if (!kept) continue;
    new_giants += giant;
    weight(i) = giant ? S(0) : static_cast<S>(1 / copies);
    keep(views, i, {.copies = copies, .size = ratio_(i), .giant = giant});
  }
  if (all > 0) {
    found_ = std::min(found_ + all, kMost);
    communicator_->largest(std::span(&excess_, 1));
    share_giants(views, giants);
    reduce(*communicator_, new_giants);
    giant_count_ += new_giants;
    if (new_giants > 0) giant_store_.clear();
  }

  ++at_;
  forget_done();
  parts_[1].views.clear();
  for (const auto& rows : due_) parts_[1].views.push_back(&rows);
  parts_[1].weights =
      Vector<S>(Eigen::Map<const Vector<S>>(weights.data(), static_cast<Index>(weights.size())));
  return {parts_.data(), weights.empty() ? std::size_t{1} : std::size_t{2}};
}

/// The giants of all ranks, in rank order, on every rank.
template <class S>
void HeavyRows<S>::share_giants(const std::vector<const CentredBatch<S>*>& views,
                                const std::vector<std::pair<Index, std::size_t>>& own) {
  const auto counts = counts_of_ranks(*communicator_, static_cast<Index>(own.size()));
  const Index all = std::accumulate(counts.begin(), counts.end(), Index{0});
  const Index first = std::accumulate(counts.begin(), counts.begin() + communicator_->rank(), Index{0});
  if (all == 0) return;
  std::vector<Index> view_of(static_cast<std::size_t>(all), 0);
  for (std::size_t g = 0; g < own.size(); ++g)
    view_of[static_cast<std::size_t>(first) + g] = static_cast<Index>(own[g].second);
  communicator_->sum(std::span(view_of));
  for (Index g = 0; g < all; ++g) {
    const auto view = static_cast<std::size_t>(view_of[static_cast<std::size_t>(g)]);
    const CentredBatch<S>& rows = *views[view];
    Matrix<S> a = Matrix<S>::Zero(rows.cols(), 1);
    if (g >= first && g < first + static_cast<Index>(own.size())) {
      Matrix<S> unit = Matrix<S>::Zero(rows.rows(), 1);
      unit(own[static_cast<std::size_t>(g - first)].first) = 1;
      rows.transpose_times(unit, a, 1, 0);
    }
    reduce(*communicator_, a);
    giants_.push_back({view, a.col(0)});
  }
}

template <class S>
void HeavyRows<S>::keep(const std::vector<const CentredBatch<S>*>& views, Index row, const Kept& kept) {
  for (std::size_t k = 0; k < views.size(); ++k) {
    if (kept_.empty()) start_like(views[k]->batch, store_[k].batch);
    append_row(views[k]->batch, row, store_[k].batch);
  }
  kept_.push_back(kept);
  kept_.back().number = views[0]->batch.numbers()[static_cast<std::size_t>(row)];
  kept_.back().since = at_;
}

template <class S>
const WeightedRows<S>& HeavyRows<S>::giants_of_all() {
  if (!giant_store_.empty() || store_.empty()) return giant_rows_;
  giant_store_.resize(store_.size());
  giant_rows_.views.clear();
  for (std::size_t k = 0; k < store_.size(); ++k) {
    giant_store_[k].mean = due_[k].mean;
    start_like(store_[k].batch, giant_store_[k].batch);
    for (std::size_t j = 0; j < kept_.size(); ++j)
      if (kept_[j].giant) append_row(store_[k].batch, static_cast<Index>(j), giant_store_[k].batch);
    giant_rows_.views.push_back(&giant_store_[k]);
  }
  giant_rows_.weights = Vector<S>::Constant(giant_store_[0].rows(), static_cast<S>(1 / rows_));
  return giant_rows_;
}

template <class S>
WeightedRows<S> HeavyRows<S>::kept_rows(const InMemorySamples<S>& first) {
  WeightedRows<S> rows;
  for (std::size_t k = 0; k < store_.size(); ++k) {
    store_[k].mean = first.batches().front()[k].mean;
    rows.views.push_back(&store_[k]);
  }
  rows.weights = Vector<S>::Constant(static_cast<Index>(kept_.size()), static_cast<S>(1 / rows_));
  return rows;
}

template <class S>
double HeavyRows<S>::share() const {
  double sum = 0;
  for (const Kept& row : kept_) sum += row.size;
  reduce(*communicator_, sum);
  return std::min(sum / rows_, 1.0);
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
  found_ = static_cast<Index>(kept_.size());
}

template <class S>
void HeavyRows<S>::state(State& state) {
  state(batches_, at_, found_, giant_count_);
  // What each rank keeps. Of p parts, part k goes back to rank k modulo the number of ranks.
  const auto part = [this](State& one) {
    one(kept_);
    for (auto& view : store_) landfall::state(one, view.batch);
  };
  std::vector<std::string> parts;
  if (!state.loading()) {
    StateWriter own;
    part(own);
    parts = communicator_->gather(own.bytes());
  }
  state(parts);
  if (!state.loading()) return;
  std::vector<Kept> kept;
  std::vector<CentredBatch<S>> store(store_.size());
  for (auto k = static_cast<std::size_t>(communicator_->rank()); k < parts.size();
       k += static_cast<std::size_t>(communicator_->size())) {
    StateReader in(parts[k]);
    part(in);
    for (std::size_t v = 0; v < store.size(); ++v) {
      if (kept.empty()) start_like(store_[v].batch, store[v].batch);
      for (Index row = 0; row < store_[v].batch.rows(); ++row)
        append_row(store_[v].batch, row, store[v].batch);
    }
    kept.insert(kept.end(), kept_.begin(), kept_.end());
  }
  kept_ = std::move(kept);
  store_ = std::move(store);
  giant_store_.clear();
}

template <class S>
void discount_first_rows(const InMemorySamples<S>& first, Index count, WeightedRows<S>& giants) {
  std::set<Index> known;  // of this rank
  for (const auto& batch : first.batches())
    known.insert(batch[0].batch.numbers().begin(), batch[0].batch.numbers().end());
  Communicator& communicator = first.communicator();
  const auto own = static_cast<std::size_t>(giants.weights.size());
  const auto counts = counts_of_ranks(communicator, giants.weights.size());
  const auto before = static_cast<std::size_t>(
      std::accumulate(counts.begin(), counts.begin() + communicator.rank(), Index{0}));
  std::vector<Index> numbers(static_cast<std::size_t>(count), 0), there = numbers;
  for (std::size_t i = 0; i < own; ++i) numbers[before + i] = giants.views[0]->batch.numbers()[i];
  communicator.sum(std::span(numbers));
  for (std::size_t g = 0; g < numbers.size(); ++g) there[g] = known.contains(numbers[g]);
  communicator.sum(std::span(there));
  for (std::size_t i = 0; i < own; ++i)
    if (there[before + i] > 0) giants.weights(static_cast<Index>(i)) -= S(1) / static_cast<S>(first.count());
}

template class HeavyRows<float>;
template class HeavyRows<double>;
template void discount_first_rows<float>(const InMemorySamples<float>&, Index, WeightedRows<float>&);
template void discount_first_rows<double>(const InMemorySamples<double>&, Index, WeightedRows<double>&);

}  // namespace landfall
