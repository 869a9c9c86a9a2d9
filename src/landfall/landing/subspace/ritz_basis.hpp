// A basis of each view with its products over rows, and the steps of Rayleigh and Ritz within it.
//
//   landfall::RowSums<float> sums(landfall::correlation_objective<float>());
//   landfall::RitzBasis<float> x, work, last;
//   landfall::CentredBatch<float> left, right;
//   sums.start(work.z);
//   sums.add({&left, &right}, work.z, 1.0f / 60000);              // batch after batch
//   sums.finish(work, landfall::serial_communicator());           // S Z and the ascent direction
//   landfall::ritz_step(x, work, last, {1e-3, 1e-3});             // x <- the best of [x, work, last]: LOBPCG
#pragma once

#include <landfall/landing/samples.hpp>
#include <landfall/landing/subspace/moving_means.hpp>
#include <landfall/landing/subspace/ritz.hpp>

namespace landfall {

template <class S>
struct RitzBasis {
  Point<S> z, sz, ascent;  // Z, S Z without the ridge, -grad f

  /// Z_k t_k; the ascent direction of a view of two follows the other.
  RitzBasis turned(const std::vector<Matrix<double>>& t) const;
  /// LowRank where a block has fewer than `count` columns that do not depend on the others.
  Ritz ritz(const std::vector<double>& ridge, Index count, double tolerance) const;
};

/// Divides every column by its length: of a direction only the span counts, and K R may be tiny beside X.
template <class S>
void make_unit_columns(Point<S>& z);

/// x <- the best of [x, work, last], and last <- the move (LOBPCG, Knyazev 2001). What hardly adds to the span is left out.
template <class S>
Ritz ritz_step(RitzBasis<S>& x, const RitzBasis<S>& work, RitzBasis<S>& last,
               const std::vector<double>& ridge);

/// S Z and the ascent direction as sums over batches.
template <class S>
class RowSums {
 public:
  explicit RowSums(const ScoreObjective<S>& objective) : objective_(objective) {}

  void start(const Point<S>& z);
  /// A row counts as `share`, times its weight.
  void add(const std::vector<const CentredBatch<S>*>& rows, const Point<S>& z, S share,
           const Vector<S>* weights = nullptr);
  /// Over all ranks.
  void finish(RitzBasis<S>& basis, Communicator& communicator);

  /// In the middle of the rows.
  void state(State& state, Communicator& communicator);

 private:
  ScoreObjective<S> objective_;
  std::vector<Matrix<S>> sums_;
  std::vector<Scratch<S>> scores_;
  Scratch<S> work_;
};

#define LANDFALL_RITZ_BASIS(EXTERN, S)                                                 \
  EXTERN template struct RitzBasis<S>;                                                 \
  EXTERN template class RowSums<S>;                                                    \
  EXTERN template void make_unit_columns<S>(Point<S>&);                                \
  EXTERN template Ritz ritz_step<S>(RitzBasis<S>&, const RitzBasis<S>&, RitzBasis<S>&, \
                                    const std::vector<double>&);
LANDFALL_RITZ_BASIS(extern, float)
LANDFALL_RITZ_BASIS(extern, double)

}  // namespace landfall
