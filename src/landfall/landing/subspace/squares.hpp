// Sums of squares of centred rows, without making sparse rows dense.
//
//   landfall::CentredBatch<double> centred;
//   landfall::Vector<double> columns = landfall::Vector<double>::Zero(100), ones = landfall::Vector<double>::Ones(100);
//   landfall::add_column_squares(centred, columns);            // of each column over the rows
//   use(landfall::row_squares<double>(centred, ones));         // sum_j a_j^2 of each row
//   landfall::Matrix<double> square = landfall::Matrix<double>::Zero(100, 100);
//   landfall::add_squares(centred, ones, square);              // A'A, the lower triangle
#pragma once

#include <landfall/data/rows/transform.hpp>

namespace landfall {

template <class S>
void add_column_squares(const CentredBatch<S>& rows, Vector<double>& sums);

template <class S>
Vector<double> row_squares(const CentredBatch<S>& rows, const Vector<S>& weights);

/// sum += D A'A D, the lower triangle, D = diag(scale).
template <class S>
void add_squares(const CentredBatch<S>& rows, const Vector<S>& scale, Matrix<S>& sum);

#define LANDFALL_SQUARES(EXTERN, S)                                                          \
  EXTERN template void add_squares<S>(const CentredBatch<S>&, const Vector<S>&, Matrix<S>&); \
  EXTERN template void add_column_squares<S>(const CentredBatch<S>&, Vector<double>&);       \
  EXTERN template Vector<double> row_squares<S>(const CentredBatch<S>&, const Vector<S>&);
LANDFALL_SQUARES(extern, float)
LANDFALL_SQUARES(extern, double)

}  // namespace landfall
