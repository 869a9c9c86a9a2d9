// The defaults of all models, offline and online, and what both finish with: each exists once, here.
//
//   const landfall::Index rows = landfall::default_batch(5, false);                  // 128
//   const landfall::FitOptions options{.components = 5};
//   const double ridge = landfall::ridge_of<float>(options, stream, 0, landfall::kCcaRidge);
//   use(rows, ridge, landfall::signs_of_largest(w));
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/online.hpp>
#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/result.hpp>

#include <string_view>

namespace landfall {

inline constexpr double kPasses = 4;       // of landing, CCA and LDA
inline constexpr double kCcaRidge = 1e-3;  // times the mean variance

/// Where fewer than a tenth of the entries are not zero, weights of rare columns are noise. 4 n / N mean
/// variances, as much as four rows of the usual length add to each column, even that out (docs/method.md).
double cca_relative_ridge(const ColumnStatistics* columns);

/// Apart from the ridge LDA does not depend on the scale of the columns, so the ridge is only as large as the
/// rounding of a singular covariance requires.
template <class S>
constexpr double lda_relative_ridge() {
  return sizeof(S) == sizeof(float) ? 1e-6 : 1e-8;
}

/// Rows per step: large enough for p columns, and larger for sparse rows, whose products cost little beside
/// the n x p blocks.
Index default_batch(Index p, bool sparse);

/// Columns that landing carries beside the p wanted ones.
Index cca_guard(Index p);
Index lda_guard(Index p);

/// What a batch of ICA must have so that its Gram matrix of the p components is near that of all rows.
constexpr Index ica_rows_for(Index p) {
  return 8 * p;
}
Index ica_batch(Index p);

/// Rows that ICA needs to see more than noise: among n directions of N Gaussian rows some have |c| of the
/// order of sqrt(n/N) by chance, which 100 rows per column keep below that of most sources. At least
/// `wanted`, as far as a quarter of the memory allows.
template <class S>
Index ica_first_rows(Index wanted, std::uint64_t memory, Index n);

/// Over the non-constant columns; 0 where all are.
double mean_variance(const ColumnStatistics& columns);

/// The absolute ridge of a view: the one given, or the relative one (`standard` where none is given) times
/// the mean variance of the kept columns. UsageError where that is unknown because the data can be read only
/// once.
template <class S>
double ridge_of(const FitOptions& options, const DataStream<S>& stream, std::size_t view, double standard);
double ridge_of(const OnlineOptions& options, const ColumnStatistics& first_rows, double standard);

/// The columns that are constant; they are expected to be like the others once they vary.
ConstantColumns constant_columns(const ColumnStatistics& columns);

/// 1 or -1 for each column of the weights: the sign of its largest entry.
Vector<double> signs_of_largest(const Matrix<double>& weights);

/// Weights x of the stream's columns in the units of the file: divided by the scale of the columns.
template <class S>
Matrix<double> unscaled(const DataStream<S>& stream, std::size_t view, const Matrix<double>& x);

/// Such weights in their places among all columns of the file, with the means and the dropped columns.
template <class S>
void set_weights(const DataStream<S>& stream, std::size_t view, const Matrix<double>& weights,
                 FittedView<S>& out);

/// ||m - I||_F
double distance_to_identity(const Matrix<double>& m);

/// Of weights W with W'(S + ridge I)W = I: NumericalError unless each of them has variance.
template <class S>
void require_online_rank(std::string_view name, const Matrix<double>& weights, double ridge, Index rows);

/// What an online model reports of its run.
template <class S>
void set_online_run(const OnlineLanding<S>& landing, Index rows, Index batch, FitResult<S>& result);

#define LANDFALL_DEFAULTS(EXTERN, S)                                                                    \
  EXTERN template Index ica_first_rows<S>(Index, std::uint64_t, Index);                                 \
  EXTERN template double ridge_of<S>(const FitOptions&, const DataStream<S>&, std::size_t, double);     \
  EXTERN template void set_weights<S>(const DataStream<S>&, std::size_t, const Matrix<double>&,         \
                                      FittedView<S>&);                                                  \
  EXTERN template Matrix<double> unscaled<S>(const DataStream<S>&, std::size_t, const Matrix<double>&); \
  EXTERN template void require_online_rank<S>(std::string_view, const Matrix<double>&, double, Index);  \
  EXTERN template void set_online_run<S>(const OnlineLanding<S>&, Index, Index, FitResult<S>&);
LANDFALL_DEFAULTS(extern, float)
LANDFALL_DEFAULTS(extern, double)

}  // namespace landfall
