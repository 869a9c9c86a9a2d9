// exp of many numbers that are not positive, with the widest vectors of the processor.
//
//   landfall::Vector<float> x = -landfall::Vector<float>::Random(256).cwiseAbs(), e(256);
//   landfall::exp_negative(x.data(), e.data(), 256);
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

/// out = exp(x) for x <= 0, within three units of the last place; exp(-87.3) (exp(-708.3) in double) where it
/// is less.
void exp_negative(const float* x, float* out, Index count);
void exp_negative(const double* x, double* out, Index count);

}  // namespace landfall
