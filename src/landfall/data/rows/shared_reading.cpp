#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/data/rows/shared_reading.hpp>
#include <landfall/data/rows/shuffle.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kBlock = 256;  // rows read at a time

}  // namespace

template <class S>
SharedReading<S>::View::View(Source<S>& view, Index kept)
    : source(view), window(kept > 0 ? kept : default_window(view.cols(), view.sparse())) {}

/// Whether the slowest reader of this pass is so near that another block may be read.
template <class S>
bool SharedReading<S>::View::has_room() const {
  Index slowest = end;
  for (const Place& place : places)
    if (place.pass == pass) slowest = std::min(slowest, place.row);
  return end - slowest < window;
}

template <class S>
bool SharedReading<S>::View::all_have_left(Index earlier_than) const {
  return std::ranges::all_of(places, [&](const Place& place) { return place.pass >= earlier_than; });
}

template <class S>
void SharedReading<S>::View::start(Index next_pass) {
  source.rewind();
  blocks.clear();
  end = 0;
  at_end = false;
  pass = next_pass;
}

template <class S>
void SharedReading<S>::View::read_block() {
  Block block{.first = end};
  source.read(kBlock, block.rows);
  const auto labels = source.labels();
  block.labels.assign(labels.begin(), labels.end());
  end += block.rows.rows();
  at_end = block.rows.rows() == 0;
  if (!at_end) blocks.push_back(std::move(block));
}

/// Those that no reader of this pass wants.
template <class S>
void SharedReading<S>::View::forget_blocks() {
  while (!blocks.empty()) {
    const Index last = blocks.front().first + blocks.front().rows.rows();
    const auto wants = [&](const Place& place) { return place.pass == pass && place.row < last; };
    if (std::ranges::any_of(places, wants)) return;
    blocks.pop_front();
  }
}

/// What does not change while rows are read is asked without the lock.
template <class S>
class SharedReading<S>::Reader final : public ForwardedSource<S> {
 public:
  Reader(SharedReading& all, View& view)
      : ForwardedSource<S>(std::make_unique<BorrowedSource<S>>(view.source)),
        all_(all),
        view_(view),
        place_(view.places.emplace(view.places.end())) {}

  ~Reader() override {
    const std::lock_guard lock(all_.mutex_);
    view_.places.erase(place_);
    moved();
  }

  std::optional<Index> rows() const override {
    const std::lock_guard lock(all_.mutex_);
    return view_.source.rows();
  }

  Index read(Index count, Batch<S>& batch) override {
    if (count < 1) throw UsageError(fmt::format("a batch of {} rows, expected at least 1", count));
    return this->random_access() ? read_at_place(count, batch) : read_in_order(count, batch);
  }

  void read_rows(std::span<const Index> rows, Batch<S>& batch) override {
    const std::lock_guard lock(all_.mutex_);
    view_.source.read_rows(rows, batch);
    const auto labels = view_.source.labels();
    labels_.assign(labels.begin(), labels.end());
  }

  void rewind() override {
    const std::lock_guard lock(all_.mutex_);
    if (place_->row > 0) *place_ = {place_->pass + 1, 0};
    moved();
  }

  std::span<const double> labels() const override { return labels_; }

 private:
  Index read_at_place(Index count, Batch<S>& batch) {
    numbers_.resize(static_cast<std::size_t>(std::min(count, rows().value() - place_->row)));
    std::iota(numbers_.begin(), numbers_.end(), place_->row);
    read_rows(numbers_, batch);
    place_->row += batch.rows();
    return batch.rows();
  }

  Index read_in_order(Index count, Batch<S>& batch) {
    this->sparse() ? batch.start_sparse(this->cols()) : batch.start_dense(this->cols());
    labels_.clear();
    std::unique_lock lock(all_.mutex_);
    const Index pass = place_->pass;
    all_.wait(lock, [&] { return all_.missing_ == 0 && (pass == view_.pass || view_.all_have_left(pass)); });
    if (pass != view_.pass) view_.start(pass);
    while (batch.rows() < count && next_row(lock)) {
      const auto block = std::ranges::find_if(
          view_.blocks, [&](const Block& one) { return place_->row < one.first + one.rows.rows(); });
      for (Index i = place_->row - block->first; i < block->rows.rows() && batch.rows() < count; ++i) {
        append_row(block->rows, i, batch);
        if (!block->labels.empty()) labels_.push_back(block->labels[static_cast<std::size_t>(i)]);
        ++place_->row;
      }
      moved();
    }
    return batch.rows();
  }

  /// Waits until the row at this place is there; false at the end of the source. Where all users wait, this one goes on beyond the
  /// window: one may wait with this view for another that waits with another view.
  bool next_row(std::unique_lock<std::mutex>& lock) {
    all_.wait(lock, [&] {
      return place_->row < view_.end || view_.at_end || view_.has_room() ||
             all_.waiting_ >= view_.places.size();
    });
    if (place_->row == view_.end && !view_.at_end) view_.read_block();
    return place_->row < view_.end;
  }

  void moved() {
    view_.forget_blocks();
    all_.changed_.notify_all();
  }

  SharedReading& all_;
  View& view_;
  typename std::list<Place>::iterator place_;
  std::vector<double> labels_;
  std::vector<Index> numbers_;
};

template <class S>
SharedReading<S>::SharedReading(const std::vector<Source<S>*>& views, int users, Index window)
    : missing_(users) {
  for (Source<S>* view : views) views_.emplace_back(*view, window);
}

template <class S>
std::vector<SourcePtr<S>> SharedReading<S>::readers() {
  const std::lock_guard lock(mutex_);
  std::vector<SourcePtr<S>> all;
  for (View& view : views_) all.push_back(std::make_unique<Reader>(*this, view));
  --missing_;
  changed_.notify_all();
  return all;
}

template <class S>
template <class Ready>
void SharedReading<S>::wait(std::unique_lock<std::mutex>& lock, Ready ready) {
  if (ready()) return;
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, ready);
  --waiting_;
}

template class SharedReading<float>;
template class SharedReading<double>;

}  // namespace landfall
