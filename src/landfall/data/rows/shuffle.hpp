// Passes over a source in shuffled order, without loading it.
//
//   landfall::ShuffledReader<float> reader(source, {.seed = 1, .held_out = 0.1});
//   landfall::Batch<float> batch;
//   for (std::uint64_t pass = 0; pass < 10; ++pass) {
//     reader.begin_pass(pass);
//     while (reader.read(128, batch) > 0) use(batch);         // the last batch may be short
//   }
//   reader.begin_pass(0, landfall::Part::held_out);
//
// The order is a function of the seed and of the pass: not of the batch size, of threads, or of memory.
// - Where rows can be read in any order, it is one random permutation of all N rows (the one of SampleOrder).
// - Where they cannot, and there are at most W rows (`window`), it is that same permutation.
// - Else the rows are cut into windows of W rows, the first of a random length from 1 to W that
//   changes from pass to pass, the last as long as what is left; windows come in the order of the file, each
//   permuted at random. So a row stays inside its window: its position is less than W away from its place
//   in the file, every place of the window is equally likely, and which rows share a window changes from
//   pass to pass. A file that is sorted (by class, by time) over stretches much longer than W stays sorted.
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/parallel/cancel.hpp>
#include <landfall/parallel/communicator.hpp>

#include <cstdint>
#include <limits>

namespace landfall {

enum class Part { training, held_out };

struct ShuffleOptions {
  std::uint64_t seed = 0;
  double held_out = 0;  // fraction of the rows, in [0, 1), chosen by a hash of the row number and the seed
  int folds = 0, fold = 0;  // the rows of this fold are held out as well; 0: there are no folds
  /// W. 0: one permutation where the source allows it, otherwise default_window().
  Index window = 0;
  /// Bytes that the rows of a window may take, twice while the second is filled: more is an error. Never
  /// changes the order.
  std::uint64_t memory = std::uint64_t{2} << 30;
  /// Of `ranks` readers that share a source, each with the same order, this one hands out rows
  /// [count rank / ranks, count (rank + 1) / ranks) of every batch of `count`. With `ranges`, which needs random
  /// access, passes in the order of the source hand out one range of the source instead.
  int rank = 0, ranks = 1;
  bool ranges = false;
  /// The number of the first row of the source, where it continues the rows of others.
  Index first_row = 0;
};

/// W for a source that must be read in order, from its shape alone: about eight million numbers, 256 to
/// 65536 rows; 16384 rows where they are sparse.
Index default_window(Index cols, bool sparse);

/// The number of a pass in the order of the source, not shuffled: faster where the order does not matter.
inline constexpr std::uint64_t in_file_order = std::numeric_limits<std::uint64_t>::max() - 1;

/// The fold of a row, 0 ... folds - 1, by a hash of its number and the seed.
int fold_of(Index row, int folds, std::uint64_t seed);

/// Which part a row belongs to, in every pass.
Part part_of(Index row, const ShuffleOptions& options);

template <class S>
class ShuffledReader {
 public:
  /// The source must outlive the reader and be at its first row. Reading throws Cancelled once that is
  /// requested.
  ShuffledReader(Source<S>& source, const ShuffleOptions& options, CancelFlag cancel = {});

  /// Starts a pass over one part of the rows, each of which it visits once. UsageError for a second pass over
  /// a source that can be read only once.
  void begin_pass(std::uint64_t pass, Part part = Part::training);

  /// Replaces the batch by the next `count` rows, or those that are left; returns how many, 0 at the end of
  /// the pass. Of several readers that share the source, each gets its part of the batch, which may be empty, and all
  /// return the same.
  Index read(Index count, Batch<S>& batch);

  /// Labels of the rows of the last batch, where the source has them.
  std::span<const double> labels() const { return labels_; }

  /// How many rows the source has, in both parts. Reads it to its end if that is not known, which ends the
  /// pass.
  Index count_rows();

 private:
  bool in_ranges() const { return options_.ranges && pass_ == in_file_order; }
  bool open_window();
  bool fill_window();
  bool next_block();
  void check_memory() const;

  Source<S>& source_;
  ShuffleOptions options_;
  CancelFlag cancel_;
  Index window_;       // 0: all rows are one
  bool fresh_ = true;  // nothing was read yet, no need to rewind
  std::uint64_t pass_ = 0;
  Part part_ = Part::training;

  // The open window: rows [start_, start_ + size_), of which next_ were visited.
  Index opened_ = 0, start_ = 0, size_ = 0, next_ = 0;
  Permutation order_;

  std::vector<Index> rows_;  // random access: what to read

  // Reading in order: the rows from start_ on that were read. Row start_ + k is row slots_[k] of held_,
  // -1 if it is of the other part.
  std::vector<Index> slots_;
  Batch<S> held_, spare_, block_;
  std::vector<double> held_labels_, spare_labels_, labels_;
  Index block_next_ = 0;
  Index rows_read_ = 0;
};

extern template class ShuffledReader<float>;
extern template class ShuffledReader<double>;

}  // namespace landfall
