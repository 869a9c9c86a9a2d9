// The automatic ridge of CCA: none where the problem is well posed, else as many rows' worth of it as predict
// unseen rows best.
//
//   std::vector<landfall::SourcePtr<float>> views;
//   landfall::DataStream<float> stream(std::move(views), {.transform = {.scaling = landfall::Scaling::row_size}});
//   const auto choice = landfall::choose_cca_ridge<float>(stream, 5, std::uint64_t{2} << 30);
//   use(choice.rows, choice.reason);
//
// The ridge of column j is c/N E a_j^4 / E a_j^2: what c more rows of the column's own usual size, uncorrelated
// with everything else, would add to the covariance. It does not depend on units, and the best c hardly depends on
// N, so it can be chosen on a few thousand rows.
#pragma once

#include <landfall/landing/view_samples.hpp>
#include <landfall/models/fit/ridge.hpp>

namespace landfall {

/// What the choice depends on, of both views. A column is rare when fewer than ten rows make up its variance.
struct CcaColumns {
  Index rows = 0;             // N, for training
  Index all = 0, widest = 0;  // n, columns that are not constant, of both views and of the wider one
  Index rare = 0;
  double kurtosis = 0;  // E a^4 / (E a^2)^2, the sum over the columns
  void add(const ColumnStatistics& columns, bool centred);
};

/// - N >= 5n and no column is rare, or N < 500 and N >= 1.5n: none. Small tables get the textbook answer.
/// - N < 1.5n: the best of c = 0.1 ... 3000, by cross-validation on at most 4096 rows, which are read only then.
/// - Otherwise that only where it beats c = 0 by two standard errors, or by one where columns are rare.
/// The rows must have been scaled by row_size. Rank 0 makes the choice, with the rows that all ranks have read.
template <class S>
RidgeChoice choose_cca_ridge(const CcaColumns& columns, Index p, std::uint64_t memory,
                             const std::function<InMemoryBatches<S>(Index rows)>& read,
                             Communicator& communicator = serial_communicator());
template <class S>
RidgeChoice choose_cca_ridge(DataStream<S>& stream, Index p, std::uint64_t memory);

/// c for the first rows of landing, which fades as more are seen: the best one where the first rows are few and all are not, because there
/// are fewer than 1.5n of them or because columns are 0 in most of them; else 0.
template <class S>
double choose_fading_ridge(const CcaColumns& columns, Index p, std::uint64_t memory,
                           const std::function<InMemoryBatches<S>(Index rows)>& read,
                           Communicator& communicator = serial_communicator());
template <class S>
double choose_fading_ridge(DataStream<S>& stream, Index p, std::uint64_t memory);

#define LANDFALL_CCA_RIDGE(EXTERN, S)                                                              \
  EXTERN template RidgeChoice choose_cca_ridge<S>(const CcaColumns&, Index, std::uint64_t,         \
                                                  const std::function<InMemoryBatches<S>(Index)>&, \
                                                  Communicator&);                                  \
  EXTERN template RidgeChoice choose_cca_ridge<S>(DataStream<S>&, Index, std::uint64_t);           \
  EXTERN template double choose_fading_ridge<S>(const CcaColumns&, Index, std::uint64_t,           \
                                                const std::function<InMemoryBatches<S>(Index)>&,   \
                                                Communicator&);                                    \
  EXTERN template double choose_fading_ridge<S>(DataStream<S>&, Index, std::uint64_t);
LANDFALL_CCA_RIDGE(extern, float)
LANDFALL_CCA_RIDGE(extern, double)

}  // namespace landfall
