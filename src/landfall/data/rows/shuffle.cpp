#include <landfall/data/rows/rows.hpp>
#include <landfall/data/rows/shuffle.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace landfall {

namespace {

// A permutation of stream {seed, pass} uses positions below 2^36; what else a pass draws lies above.
constexpr std::uint64_t window_lengths = std::uint64_t{1} << 40;
constexpr std::uint64_t window_keys = std::uint64_t{1} << 41;
constexpr std::uint64_t held_out_rows = ~std::uint64_t{0};  // purposes that no pass has
constexpr std::uint64_t fold_rows = held_out_rows - 2;

constexpr Index block_rows = 256;

/// From 1 to window.
Index first_window(Index window, Stream pass) {
  return std::min(window,
                  1 + static_cast<Index>(uniform(pass, window_lengths) * static_cast<double>(window)));
}

Permutation window_order(Index number, Index size, Stream pass) {
  const auto words = random_words(pass, window_keys + static_cast<std::uint64_t>(number));
  return {size, {pass.seed, static_cast<std::uint64_t>(words[0]) << 32 | words[1]}};
}

}  // namespace

Index default_window(Index cols, bool sparse) {
  if (sparse) return 16384;
  return std::clamp<Index>((Index{1} << 23) / std::max<Index>(cols, 1), 256, 65536);
}

int fold_of(Index row, int folds, std::uint64_t seed) {
  const auto word = random_words({seed, fold_rows}, static_cast<std::uint64_t>(row))[0];
  return static_cast<int>(std::uint64_t{word} * static_cast<std::uint64_t>(folds) >> 32);
}

Part part_of(Index row, const ShuffleOptions& options) {
  const Stream stream{options.seed, held_out_rows};
  const bool out =
      (options.held_out > 0 && uniform(stream, static_cast<std::uint64_t>(row)) < options.held_out) ||
      (options.folds > 0 && fold_of(row, options.folds, options.seed) == options.fold);
  return out ? Part::held_out : Part::training;
}

template <class S>
ShuffledReader<S>::ShuffledReader(Source<S>& source, const ShuffleOptions& options, CancelFlag cancel)
    : source_(source), options_(options), cancel_(std::move(cancel)), window_(options.window), order_(0, {}) {
  if (!(options.held_out >= 0 && options.held_out < 1))
    throw UsageError(
        fmt::format("a held-out fraction of {}, expected at least 0 and less than 1", options.held_out));
  if (options.window < 0)
    throw UsageError(fmt::format("a window of {} rows, expected at least 1", options.window));
  if (window_ == 0 && !source.random_access()) window_ = default_window(source.cols(), source.sparse());
}

template <class S>
void ShuffledReader<S>::begin_pass(std::uint64_t pass, Part part) {
  if (!source_.random_access() && !fresh_) {
    if (!source_.rewindable())
      throw UsageError(fmt::format("{}: a second pass over data that can be read only once, expected a file",
                                   source_.name()));
    source_.rewind();
  }
  pass_ = pass;
  part_ = part;
  opened_ = start_ = size_ = next_ = 0;
  if (in_ranges()) start_ = slice(options_.rank, options_.ranks, source_.rows().value()).first;
  slots_.clear();
  held_labels_.clear();
  block_next_ = 0;
  rows_read_ = 0;
  for (Batch<S>* batch : {&held_, &spare_, &block_})
    source_.sparse() ? batch->start_sparse(source_.cols()) : batch->start_dense(source_.cols());
}

template <class S>
Index ShuffledReader<S>::read(Index count, Batch<S>& batch) {
  if (count < 1) throw UsageError(fmt::format("a batch of {} rows, expected at least 1", count));
  cancel_.throw_if_requested();
  const bool any_order = source_.random_access();
  rows_.clear();
  labels_.clear();
  start_like(held_, batch);
  const RankSlice own = in_ranges() ? RankSlice{0, count} : slice(options_.rank, options_.ranks, count);
  Index taken = 0;  // of all readers
  while (taken < count) {
    if (next_ == size_ && !open_window()) break;
    const Index place = pass_ == in_file_order ? next_ : order_(next_);
    ++next_;
    const Index slot = any_order ? 0 : slots_[static_cast<std::size_t>(place)];
    if (any_order ? part_of(options_.first_row + start_ + place, options_) != part_ : slot < 0) continue;
    const Index at = taken++;
    if (at < own.first || at >= own.last) continue;
    if (any_order) {
      rows_.push_back(start_ + place);
    } else {
      append_row(held_, slot, batch);
      if (!held_labels_.empty()) labels_.push_back(held_labels_[static_cast<std::size_t>(slot)]);
    }
  }
  if (!rows_.empty()) {
    source_.read_rows(rows_, batch);
    labels_.assign(source_.labels().begin(), source_.labels().end());
  }
  batch.renumber(options_.first_row);
  return taken;
}

/// The next window becomes the open one; false at the end of the source.
template <class S>
bool ShuffledReader<S>::open_window() {
  bool more;  // rows beyond the first W
  Index available;
  if (source_.random_access()) {
    const Index rows = source_.rows().value();
    available = (in_ranges() ? slice(options_.rank, options_.ranks, rows).last : rows) - start_ - size_;
    more = window_ > 0 && available > window_;
  } else {
    more = fill_window();
    available = static_cast<Index>(slots_.size());
  }
  start_ += size_;
  next_ = size_ = 0;
  if (available == 0) return false;

  const Stream stream{options_.seed, pass_};
  if (opened_ == 0 && !more) {
    size_ = available;
    order_ = Permutation(size_, stream);
  } else {
    size_ = opened_ == 0 ? first_window(window_, stream) : std::min(window_, available);
    order_ = window_order(opened_, size_, stream);
  }
  ++opened_;
  return true;
}

/// Forgets the open window and reads until W rows are there, or all that are left; whether there are more.
template <class S>
bool ShuffledReader<S>::fill_window() {
  start_like(held_, spare_);
  spare_labels_.clear();
  Index kept = 0;
  for (auto k = static_cast<std::size_t>(size_); k < slots_.size(); ++k) {
    const Index slot = slots_[k];
    slots_[static_cast<std::size_t>(kept++)] = slot < 0 ? -1 : spare_.rows();
    if (slot < 0) continue;
    append_row(held_, slot, spare_);
    if (!held_labels_.empty()) spare_labels_.push_back(held_labels_[static_cast<std::size_t>(slot)]);
  }
  slots_.resize(static_cast<std::size_t>(kept));
  std::swap(held_, spare_);
  std::swap(held_labels_, spare_labels_);

  while (next_block()) {
    const auto labels = source_.labels();
    for (; block_next_ < block_.rows(); ++block_next_) {
      if (static_cast<Index>(slots_.size()) == window_) {
        check_memory();
        return true;
      }
      const Index number = options_.first_row + block_.numbers()[static_cast<std::size_t>(block_next_)];
      if (part_of(number, options_) != part_) {
        slots_.push_back(-1);
        continue;
      }
      slots_.push_back(held_.rows());
      append_row(block_, block_next_, held_);
      if (!labels.empty()) held_labels_.push_back(labels[static_cast<std::size_t>(block_next_)]);
    }
    check_memory();
  }
  return false;
}

/// Makes sure that the block has rows that were not used; false at the end of the source.
template <class S>
bool ShuffledReader<S>::next_block() {
  if (block_next_ < block_.rows()) return true;
  cancel_.throw_if_requested();
  fresh_ = false;
  block_next_ = 0;
  rows_read_ += source_.read(block_rows, block_);
  return block_.rows() > 0;
}

template <class S>
void ShuffledReader<S>::check_memory() const {
  const std::uint64_t held = held_.values().size() * sizeof(S) + held_.columns().size() * sizeof(Index);
  if (held > options_.memory)
    throw UsageError(
        fmt::format("{}: shuffling {} rows at a time needs more than the {} bytes allowed; "
                    "expected more memory or a smaller window",
                    source_.name(), window_, options_.memory));
}

template <class S>
Index ShuffledReader<S>::count_rows() {
  if (source_.random_access()) return source_.rows().value();
  do {
    block_next_ = block_.rows();
  } while (next_block());
  return rows_read_;
}

template class ShuffledReader<float>;
template class ShuffledReader<double>;

}  // namespace landfall
