// Rows that are much larger than the others, spread over several batches.
//
//   landfall::Matrix<float> z_left, z_right;               // ValidatedInverse::probes()
//   landfall::HeavyRows<float> heavy({z_left, z_right}, {392.0, 392.0}, 60000.0);
//   landfall::CentredBatch<float> left, right;
//   use(heavy.split({&left, &right}));    // the batch with weights, and the rows that are due again
//
// A row a with h = ||a||_K^2 moves an estimate by h times as much as one of unit size. With h-bar the mean, a row enters
// c = ceil(h / 2 h-bar) batches with weight 1/c, its own and those that follow, so that no batch has a row that counts as more than two.
// A pass sees every row with total weight 1, and makes at most half as many visits more. h is measured by random projections z = K^1/2 omega.
// A row with h above N/4 and 16 times the mean, a giant, is left out: whoever uses the batches adds what it contributes at every step.
// Each of several ranks keeps the rows that it finds; what follows from them is the same on all.
#pragma once

#include <landfall/landing/subspace/moving_means.hpp>
#include <landfall/landing/view_samples.hpp>

namespace landfall {

/// Batches that a row with h = `ratio` times the mean enters.
double copies_of(double ratio);

template <class S>
class HeavyRows {
 public:
  /// Of each view the projections and the mean of h. `rows`: N of a pass; 0: endless, without giants.
  HeavyRows(std::vector<Matrix<S>> probes, std::vector<double> sizes, double rows, bool giants = true,
            Communicator& communicator = serial_communicator());

  /// The rows come again: those that were kept are forgotten.
  void begin_pass();

  /// What to add for this batch; valid until the next call.
  std::span<const WeightedRows<S>> split(const std::vector<const CentredBatch<S>*>& views);

  /// Rows of the batch, seen for the first time, whose h is a large fraction of N in a view; those of all ranks.
  struct Giant {
    std::size_t view = 0;
    Vector<S> row;
  };
  const std::vector<Giant>& giants() const { return giants_; }
  /// All of them so far that this rank has, with weights 1/N, and how many all ranks have. They are in no part of any batch:
  /// a mean over all rows is (1 - count/N) times that of the others, and what these add.
  const WeightedRows<S>& giants_of_all();
  Index giant_count() const { return giant_count_; }
  /// Every row kept by this rank, giants among them, with weights 1/N, and how many all ranks keep.
  WeightedRows<S> kept_rows(const InMemorySamples<S>& first);
  Index kept_count() const { return found_; }
  /// What part of the sum of h over all rows the kept ones have, about.
  double share() const;
  /// How many times more than two mean rows the heaviest row of the batch counts: 1 unless it came too late in the first
  /// pass to be spread.
  double excess() const { return excess_; }

  /// Saves the rows of all ranks, on rank 0. Another number of ranks may take them back.
  void state(State& state);

 private:
  struct Kept {
    Index number = 0;
    double copies = 1;
    double size = 0;   // h over its mean
    Index giant = 0;   // 1: of those that are in no batch
    double since = 0;  // the batch it was found in
  };
  void measure(const std::vector<const CentredBatch<S>*>& views);
  bool due(const Kept& row) const;
  void keep(const std::vector<const CentredBatch<S>*>& views, Index row, const Kept& kept);
  void share_giants(const std::vector<const CentredBatch<S>*>& views,
                    const std::vector<std::pair<Index, std::size_t>>& own);
  void forget_done();

  std::vector<Matrix<S>> probes_;
  std::vector<double> sizes_;
  double rows_;
  bool has_giants_;
  Communicator* communicator_;
  Index found_ = 0;              // rows kept by all ranks
  double batches_ = 0, at_ = 0;  // of a pass; the number of the present one
  Vector<double> ratio_;         // h over its mean, the largest over the views
  Matrix<double> sizes_of_rows_;
  std::vector<Kept> kept_;
  std::vector<CentredBatch<S>> store_, due_;  // of each view: the rows kept, those of this batch
  std::vector<WeightedRows<S>> parts_;
  std::vector<Giant> giants_;
  Index giant_count_ = 0;
  std::vector<CentredBatch<S>>
      giant_store_;  // copies, once giants_of_all() was asked for since the last was found
  WeightedRows<S> giant_rows_;
  double excess_ = 1;
  std::vector<Scratch<S>> scores_;
};

/// Rows of all ranks' giants that are among the first rows too, which count as 1/m of a mean, lose that much of their weight. `count`: of
/// all ranks.
template <class S>
void discount_first_rows(const InMemorySamples<S>& first, Index count, WeightedRows<S>& giants);

extern template class HeavyRows<float>;
extern template class HeavyRows<double>;
extern template void discount_first_rows<float>(const InMemorySamples<float>&, Index, WeightedRows<float>&);
extern template void discount_first_rows<double>(const InMemorySamples<double>&, Index,
                                                 WeightedRows<double>&);

}  // namespace landfall
