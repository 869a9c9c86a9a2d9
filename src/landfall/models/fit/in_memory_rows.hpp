// All rows of a source in memory, in batches of shuffled rows: where they fit, later passes read nothing.
//
//   const auto order = landfall::shuffled_rows(1000, seed);
//   auto batches = landfall::read_into_memory<float>(source, transform, order, 128);
#pragma once

#include <landfall/landing/view_samples.hpp>

namespace landfall {

/// 0 ... rows - 1 in an order that depends on the seed alone. Takes memory for all, where Permutation takes
/// none and thirty times as long.
std::vector<Index> shuffled_rows(Index rows, std::uint64_t seed);

/// These rows of a source that has random access, transformed; rows with missing values are an error. Each rank keeps its
/// part of every batch.
template <class S>
InMemoryBatches<S> read_into_memory(Source<S>& source, const Transform<S>& transform,
                                    std::span<const Index> rows, Index batch,
                                    const Communicator& communicator = serial_communicator());

/// Scores A x of rows, in double precision.
template <class S>
void double_scores(const CentredBatch<S>& rows, const Matrix<double>& x, Out<double> scores);

/// The scores of the rows in memory, in double precision: those of all ranks, on every rank, as one rank would have them.
template <class S>
Matrix<double> scores_of_all(const InMemoryBatches<S>& batches, const Matrix<double>& x,
                             Communicator& communicator);

/// The roots of the weights of these rows, in the same order; empty where all weigh the same.
template <class S>
Vector<double> roots_of_all(const InMemoryBatches<S>& batches, Communicator& communicator);

#define LANDFALL_KEPT_ROWS(EXTERN, S)                                                                \
  EXTERN template InMemoryBatches<S> read_into_memory<S>(                                            \
      Source<S>&, const Transform<S>&, std::span<const Index>, Index, const Communicator&);          \
  EXTERN template void double_scores<S>(const CentredBatch<S>&, const Matrix<double>&, Out<double>); \
  EXTERN template Matrix<double> scores_of_all<S>(const InMemoryBatches<S>&, const Matrix<double>&,  \
                                                  Communicator&);                                    \
  EXTERN template Vector<double> roots_of_all<S>(const InMemoryBatches<S>&, Communicator&);
LANDFALL_KEPT_ROWS(extern, float)
LANDFALL_KEPT_ROWS(extern, double)

}  // namespace landfall
