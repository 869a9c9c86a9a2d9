// Rows of two views in memory, in double precision: for what looks at the same rows many times.
//
//   std::vector<landfall::SourcePtr<float>> views;
//   landfall::DataStream<float> stream(std::move(views), {});
//   const auto batches = landfall::read_into_memory<float>(stream, 1000, 128);
//   use(landfall::kept_columns<float>(batches, 0, 1000));
//   const auto rows = landfall::keep_rows<float>(stream, 1000, std::uint64_t{1} << 30);
//   use(rows.left, rows.right, rows.complete);
#pragma once

#include <landfall/landing/view_samples.hpp>

namespace landfall {

/// Kept rows of a view, m x k in double precision, k <= m. A wide view A is replaced by F with F F' = A A': the
/// canonical correlations with a ridge depend on nothing else.
template <class S>
Matrix<double> kept_columns(const InMemoryBatches<S>& batches, std::size_t view, Index m);

/// The roots of the weights of these rows; empty where all weigh the same.
template <class S>
Vector<double> kept_roots(const InMemoryBatches<S>& batches);

/// Takes their mean off rows that have been multiplied by these roots, or by none.
void centre_rows(Matrix<double>& rows, const Vector<double>& roots);

/// Centred on these rows.
struct KeptRows {
  Matrix<double> left, right;                  // m rows each
  bool complete = true;                        // all training rows
  bool wide_left = false, wide_right = false;  // F in place of the columns
  Vector<double> roots = {};                   // kept_roots()
  Index rows() const { return left.rows(); }
};

/// Training rows in the coordinates of the stream, as many of them in random order as fit in the memory with a few copies.
template <class S>
KeptRows keep_rows(DataStream<S>& stream, Index rows, std::uint64_t memory);

#define LANDFALL_KEPT_PAIRS(EXTERN, S)                                                           \
  EXTERN template Matrix<double> kept_columns<S>(const InMemoryBatches<S>&, std::size_t, Index); \
  EXTERN template Vector<double> kept_roots<S>(const InMemoryBatches<S>&);                       \
  EXTERN template KeptRows keep_rows<S>(DataStream<S>&, Index, std::uint64_t);
LANDFALL_KEPT_PAIRS(extern, float)
LANDFALL_KEPT_PAIRS(extern, double)

}  // namespace landfall
