// The contrasts of ICA, applied to an array with the widest vector instructions of the processor. Every log cosh and
// tanh of the library is computed here.
//
//   landfall::Vector<float> u = landfall::Vector<float>::Random(256), slope(256);
//   const auto sums = landfall::logcosh_loop(u.data(), 256, 1.0f, slope.data());
//   use(sums.value, sums.curvature, slope);    // sum log cosh u, sum 1 - tanh(u)^2, tanh u
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

struct ContrastSums {
  double value = 0;      // sum of g
  double curvature = 0;  // sum of g''
};

/// slope = weight tanh u, within four units of the last place, and the sums of log cosh u and 1 - tanh(u)^2.
/// An infinite u makes the first sum infinite.
ContrastSums logcosh_loop(const float* u, Index count, float weight, float* slope);
ContrastSums logcosh_loop(const double* u, Index count, double weight, double* slope);

/// slope = weight u exp(-u^2/2), and the sums of -exp(-u^2/2) and (1 - u^2) exp(-u^2/2); the exponential is
/// that of -87.3 (-708.3 in double) where it is less.
ContrastSums exponential_loop(const float* u, Index count, float weight, float* slope);
ContrastSums exponential_loop(const double* u, Index count, double weight, double* slope);

}  // namespace landfall
