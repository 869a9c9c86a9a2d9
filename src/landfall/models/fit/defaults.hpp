// The defaults of all models, offline and online, and what both finish with: each exists once, here.
//
//   const landfall::Index rows = landfall::default_batch(5, false);                  // 512
//   use(rows, landfall::signs_of_largest(w));
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/result.hpp>

namespace landfall {

inline constexpr double kPasses = 4;  // of landing and streaming baselines, CCA and LDA
/// Stationarity and infeasibility up to which landing has converged: a gap of about 1e-4 to the optimum or less.
inline constexpr double kConverged = 5e-3;

/// The automatic ridge of LDA where there are fewer than 1.5 rows to a column, in rows (ridge.hpp). Measured on images,
/// and on Gaussian classes in 300 and 1000 dimensions: from 10 to 100 the accuracy hardly changes.
inline constexpr double kLdaRidgeRows = 30;

/// Passes of landing: 4, and more over fewer than 16384 rows, which are soon read.
double default_passes(Index rows);

/// Rows per step: large enough for p columns, and larger for sparse rows, whose products cost little beside
/// the n x p blocks.
Index default_batch(Index p, bool sparse);
/// The same for baselines and other estimators.
Index small_batch(Index p, bool sparse);

/// Pilot rows of CCA and LDA where the wider view has so many columns.
Index default_first_rows(Index columns);

/// Whether the first of N rows are too few to solve a problem of n columns on, without a ridge.
bool few_first_rows(Index rows, Index columns, Index widest);

/// Columns that landing carries beside the p wanted ones.
Index cca_guard(Index p);
Index lda_guard(Index p);

/// What a batch of ICA must have so that its Gram matrix of the p components is near that of all rows.
constexpr Index ica_rows_for(Index p) {
  return 8 * p;
}
/// Rows of a batch of ICA: of six batches that an eighth of the memory holds.
template <class S>
Index ica_batch(Index p, Index n, std::uint64_t memory);
/// Pilot rows of ICA, and the most rows that it iterates over to convergence.
constexpr Index ica_pilot_rows(Index given) {
  return given > 0 ? given : 4096;
}

/// Rows that ICA needs to see more than noise: among n directions of N Gaussian rows some have |c| of the
/// order of sqrt(n/N) by chance, which 100 rows per column keep below that of most sources. At least
/// `wanted`, as far as a quarter of the memory allows, and enough for p components in any case.
template <class S>
Index ica_first_rows(Index wanted, Index p, Index n, std::uint64_t memory);

/// 1 or -1 for each column of the weights: the sign of its largest entry.
Vector<double> signs_of_largest(const Matrix<double>& weights);

/// Weights x of the stream's columns in the units of the file: divided by the scale of the columns.
template <class S>
Matrix<double> unscaled(const DataStream<S>& stream, std::size_t view, const Matrix<double>& x);

/// Such weights in their places among all columns of the file, with the means and the dropped columns.
template <class S>
void set_weights(const DataStream<S>& stream, std::size_t view, const Matrix<double>& weights,
                 FittedView<S>& out);

#define LANDFALL_DEFAULTS(EXTERN, S)                                                            \
  EXTERN template Index ica_batch<S>(Index, Index, std::uint64_t);                              \
  EXTERN template Index ica_first_rows<S>(Index, Index, Index, std::uint64_t);                  \
  EXTERN template void set_weights<S>(const DataStream<S>&, std::size_t, const Matrix<double>&, \
                                      FittedView<S>&);                                          \
  EXTERN template Matrix<double> unscaled<S>(const DataStream<S>&, std::size_t, const Matrix<double>&);
LANDFALL_DEFAULTS(extern, float)
LANDFALL_DEFAULTS(extern, double)

}  // namespace landfall
