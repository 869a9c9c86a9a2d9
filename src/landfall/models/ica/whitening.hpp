// Where ICA looks for sources: F, whose columns have unit variance and are uncorrelated. It spans all directions
// that have variance, or the leading principal components.
//
//   const landfall::InMemoryBatches<double> batches;
//   const auto covariance = landfall::covariance_of<double>(batches, n);
//   const landfall::Vector<double> units = landfall::Vector<double>::Ones(n);
//   const auto all = landfall::whiten(covariance, 0, landfall::rank_tolerance<double>(n));
//   const auto leading = landfall::principal_components(covariance, units, 5, 0);
//   use(all.factor, all.rank(), leading.explained);
//
// A covariance is singular when columns repeat each other. A ridge would make it regular, but is no cure for
// ICA: along a direction without variance x'(S + ridge I)x = 1 is reached with y = 0, the least value of
// every contrast, so these directions would be found first. K = F F' is 0 there instead, and landing stays in
// the range of K: X starts in it, Psi_K is K times something, and the normal term is X times something. For
// the same reason landing with the F of p principal components stays among them.
#pragma once

#include <landfall/landing/adaptive.hpp>
#include <landfall/linalg/rank.hpp>

namespace landfall {

/// F and U with F'(S + ridge I)F = I and U = (S + ridge I)F: K = F F' has the pseudo-inverse U U'.
struct Whitening {
  Matrix<double> factor, dual;
  double explained = 1;  // the fraction of the variance that is in the range of F, in the units of the file
  double least = 1;      // the variance of the last principal component over that of the first
  Vector<double> shares = {};  // of principal_components(): the fraction of the variance in each

  Index rank() const { return factor.cols(); }
};

/// Of rows in memory, of all ranks, summed in double precision.
template <class S>
Matrix<double> covariance_of(const InMemoryBatches<S>& batches, Index n,
                             Communicator& communicator = serial_communicator());

/// All directions with variance. Columns are brought to unit variance before the rank is decided, so that units
/// do not matter; eigenvalues up to `tolerance` count as 0.
Whitening whiten(Matrix<double> covariance, double ridge, double tolerance);

/// What rounding to S leaves of eigenvalues that are 0: of sums, and of columns whose mean is `offset` standard
/// deviations from 0 at most.
template <class S>
double variance_tolerance(Index n, double offset);

/// The largest distance of a mean from 0, in standard deviations of its column.
template <class S>
double mean_offset(const DataStream<S>& stream);

/// The p leading principal components of scale * column: the scale leads back to the units of the file.
/// NumericalError where scales are so far apart that rounding hides the p-th.
Whitening principal_components(Matrix<double> covariance, const Vector<double>& scale, Index p, double ridge);

/// The same without n x n numbers, by subspace iteration (Halko, Martinsson and Tropp 2011): p + max(p, 10)
/// random directions, multiplied with the covariance once in each pass over the rows until the p-th variance
/// changes by less than 1e-3, at most 8 times. Fewer than p columns where the rank is less.
template <class S>
Whitening streamed_components(DataStream<S>& stream, Index p, double ridge, std::uint64_t seed, int& passes);

/// K, a random start on its manifold, and q (adaptive.hpp) over the first rows.
template <class S>
PilotEstimate<S> pilot_of(const Whitening& whitening, const InMemorySamples<S>& first, Index p,
                          std::uint64_t seed);

#define LANDFALL_WHITENING(EXTERN, S)                                                                   \
  EXTERN template Matrix<double> covariance_of<S>(const InMemoryBatches<S>&, Index, Communicator&);     \
  EXTERN template double variance_tolerance<S>(Index, double);                                          \
  EXTERN template double mean_offset<S>(const DataStream<S>&);                                          \
  EXTERN template Whitening streamed_components<S>(DataStream<S>&, Index, double, std::uint64_t, int&); \
  EXTERN template PilotEstimate<S> pilot_of<S>(const Whitening&, const InMemorySamples<S>&, Index,      \
                                               std::uint64_t);
LANDFALL_WHITENING(extern, float)
LANDFALL_WHITENING(extern, double)

}  // namespace landfall
