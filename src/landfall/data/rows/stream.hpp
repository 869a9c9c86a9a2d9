// Files of samples whose rows belong together, one file per view, as batches that are ready to use: shuffled,
// complete, centred. While a batch is used, a thread reads the next ones.
//
//   std::vector<landfall::SourcePtr<float>> views;                 // left and right
//   landfall::DataStream<float> stream(std::move(views), {.batch = 128});
//   for (std::uint64_t pass = 0; pass < 10; ++pass) {
//     stream.begin_pass(pass);
//     while (stream.next()) use(stream.view(0), stream.view(1));
//   }
//   stream.begin_pass(0, landfall::Part::held_out);
#pragma once

#include <landfall/data/rows/row_weights.hpp>
#include <landfall/data/rows/shuffle.hpp>
#include <landfall/data/rows/source.hpp>
#include <landfall/data/rows/transform.hpp>
#include <landfall/parallel/cancel.hpp>
#include <landfall/parallel/communicator.hpp>

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace landfall {

struct StreamOptions {
  Index batch = 128;            // rows over all ranks; fewer in the last batch, and where rows are dropped
  ShuffleOptions shuffle = {};  // window 0: that of the view which needs the smallest, for all
  TransformOptions transform = {};
  /// Of the rows, by their numbers; null: all 1. Rows of weight 0 are left out. The others are multiplied by the root of their
  /// weight once they are centred (Batch::roots()), where weights have a mean of 1 over the training rows: then a sum of
  /// products over the N training rows, divided by N, is a weighted mean. Needs data that can be read twice.
  std::shared_ptr<const RowWeights> weights = {};
  bool read_ahead = true;  // by a few batches, in a thread; the batches are the same without
  /// Ranks that divide the rows and share the sums over them; null: one rank. All of them must go through the same
  /// passes. A batch may be empty on a rank.
  std::shared_ptr<Communicator> communicator = {};
  RankRows rank_rows = RankRows::shared;
  /// mark() is wanted: a fingerprint of the training rows, taken while the statistics are.
  bool mark = false;
  /// Looked at once per batch: reading then throws Cancelled.
  CancelFlag cancel = {};
};

template <class S>
class DataStream {
 public:
  /// Reads all training rows once if the transform needs it; a UsageError for data that can be read only once
  /// (standard input), where automatic centring is running. At least one view. Views with different numbers
  /// of rows are a DataError, here if the numbers are known, else at the end of the first pass.
  DataStream(std::vector<SourcePtr<S>> views, const StreamOptions& options);

  /// Rows per batch from the next pass on.
  void set_batch(Index rows);

  /// Starts a pass, whatever is left of another. Data that can be read only once have one pass, over training
  /// or held-out rows: UsageError for the second. A running mean restarts with each pass over training
  /// rows until one has gone to its end, and stays what it is from then on.
  void begin_pass(std::uint64_t pass, Part part = Part::training);

  /// Makes the next batch the current one; false at the end of the pass. What went wrong in the thread is
  /// thrown here.
  bool next();

  /// Of the current batch: its rows in every view, and their labels where the first view has them.
  const CentredBatch<S>& view(std::size_t i) const { return current_.views[i]; }
  std::span<const double> labels() const { return current_.labels; }

  /// For sums over the rows of all ranks (linalg/reduce.hpp).
  Communicator& communicator() const {
    return options_.communicator ? *options_.communicator : serial_communicator();
  }

  RankRows rank_rows() const { return options_.rank_rows; }
  /// The number of the first row that this rank has; 0 where rows are shared.
  Index first_row() const { return options_.shuffle.first_row; }
  /// Whether rows of different weights are handed out.
  bool weighted() const { return options_.weights && !options_.weights->equal(); }
  /// Of the training rows of all ranks, as given; 0 where rows have no weights.
  double sum_of_weights() const { return sum_of_weights_; }
  /// What one row of weight 1 in the stream was as given; 1 where rows have no weights.
  double weight_unit() const { return options_.weights ? options_.weights->unit() / weight_scale_ : 1; }

  /// The same for the same rows, however many ranks read them in whichever order; 0 where it was not asked for or there are
  /// no statistics.
  std::uint64_t mark() const { return mark_; }

  /// None, exact or running: what automatic centring became.
  Centring centring() const { return options_.transform.centring; }
  std::size_t views() const { return sources_.size(); }
  const Source<S>& source(std::size_t i) const { return *sources_[i]; }
  /// Not while a pass with a running mean goes on.
  const Transform<S>& transform(std::size_t i) const { return transforms_[i]; }
  /// Of the training rows of all ranks, all columns; null where the transform did not need them.
  const ColumnStatistics* statistics(std::size_t i) const {
    return statistics_.empty() ? nullptr : &statistics_[i];
  }

 private:
  struct Slot {
    std::vector<CentredBatch<S>> views;
    std::vector<double> labels;
    std::vector<ColumnStatistics> columns;  // what a running mean made of them
    bool last = false;                      // there was nothing left
    std::exception_ptr error;
    bool end() const { return last || error; }
  };

  void choose_centring();
  void stop_reading(std::unique_lock<std::mutex>& lock);
  void divide_rows();
  Index count_own_rows();
  void require_same_columns();
  std::optional<Index> next_count();
  void size_ring();
  void make_batch(std::unique_lock<std::mutex>& lock);
  void check_rows();
  void learn();
  Index read_for_statistics(std::size_t view, Index first);
  void mark_unusable();
  void take_out_marked(std::vector<double>& labels);
  void weigh(Batch<S>& batch);
  void fill(Slot& slot);
  Slot& free_slot() { return ahead_[(first_ + filled_) % ahead_.size()]; }
  bool read(Slot& slot);
  void require_equal_rows(const std::vector<Index>& rows) const;
  void run(std::stop_token stop);

  std::vector<SourcePtr<S>> sources_;
  StreamOptions options_;
  std::vector<ShuffledReader<S>> readers_;
  std::vector<Transform<S>> transforms_;
  std::vector<ColumnStatistics> statistics_;
  std::vector<RunningStatistics<S>> running_;
  bool following_ = false;  // the running mean still changes
  Part part_ = Part::training;
  bool started_ = false, in_order_ = false;
  std::uint64_t mark_ = 0;
  double weight_scale_ = 1, sum_of_weights_ = 0;

  /// Where ranks have rows of their own, they make the same number of steps: T = ceil(N / batch) for the N rows of a part, of
  /// which step t takes rows [t N_k / T, (t + 1) N_k / T) of the N_k of this rank.
  struct Steps {
    Index own = 0, all = 0;  // N_k, N
  };
  Steps parts_[2];                 // of training and held-out rows
  std::optional<Steps> in_steps_;  // the pass is made that way
  Index step_ = 0;

  std::vector<Batch<S>> raw_;
  Batch<S> selected_;
  std::vector<char> drop_;
  std::vector<double> row_weights_;
  std::vector<S> roots_;
  Slot current_;
  std::vector<Slot> ahead_;  // a ring: the `filled_` slots from first_ on hold batches

  // Who is reading, the thread or the caller, has everything above for itself, but for current_ and the
  // filled slots, which are the caller's.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t first_ = 0, filled_ = 0;
  bool wanted_ = false;   // the pass is not at its end yet
  bool reading_ = false;  // one of the two is
  std::jthread thread_;   // last: ends before anything else goes
};

extern template class DataStream<float>;
extern template class DataStream<double>;

}  // namespace landfall
