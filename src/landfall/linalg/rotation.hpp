// The rotation (or reflection) nearest to a square matrix: U V' of its singular value decomposition.
//
//   const landfall::Matrix<double> r = landfall::nearest_rotation<double>(m);    // (m m')^-1/2 m
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

template <class S>
Matrix<S> nearest_rotation(const Matrix<S>& m);

extern template Matrix<float> nearest_rotation<float>(const Matrix<float>&);
extern template Matrix<double> nearest_rotation<double>(const Matrix<double>&);

}  // namespace landfall
