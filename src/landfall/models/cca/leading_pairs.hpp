// The leading canonical pairs of given covariances, for those who need many solutions: folds and resamples.
//
//   const landfall::Matrix<double> b = landfall::Matrix<double>::Identity(5, 5);
//   const auto pairs = landfall::leading_pairs({b, b, 0.5 * b}, 2);
//   use(pairs.correlations, pairs.left, pairs.right);
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

/// With the ridge, if there is one.
struct PairProblem {
  Matrix<double> left, right, cross;  // B_x, B_y, S_xy
};

struct LeadingPairs {
  Vector<double> correlations;  // descending; those of the metrics
  Matrix<double> left, right;   // X'B_x X = Y'B_y Y = I
};

/// The first p pairs, or as many as the rank allows. Up to a few hundred columns by LAPACK; more by a block Krylov method
/// from a random start (Musco and Musco 2015), which finds what stands out and costs a fraction: its pairs are never better than the optimum, and noise
/// that is almost as strong as the p-th pair may take its place.
LeadingPairs leading_pairs(PairProblem problem, Index p);

}  // namespace landfall
