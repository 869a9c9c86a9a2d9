// Rows that are much larger than the others, spread over several batches.
//
//   landfall::Matrix<float> z_left, z_right;               // ValidatedInverse::probes()
//   landfall::HeavyRows<float> heavy({z_left, z_right}, {392.0, 392.0}, 60000.0);
//   landfall::CentredBatch<float> left, right;
//   heavy.begin_pass();
//   use(heavy.split({&left, &right}));    // the batch with weights, and the rows that are due again
//
// A row a with h = ||a||_K^2 moves an estimate by h times as much as one of unit size. With h-bar the mean, a row enters
// c = ceil(h / 2 h-bar) batches with weight 1/c, so that no batch has a row that counts as more than two. A pass sees every
// row with total weight 1, and makes at most half as many visits more. The first pass spreads a row over the batches that
// follow it; later ones know it, and spread it over the whole pass. h is measured by random projections z = K^1/2 omega.
#pragma once

#include <landfall/landing/subspace/moving_means.hpp>

#include <map>

namespace landfall {

/// Batches that a row with h = `ratio` times the mean enters.
double copies_of(double ratio);

template <class S>
class HeavyRows {
 public:
  /// Of each view the projections and the mean of h. `rows`: N of a pass; 0: endless.
  HeavyRows(std::vector<Matrix<S>> probes, std::vector<double> sizes, double rows);

  void begin_pass();

  /// What to add for this batch; valid until the next call.
  std::span<const WeightedRows<S>> split(const std::vector<const CentredBatch<S>*>& views);

  /// Rows of the batch, seen for the first time, whose h is at least this fraction of N in a view.
  struct Giant {
    Index row = 0;
    std::size_t view = 0;
  };
  const std::vector<Giant>& giants() const { return giants_; }
  /// All of them so far, with weights 1/N: what they add to a mean.
  WeightedRows<S> giants_of_all();
  /// How many times more than two mean rows the heaviest row of the batch counts: 1 unless it came too late in the first
  /// pass to be spread.
  double excess() const { return excess_; }

  void state(State& state);

 private:
  struct Kept {
    Index number = 0;
    double copies = 1;
    Index giant = 0;    // 1: of those that K must know
    double since = -1;  // the batch of this pass it was found in; -1: in an earlier pass
  };
  void measure(const std::vector<const CentredBatch<S>*>& views);
  bool due(const Kept& row, std::size_t place) const;
  void keep(const std::vector<const CentredBatch<S>*>& views, Index row, double copies, bool giant);
  void forget_done();

  std::vector<Matrix<S>> probes_;
  std::vector<double> sizes_;
  double rows_;
  double batches_ = 0, at_ = 0;  // of a pass; the number of the present one
  Vector<double> ratio_;         // h over its mean, the largest over the views
  Matrix<double> sizes_of_rows_;
  std::vector<Kept> kept_;
  std::map<Index, bool> known_;               // numbers of rows from earlier passes
  std::vector<CentredBatch<S>> store_, due_;  // of each view: the rows kept, those of this batch
  std::vector<WeightedRows<S>> parts_;
  std::vector<Giant> giants_;
  double excess_ = 1;
  std::vector<Scratch<S>> scores_;
};

extern template class HeavyRows<float>;
extern template class HeavyRows<double>;

}  // namespace landfall
