#include <landfall/data/rows/rows.hpp>
#include <landfall/data/rows/stream.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

/// The thread of the stream, or those of the pool that it was made with.
void wake_reader(std::condition_variable_any& changed) {
  if (ThreadPool* pool = ThreadPool::current()) pool->wake();
  changed.notify_all();
}

}  // namespace

template <class S>
DataStream<S>::DataStream(std::vector<SourcePtr<S>> views, const StreamOptions& options)
    : sources_(std::move(views)), options_(options) {
  if (sources_.empty()) throw UsageError("a stream was given no views, expected at least one");
  if (options.batch < 1)
    throw UsageError(fmt::format("a batch of {} rows, expected at least 1", options.batch));
  choose_centring();
  check_rows();
  divide_rows();

  // One order for all views: if one must be read in windows, so are the others.
  if (options_.shuffle.window == 0)
    for (const auto& source : sources_)
      if (!source->random_access()) {
        const Index window = default_window(source->cols(), source->sparse());
        options_.shuffle.window =
            options_.shuffle.window == 0 ? window : std::min(options_.shuffle.window, window);
      }
  for (const auto& source : sources_) {
    readers_.emplace_back(*source, options_.shuffle, options_.cancel);
    transforms_.emplace_back(source->name(), source->cols(), options_.transform);
    transforms_.back().name_columns(source->column_names());
    running_.emplace_back(source->cols());
  }
  raw_.resize(sources_.size());
  current_.views.resize(sources_.size());
  size_ring();
  if (options_.transform.needs_statistics() || options_.weights) learn();
  if (!options_.read_ahead) return;
  ThreadPool* pool = ThreadPool::current();
  if (!pool || pool->threads() == 1) {
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
    return;
  }
  // Threads of the pool read when they have nothing else to do. The thread of the stream only ends that with the stream.
  struct Reading final : BackgroundWork {
    explicit Reading(DataStream& all) : stream(all) {}
    bool work() override {
      std::unique_lock lock(stream.mutex_);
      if (!stream.wanted_ || stream.reading_ || stream.filled_ == stream.ahead_.size()) return false;
      stream.make_batch(lock);
      return true;
    }
    DataStream& stream;
  };
  thread_ = std::jthread([this, pool](std::stop_token stop) {
    Reading reading(*this);
    pool->add(reading);
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait(lock, stop, [] { return false; });
    pool->remove(reading);
  });
}

template <class S>
void DataStream<S>::choose_centring() {
  TransformOptions& transform = options_.transform;
  const auto once = std::ranges::find_if(sources_, [](const auto& source) { return !source->rewindable(); });
  const bool twice = once == sources_.end();
  if (transform.centring == Centring::automatic)
    transform.centring = twice ? Centring::exact : Centring::running;
  if (transform.needs_statistics() && !twice)
    throw UsageError(
        fmt::format("{}: can be read only once, but {} requires an extra pass over the data; expected a "
                    "file, or running centring",
                    (*once)->name(),
                    transform.centring == Centring::exact ? "exact centring"
                    : transform.scaled()                  ? "scaling without centring"
                                                          : "the mean of each column"));
  if (options_.weights && (!twice || transform.centring == Centring::running))
    throw UsageError(fmt::format("{}: weights require an extra pass over the data; expected a file{}",
                                 twice ? sources_[0]->name() : (*once)->name(),
                                 twice ? " and exact centring or none" : ""));
  following_ = transform.centring == Centring::running;
  if (following_ && communicator().size() > 1)
    throw UsageError(
        fmt::format("running centring follows the rows of one rank, got {} ranks; expected exact "
                    "centring or none",
                    communicator().size()));
}

/// Which rows are this rank's.
template <class S>
void DataStream<S>::divide_rows() {
  Communicator& ranks = communicator();
  if (ranks.size() == 1) return;
  ShuffleOptions& shuffle = options_.shuffle;
  if (options_.rank_rows == RankRows::shared) {
    shuffle.rank = ranks.rank();
    shuffle.ranks = ranks.size();
    shuffle.ranges =
        std::ranges::all_of(sources_, [](const auto& source) { return source->random_access(); });
    return;
  }
  if (options_.weights)
    throw UsageError(
        fmt::format("{}: weights are those of files that all ranks read, but each rank has rows of its own; "
                    "expected --rows shared",
                    options_.weights->name()));
  require_same_columns();
  const Index own = count_own_rows();
  const auto counts = counts_of_ranks(ranks, own);
  for (int rank = 0; rank < ranks.rank(); ++rank) shuffle.first_row += counts[static_cast<std::size_t>(rank)];
  Steps &training = parts_[0], &held = parts_[1];
  if (shuffle.held_out > 0)
    for (Index row = 0; row < own; ++row)
      held.own += part_of(shuffle.first_row + row, shuffle) == Part::held_out;
  training.own = own - held.own;
  for (Steps* part : {&training, &held}) {
    part->all = part->own;
    reduce(ranks, part->all);
  }
}

/// Files of several ranks are of one width, and their columns have the same names.
template <class S>
void DataStream<S>::require_same_columns() {
  Communicator& ranks = communicator();
  for (const auto& source : sources_) {
    if (const auto range = source->indices()) {  // the widest file decides
      std::array most{static_cast<double>(-range->first), static_cast<double>(range->last)};
      ranks.largest(most);
      source->set_indices({-static_cast<Index>(most[0]), static_cast<Index>(most[1])});
    }
    std::string names = fmt::format("{} columns", source->cols());
    for (const auto& name : source->column_names()) names += '\0' + name;
    std::string first = names;
    broadcast_text(ranks, first);
    if (any_rank(ranks, first != names))
      throw DataError(
          fmt::format("{}: its columns are not those of the other ranks; expected the same number and names",
                      source->name()));
  }
}

/// Of the first view; a text file is read for it.
template <class S>
Index DataStream<S>::count_own_rows() {
  if (const auto known = sources_[0]->rows()) return *known;
  Index rows = 0;
  Batch<S> batch;
  while (const Index more = sources_[0]->read(1024, batch)) {
    options_.cancel.throw_if_requested();
    rows += more;
  }
  sources_[0]->rewind();
  return rows;
}

/// How many rows to ask for; unset at the end of a pass whose steps are numbered.
template <class S>
std::optional<Index> DataStream<S>::next_count() {
  if (!in_steps_) return options_.batch;
  const Index steps = (in_steps_->all + options_.batch - 1) / options_.batch;
  if (step_ >= steps) return std::nullopt;
  const Index first = step_ * in_steps_->own / steps;
  return ++step_ * in_steps_->own / steps - first;
}

template <class S>
void DataStream<S>::check_rows() {
  const auto known = sources_[0]->rows();
  if (!known) return;
  std::vector<Index> rows;
  for (const auto& source : sources_) rows.push_back(source->rows().value_or(*known));
  require_equal_rows(rows);
  if (options_.weights) options_.weights->expect_rows(sources_[0]->name(), *known);
}

/// The next rows of a view into raw_, in file order; returns how many, before those of other ranks are left out.
template <class S>
Index DataStream<S>::read_for_statistics(std::size_t view, Index first) {
  constexpr Index block = 1024;
  const ShuffleOptions& shuffle = options_.shuffle;
  Batch<S>& rows = raw_[view];
  if (shuffle.ranges) {
    const RankSlice own = slice(shuffle.rank, shuffle.ranks, sources_[view]->rows().value());
    std::vector<Index> numbers(static_cast<std::size_t>(std::clamp<Index>(own.size() - first, 0, block)));
    std::iota(numbers.begin(), numbers.end(), own.first + first);
    sources_[view]->read_rows(numbers, rows);
  } else {
    sources_[view]->read(block, rows);
  }
  rows.renumber(shuffle.first_row);
  return rows.rows();
}

/// The first pass, in file order, over the training rows that no view drops; then those of the other ranks.
template <class S>
void DataStream<S>::learn() {
  const ShuffleOptions& shuffle = options_.shuffle;
  for (const auto& source : sources_) source->rewind();
  std::vector<Index> rows(sources_.size(), 0);
  std::vector<double> no_labels;
  double sum = 0;  // of weights
  for (bool more = true; more;) {
    options_.cancel.throw_if_requested();
    more = false;
    for (std::size_t v = 0; v < sources_.size(); ++v) {
      rows[v] += read_for_statistics(v, rows[v]);
      more = more || raw_[v].rows() > 0;
    }
    if (std::ranges::any_of(rows, [&](Index count) { return count != rows[0]; })) {
      for (std::size_t v = 0; v < sources_.size(); ++v)
        while (raw_[v].rows() > 0) rows[v] += read_for_statistics(v, rows[v]);
      require_equal_rows(rows);
    }
    mark_unusable();
    const RankSlice own =
        shuffle.ranges ? RankSlice{0, raw_[0].rows()} : slice(shuffle.rank, shuffle.ranks, raw_[0].rows());
    for (std::size_t i = 0; i < drop_.size(); ++i) {
      const auto at = static_cast<Index>(i);
      drop_[i] = drop_[i] || at < own.first || at >= own.last ||
                 part_of(raw_[0].numbers()[i], shuffle) != Part::training;
    }
    take_out_marked(no_labels);
    row_weights_.clear();
    if (weighted())
      for (const Index number : raw_[0].numbers()) row_weights_.push_back((*options_.weights)[number]);
    sum = std::accumulate(row_weights_.begin(), row_weights_.end(), sum);
    for (std::size_t v = 0; v < sources_.size(); ++v) {
      running_[v].add(raw_[v], row_weights_);
      if (options_.mark) mark_ += mark_of(raw_[v], v);
    }
  }
  if (options_.mark) {
    if (options_.weights && communicator().rank() == 0) mark_ += options_.weights->mark();
    auto marks = static_cast<Index>(mark_);  // modulo 2^64
    reduce(communicator(), marks);
    mark_ = static_cast<std::uint64_t>(marks);
  }
  if (options_.weights && !shuffle.ranges) options_.weights->expect_rows(sources_[0]->name(), rows[0]);
  for (std::size_t v = 0; v < sources_.size(); ++v) {
    running_[v].merge_ranks(communicator());
    if (running_[v].rows() == 0) throw DataError(fmt::format("{}: no rows to train on", sources_[v]->name()));
    statistics_.push_back(running_[v].summary());
    transforms_[v].learn(statistics_.back());
    if (transforms_[v].kept().empty())
      throw DataError(fmt::format("{}: all {} columns are constant{}", sources_[v]->name(),
                                  sources_[v]->cols(),
                                  sizeof(S) == sizeof(float) ? " in single precision" : ""));
    sources_[v]->rewind();
  }
  if (!options_.weights) return;
  const auto count = static_cast<double>(statistics_[0].rows);
  reduce(communicator(), sum);
  if (weighted()) weight_scale_ = count / sum;
  sum_of_weights_ = (weighted() ? sum : count) * options_.weights->unit();
}

/// Marks rows of weight 0, which may hold anything, and those with missing values that are to be dropped.
template <class S>
void DataStream<S>::mark_unusable() {
  drop_.assign(static_cast<std::size_t>(raw_[0].rows()), 0);
  if (options_.weights && options_.weights->has_zeros())
    for (std::size_t i = 0; i < drop_.size(); ++i) drop_[i] = (*options_.weights)[raw_[0].numbers()[i]] == 0;
  for (std::size_t v = 0; v < raw_.size(); ++v) transforms_[v].check(raw_[v], drop_);
}

/// Of every view.
template <class S>
void DataStream<S>::take_out_marked(std::vector<double>& labels) {
  if (std::ranges::none_of(drop_, [](char drop) { return drop; })) return;
  for (Batch<S>& batch : raw_) {
    start_like(batch, selected_);
    for (std::size_t i = 0; i < drop_.size(); ++i)
      if (!drop_[i]) append_row(batch, static_cast<Index>(i), selected_);
    std::swap(batch, selected_);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!drop_[i]) labels[kept++] = labels[i];
  labels.resize(kept);
}

/// What was read ahead is forgotten.
template <class S>
void DataStream<S>::stop_reading(std::unique_lock<std::mutex>& lock) {
  wanted_ = started_ = false;
  changed_.wait(lock, [&] { return !reading_; });
  filled_ = 0;
}

template <class S>
void DataStream<S>::set_batch(Index rows) {
  if (rows < 1) throw UsageError(fmt::format("a batch of {} rows, expected at least 1", rows));
  std::unique_lock lock(mutex_);
  stop_reading(lock);
  options_.batch = rows;
  size_ring();
}

/// Many batches, so that the caller goes on while the thread waits for a processor; fewer of large ones.
template <class S>
void DataStream<S>::size_ring() {
  std::size_t row = 0;
  for (const auto& source : sources_)
    row += sizeof(S) * static_cast<std::size_t>(source->sparse() ? std::min<Index>(source->cols(), 1024)
                                                                 : source->cols());
  constexpr std::size_t bytes = 16 << 20;
  const std::size_t slots =
      bytes / (row * static_cast<std::size_t>(share(communicator(), options_.batch)) + 1);
  ahead_.resize(options_.read_ahead ? std::clamp<std::size_t>(slots, 3, 16) : 1);
  for (Slot& slot : ahead_) slot.views.resize(sources_.size());
  first_ = 0;
}

template <class S>
void DataStream<S>::begin_pass(std::uint64_t pass, Part part) {
  std::unique_lock lock(mutex_);
  stop_reading(lock);
  part_ = part;
  step_ = 0;
  in_order_ = pass == in_file_order;
  const bool numbered = communicator().size() > 1 && options_.rank_rows == RankRows::own && !in_order_;
  in_steps_ = numbered ? std::optional(parts_[part == Part::training ? 0 : 1]) : std::nullopt;
  if (following_)
    for (std::size_t v = 0; v < running_.size(); ++v) {
      running_[v] = RunningStatistics<S>(sources_[v]->cols());
      // What was read ahead and never asked for leaves no trace.
      if (!current_.columns.empty()) transforms_[v].follow(current_.columns[v]);
    }
  for (auto& reader : readers_) reader.begin_pass(pass, part);
  wanted_ = started_ = true;
  wake_reader(changed_);
}

template <class S>
bool DataStream<S>::next() {
  if (!started_) throw UsageError("a batch was requested before a pass was started");
  options_.cancel.throw_if_requested();
  std::unique_lock lock(mutex_);
  if (filled_ == 0 && wanted_ && !reading_) make_batch(lock);  // the thread has not come to it
  changed_.wait(lock, [&] { return filled_ > 0; });
  Slot& slot = ahead_[first_];
  if (slot.error) std::rethrow_exception(slot.error);
  if (slot.last) {
    if (part_ == Part::training) following_ = false;
    return false;
  }
  std::swap(current_.views, slot.views);
  std::swap(current_.columns, slot.columns);
  std::swap(current_.labels, slot.labels);
  first_ = (first_ + 1) % ahead_.size();
  --filled_;
  if (filled_ <= ahead_.size() / 2) wake_reader(changed_);  // not for each slot that becomes free
  return true;
}

template <class S>
void DataStream<S>::run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return wanted_ && !reading_ && filled_ < ahead_.size(); }))
    make_batch(lock);
}

template <class S>
void DataStream<S>::make_batch(std::unique_lock<std::mutex>& lock) {
  Slot& slot = free_slot();
  reading_ = true;
  lock.unlock();
  fill(slot);
  lock.lock();
  reading_ = false;
  ++filled_;
  if (slot.end()) wanted_ = false;
  changed_.notify_all();
}

template <class S>
void DataStream<S>::fill(Slot& slot) {
  slot.last = false;
  slot.error = nullptr;
  try {
    slot.last = !read(slot);
  } catch (...) {
    slot.error = std::current_exception();
  }
}

template <class S>
bool DataStream<S>::read(Slot& slot) {
  // Ranks go through a pass step by step, with empty batches too; in file order each for itself.
  const bool skips_empty = communicator().size() == 1 || in_order_;
  do {
    bool in_step = true;
    const std::optional<Index> count = next_count();
    Index taken = 0;
    for (std::size_t v = 0; v < raw_.size(); ++v) {
      if (count.value_or(0) > 0)
        taken = readers_[v].read(*count, raw_[v]);
      else
        sources_[v]->sparse() ? raw_[v].start_sparse(sources_[v]->cols())
                              : raw_[v].start_dense(sources_[v]->cols());
      in_step = in_step && std::ranges::equal(raw_[v].numbers(), raw_[0].numbers());
    }
    if (!in_step || !count || (*count > 0 && taken == 0)) {
      const Index expected = readers_[0].count_rows();
      const auto equal = [&](auto& reader) { return reader.count_rows() == expected; };
      if (!std::ranges::all_of(readers_, equal)) {
        std::vector<Index> rows;
        for (auto& reader : readers_) rows.push_back(reader.count_rows());
        require_equal_rows(rows);
      }
      if (!in_step)
        throw DataError(fmt::format("{}: its rows are not numbered in order", sources_[0]->name()));
      return false;
    }
    slot.labels.assign(readers_[0].labels().begin(), readers_[0].labels().end());
    mark_unusable();
    take_out_marked(slot.labels);
  } while (raw_[0].rows() == 0 && skips_empty);

  slot.columns.clear();
  for (std::size_t v = 0; v < raw_.size(); ++v) {
    if (following_ && part_ == Part::training) {
      running_[v].add(raw_[v]);
      slot.columns.push_back(running_[v].summary());
      transforms_[v].follow(slot.columns[v]);
    }
    transforms_[v].apply(raw_[v], slot.views[v]);
    if (weighted()) weigh(slot.views[v].batch);
  }
  return true;
}

template <class S>
void DataStream<S>::weigh(Batch<S>& batch) {
  roots_.clear();
  for (const Index number : batch.numbers())
    roots_.push_back(static_cast<S>(std::sqrt(weight_scale_ * (*options_.weights)[number])));
  batch.weigh(roots_);
}

template <class S>
void DataStream<S>::require_equal_rows(const std::vector<Index>& rows) const {
  for (std::size_t v = 1; v < rows.size(); ++v)
    if (rows[v] != rows[0])
      throw DataError(fmt::format("{} has {} rows and {} has {}; expected the same number in {}",
                                  sources_[0]->name(), rows[0], sources_[v]->name(), rows[v],
                                  rows.size() == 2 ? "both" : "all"));
}

template class DataStream<float>;
template class DataStream<double>;

}  // namespace landfall
