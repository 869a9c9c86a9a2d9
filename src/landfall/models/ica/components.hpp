// Moments of estimated sources y = X'a over rows, the signs they suggest, and the Newton step of ICA that
// follows from them without another pass over the rows.
//
//   auto moments = landfall::component_moments<float>(stream, landfall::Contrast::logcosh, weights);
//   const landfall::Vector<double> signs = moments.nonlinearity().cwiseSign();
//   use(landfall::newton_step(moments, moments.gram, signs));    // T of X <- X T
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/view_samples.hpp>
#include <landfall/models/ica/contrast.hpp>

namespace landfall {

struct ComponentMoments {
  Matrix<double> gram;       // E y y'
  Matrix<double> slopes;     // E y g'(y)', M
  Matrix<double> mixing;     // E a y', one row per column of the data
  Vector<double> value;      // E g(y)
  Vector<double> curvature;  // E g''(y)
  Matrix<double> fourth;     // E y (y^3)': the fourth moments on the diagonal
  Index rows = 0;

  /// c = E g''(y) - E g'(y) y: 0 for a Gaussian y, one sign for super-Gaussian, the other for sub-Gaussian
  /// ones. s_i c_i + s_j c_j is the curvature of f = sum_j s_j E g(y_j) along the rotation of y_i into y_j
  /// where sources are independent, so the minimum has s = sign c.
  Vector<double> nonlinearity() const { return curvature - slopes.diagonal(); }
};

/// Over the training rows.
template <class S>
ComponentMoments component_moments(DataStream<S>& stream, Contrast contrast, In<S> x);
/// Over batches in memory, of all ranks.
template <class S>
ComponentMoments component_moments(const InMemoryBatches<S>& batches, Contrast contrast, In<S> x,
                                   Communicator& communicator = serial_communicator());

/// T such that X T satisfies, to first order, both E y y' = I and the stationarity of f = sum_j s_j E g(y_j)
/// among rotations of the components; then the first exactly. The second derivatives are those of
/// independent sources, so near the solution it converges as fast as FastICA does. `metric` is X'BX.
Matrix<double> newton_step(const ComponentMoments& moments, const Matrix<double>& metric,
                           const Vector<double>& signs);

/// What f gains from X to X T, where T turns little, relative to the sum of |E g(y)|.
double relative_gain(const ComponentMoments& moments, const Vector<double>& signs,
                     const Matrix<double>& turn);

/// ||skew(M S)|| / ||M||, S = diag(signs): 0 where f is stationary among rotations of the components.
double rotation_residual(const ComponentMoments& moments, const Vector<double>& signs);

/// E y^4 / (E y^2)^2 - 3 of (I + T - I)'y, 0 for a Gaussian source: to first order in the turn T, whose steps are short.
Vector<double> kurtosis(const ComponentMoments& moments, const Matrix<double>& turn);

struct OrderedComponents {
  Matrix<double> weights, mixing;  // one row per column of the data; the largest weight of each is positive
  Vector<double> signs;            // 1: super-Gaussian, -1: sub-Gaussian
  Vector<double> negentropy;       // (E g(y) - E g(Gaussian))^2, descending
  std::vector<Index> order;        // of the components before
};

OrderedComponents ordered_components(const ComponentMoments& moments, Contrast contrast,
                                     const Matrix<double>& weights, const Matrix<double>& mixing);

#define LANDFALL_COMPONENTS(EXTERN, S)                                                              \
  EXTERN template ComponentMoments component_moments<S>(DataStream<S>&, Contrast, In<S>);           \
  EXTERN template ComponentMoments component_moments<S>(const InMemoryBatches<S>&, Contrast, In<S>, \
                                                        Communicator&);
LANDFALL_COMPONENTS(extern, float)
LANDFALL_COMPONENTS(extern, double)

}  // namespace landfall
