// What the methods for ICA on whitened rows share: a random rotation to start from, log cosh and its
// derivatives.
//
//   #include <landfall/linalg/random.hpp>
//   const landfall::Matrix<double> start = landfall::random_rotation<double>(5, 0);
//   const landfall::ScoreMoments<double> at = landfall::score_moments<double>(m, {data.transpose()});
//   use(at.value, at.slopes, at.curvature);
#pragma once

#include <landfall/baselines/registry.hpp>

namespace landfall {

template <class S>
Matrix<S> random_rotation(Index p, std::uint64_t seed);

/// Means over the rows, with their weights, y = W z.
template <class S>
struct ScoreMoments {
  Vector<S> value;      // E log cosh y
  Matrix<S> slopes;     // E tanh(y) y'
  Vector<S> curvature;  // E (1 - tanh(y)^2)
};

/// A block of rows at a time, so that y takes little memory.
template <class S>
ScoreMoments<S> score_moments(const Matrix<S>& w, const WhitenedRows<S>& rows);

#define LANDFALL_ICA_RUN(EXTERN, S)                                   \
  EXTERN template Matrix<S> random_rotation<S>(Index, std::uint64_t); \
  EXTERN template ScoreMoments<S> score_moments<S>(const Matrix<S>&, const WhitenedRows<S>&);
LANDFALL_ICA_RUN(extern, float)
LANDFALL_ICA_RUN(extern, double)

}  // namespace landfall
