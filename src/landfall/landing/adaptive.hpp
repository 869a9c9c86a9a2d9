// Landing that needs no tuning: the preconditioner, the step, the momentum and the start come from the first
// rows of the data.
//
//   auto objective = landfall::correlation_objective<float>();
//   const std::vector<landfall::Index> components{5, 5};
//   const std::vector<float> ridge{1e-3f, 1e-3f};
//   std::vector<landfall::SourcePtr<float>> views;                 // left and right
//   landfall::DataStream<float> stream(std::move(views), {.batch = 128});
//   auto first = std::make_shared<landfall::InMemorySamples<float>>(landfall::read_into_memory(stream, 4096),
//                                                               components, ridge, objective);
//   auto all = std::make_shared<landfall::StreamSamples<float>>(stream, components, ridge, objective, count);
//   auto [run, choice] = landfall::solve_adaptively<float>(first, all, {.passes = 4, .batch = 128});
//
// - K: a rank-k sketch of each B from the first rows, so that K B is near the identity where B is large. With
//   the ranges of the columns it is made in coordinates in which no entry is above 1, so that no row is much
//   larger than the others: columns that are almost always 0, brought to unit variance, have entries of a
//   hundred deviations, and q would be fifty times as large. What the first rows lack of the variance of such
//   a column is put on the diagonal of B, or K would be far too large there.
// - q, the noise of one row: E||a||_K^4 / E||a||_K^2 over rows the sketch has not seen. X and the estimate of
//   the field are both moved by B_z K, whose mean square is near 1 + q/r, so steps up to about 1/(1 + q/r)
//   are stable; we take
//     eta = 0.55 r/(r + q),   momentum = r/(r + 4q):
//   small batches move little at a time, large ones, of which there are few, carry on. Chosen on MNIST and
//   Fashion-MNIST halves for k = 32...391 and r = 16...2048.
// - omega = 1/4: with K near the inverse of B, Psi and the normal term have one scale.
// - the start: random, moved along -K grad f where the gradient is known without samples; then a few passes
//   over the first rows alone, which are in memory. Their estimate counts as that of a quarter of these rows,
//   since X was fitted to them.
// - the recursive estimator (estimators/recursive.hpp), a trust region, steps that are halved when it cuts too often,
//   and a cosine that ends the planned passes at step 0.
#pragma once

#include <landfall/landing/checkpoints.hpp>
#include <landfall/landing/choice.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/landing/subspace/ritz.hpp>
#include <landfall/landing/view_samples.hpp>

namespace landfall {

struct AdaptiveOptions {
  double passes = 4;                    // planned readings of all rows
  Index batch = 128;                    // rows per step
  Index rank = 0;                       // k; 0: 64, or 2p if that is more
  Index most_rank = 0;                  // up to which k is doubled where the spectrum asks for it
  double step = 0;                      // eta; 0: as above
  std::optional<double> momentum = {};  // unset: as above, at most 0.9
  double omega = 0.25;
  int warm_up = 8;  // passes over the first rows
  Estimator estimator = Estimator::recursive;
  std::uint64_t seed = 0;
};

/// eta for batches of r rows with row noise q.
inline double stable_step(double r, double q) {
  return 0.55 * r / (r + q);
}

template <class S>
struct AdaptiveRun : Result<S> {
  Point<S> gradient, bx;  // as the recursive estimator knows them at the end; empty with another
};

template <class S>
struct AdaptiveResult {
  AdaptiveRun<S> run;
  AdaptiveChoice choice;
};

/// Of the columns of a view, over all rows.
template <class S>
struct ColumnScales {
  Vector<S> range;     // the largest distance from the mean
  Vector<S> variance;  // about what they are centred by
};

/// Of each view; empty where the stream has no statistics.
template <class S>
std::vector<ColumnScales<S>> column_scales(const DataStream<S>& stream);

/// K of each block, q and a start on the manifold of the first rows.
template <class S>
struct PilotEstimate {
  std::vector<PreconditionerPtr<S>> metric;
  std::vector<Index> rank;
  double noise = 0;
  Point<S> start;
};

template <class S>
PilotEstimate<S> estimate_pilot(InMemorySamples<S>& first, Index rank, std::uint64_t seed,
                                const std::vector<ColumnScales<S>>& scales = {}, Index most_rank = 0,
                                const CancelFlag& cancel = {});

/// `first` may be all there is (then it has as many rows). The observer is called after every step over
/// `all`; false ends the run.
template <class S>
AdaptiveResult<S> solve_adaptively(std::shared_ptr<InMemorySamples<S>> first, std::shared_ptr<Samples<S>> all,
                                   const AdaptiveOptions& options,
                                   std::function<bool(const Progress&, const Point<S>&)> observer = {},
                                   const std::vector<ColumnScales<S>>& scales = {},
                                   const Checkpoints& checkpoints = {}, const CancelFlag& cancel = {});

/// Runs the solver, saving checkpoints when due and resuming from one if given.
template <class S>
Result<S> solve_with_checkpoints(FieldOracle<S>& oracle, Point<S> start, SolverOptions<S> options,
                                 const Checkpoints& checkpoints,
                                 Communicator& communicator = serial_communicator());

#define LANDFALL_ADAPTIVE(EXTERN, S)                                                               \
  EXTERN template std::vector<ColumnScales<S>> column_scales<S>(const DataStream<S>&);             \
  EXTERN template PilotEstimate<S> estimate_pilot<S>(InMemorySamples<S>&, Index, std::uint64_t,    \
                                                     const std::vector<ColumnScales<S>>&, Index,   \
                                                     const CancelFlag&);                           \
  EXTERN template AdaptiveResult<S> solve_adaptively<S>(                                           \
      std::shared_ptr<InMemorySamples<S>>, std::shared_ptr<Samples<S>>, const AdaptiveOptions&,    \
      std::function<bool(const Progress&, const Point<S>&)>, const std::vector<ColumnScales<S>>&,  \
      const Checkpoints&, const CancelFlag&);                                                      \
  EXTERN template Result<S> solve_with_checkpoints<S>(FieldOracle<S>&, Point<S>, SolverOptions<S>, \
                                                      const Checkpoints&, Communicator&);
LANDFALL_ADAPTIVE(extern, float)
LANDFALL_ADAPTIVE(extern, double)

}  // namespace landfall
