// What the first rows tell before a run: K of each view, the noise of a row, and a start that solves the problem on them.
//
//   std::shared_ptr<landfall::InMemorySamples<float>> first;
//   auto pilot = landfall::subspace_pilot<float>(*first, {.rank = {64, 64}, .ridge = {1e-3, 1e-3}});
//   use(pilot.inverse[0], pilot.noise, pilot.x, pilot.values);
//
// The start comes from Rayleigh-Ritz steps over [X, K R, P], R the residual and P the last move (LOBPCG, Knyazev 2001), until
// what they leave is small beside the sampling error of the first rows, or beside rounding where there are no others.
#pragma once

#include <landfall/landing/subspace/moving_means.hpp>
#include <landfall/landing/subspace/ritz.hpp>
#include <landfall/landing/subspace/validated_inverse.hpp>
#include <landfall/landing/view_samples.hpp>

namespace landfall {

struct SubspacePilotOptions {
  std::vector<Index> rank = {};    // of K, for each view; n: complete
  std::vector<double> ridge = {};  // of each view, for this many rows
  Index wanted = 0;                // columns that matter; 0: all
  double rows = 0;                 // N of all; 0: unknown
  bool whole = false;              // the first rows are all there are
  std::uint64_t seed = 0;
};

template <class S>
using InversePtr = std::shared_ptr<ValidatedInverse<S>>;

template <class S>
struct SubspacePilot {
  std::vector<InversePtr<S>> inverse;  // K
  double noise = 0;                    // q, the largest over the views
  Point<S> x, sx, ascent;              // over the first rows, without the ridge
  Vector<double> values;
  int steps = 0;
};

/// K of each view for a ridge. `variance`: of the columns over all rows; empty where unknown. `more`: see ValidatedInverse.
template <class S>
std::vector<InversePtr<S>> subspace_inverses(const InMemorySamples<S>& first,
                                             const SubspacePilotOptions& options,
                                             const std::vector<Vector<S>>& variance,
                                             const CancelFlag& cancel = {},
                                             const WeightedRows<S>* more = nullptr);

/// Y = K X in each view. Ranks divide the rows of wide K among them.
template <class S>
void apply_inverses(const std::vector<InversePtr<S>>& inverse, const Point<S>& x, Point<S>& y,
                    Communicator& communicator);

/// LowRank where a view spans fewer dimensions than the samples have columns.
template <class S>
SubspacePilot<S> subspace_pilot(InMemorySamples<S>& first, const SubspacePilotOptions& options,
                                const std::vector<Vector<S>>& variance = {}, const CancelFlag& cancel = {});

/// The same with K as it is. Rows of `more` join the first ones; their weights are shares of the mean.
template <class S>
SubspacePilot<S> solve_first_rows(InMemorySamples<S>& first, std::vector<InversePtr<S>> inverse,
                                  const SubspacePilotOptions& options, const WeightedRows<S>* more = nullptr,
                                  const CancelFlag& cancel = {});

#define LANDFALL_SUBSPACE_PILOT(EXTERN, S)                                                                  \
  EXTERN template std::vector<InversePtr<S>> subspace_inverses<S>(                                          \
      const InMemorySamples<S>&, const SubspacePilotOptions&, const std::vector<Vector<S>>&,                \
      const CancelFlag&, const WeightedRows<S>*);                                                           \
  EXTERN template void apply_inverses<S>(const std::vector<InversePtr<S>>&, const Point<S>&, Point<S>&,     \
                                         Communicator&);                                                    \
  EXTERN template SubspacePilot<S> subspace_pilot<S>(InMemorySamples<S>&, const SubspacePilotOptions&,      \
                                                     const std::vector<Vector<S>>&, const CancelFlag&);     \
  EXTERN template SubspacePilot<S> solve_first_rows<S>(InMemorySamples<S>&, std::vector<InversePtr<S>>,     \
                                                       const SubspacePilotOptions&, const WeightedRows<S>*, \
                                                       const CancelFlag&);
LANDFALL_SUBSPACE_PILOT(extern, float)
LANDFALL_SUBSPACE_PILOT(extern, double)

}  // namespace landfall
