#include <landfall/baselines/ica_run.hpp>
#include <landfall/linalg/contrast_loops.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace landfall {

template <class S>
Matrix<S> random_rotation(Index p, std::uint64_t seed) {
  return nearest_rotation<S>(gaussian<S>(p, p, {seed, 0x1ca}));
}

namespace {

/// slope = weights tanh y, and the sums of log cosh y and 1 - tanh(y)^2 with these weights.
template <class S>
ContrastSums weighted_loop(const Eigen::Ref<const Vector<S>>& y, const Eigen::Ref<const Vector<S>>& weights,
                           Eigen::Ref<Vector<S>> slope) {
  logcosh_loop(y.data(), y.size(), S(1), slope.data());
  ContrastSums sums;
  for (Index k = 0; k < y.size(); ++k) {
    const double size = std::abs(static_cast<double>(y(k))), weight = static_cast<double>(weights(k)),
                 tanh = static_cast<double>(slope(k));
    sums.value += weight * (size + std::log1p(std::exp(-2 * size)) - std::numbers::ln2);
    sums.curvature += weight * (1 - tanh * tanh);
  }
  slope.array() *= weights.array();
  return sums;
}

}  // namespace

template <class S>
ScoreMoments<S> score_moments(const Matrix<S>& w, const WhitenedRows<S>& all) {
  constexpr Index width = 1024;
  const Matrix<S>& z = all.z;
  const Index p = w.rows(), rows = z.cols();
  ScoreMoments<S> sums{Vector<S>::Zero(p), Matrix<S>::Zero(p, p), Vector<S>::Zero(p)};
  Matrix<S> y, slope;  // a column per component
  for (Index first = 0; first < rows; first += width) {
    const Index count = std::min(width, rows - first);
    y.resize(count, p);
    slope.resize(count, p);
    multiply_at<S>(z.middleCols(first, count), w.transpose(), y);
    for (Index i = 0; i < p; ++i) {
      const auto part = all.weights.size() == 0
                            ? logcosh_loop(y.col(i).data(), count, S(1), slope.col(i).data())
                            : weighted_loop<S>(y.col(i), all.weights.segment(first, count), slope.col(i));
      sums.value(i) += static_cast<S>(part.value);
      sums.curvature(i) += static_cast<S>(part.curvature);
    }
    multiply_at<S>(slope, y, sums.slopes, 1, 1);
  }
  const S scale = S(1) / static_cast<S>(std::max<Index>(rows, 1));
  sums.value *= scale;
  sums.slopes *= scale;
  sums.curvature *= scale;
  return sums;
}

LANDFALL_ICA_RUN(, float)
LANDFALL_ICA_RUN(, double)

}  // namespace landfall
