#include <landfall/baselines/ica_run.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>
#include <cmath>

namespace landfall {

template <class S>
Matrix<S> random_rotation(Index p, std::uint64_t seed) {
  return nearest_rotation<S>(gaussian<S>(p, p, {seed, 0x1ca}));
}

template <class S>
ScoreMoments<S> score_moments(const Matrix<S>& w, const Matrix<S>& z) {
  constexpr Index width = 1024;
  const Index p = w.rows(), rows = z.cols();
  ScoreMoments<S> sums{Vector<S>::Zero(p), Matrix<S>::Zero(p, p), Vector<S>::Zero(p)};
  Matrix<S> y, slope;
  for (Index first = 0; first < rows; first += width) {
    const Index count = std::min(width, rows - first);
    y.resize(p, count);
    multiply<S>(w, z.middleCols(first, count), y);
    slope = y.array().tanh();
    const auto size = y.array().abs();
    sums.value +=
        (size + (S(-2) * size).exp().log1p() - static_cast<S>(std::log(2.0))).rowwise().sum().matrix();
    sums.curvature += (1 - slope.array().square()).rowwise().sum().matrix();
    multiply_bt<S>(slope, y, sums.slopes, 1, 1);
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
