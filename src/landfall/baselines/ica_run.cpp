#include <landfall/baselines/ica_run.hpp>
#include <landfall/linalg/contrast_loops.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>

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
  Matrix<S> y, slope;  // a column per component
  for (Index first = 0; first < rows; first += width) {
    const Index count = std::min(width, rows - first);
    y.resize(count, p);
    slope.resize(count, p);
    multiply_at<S>(z.middleCols(first, count), w.transpose(), y);
    for (Index i = 0; i < p; ++i) {
      const auto part = logcosh_loop(y.col(i).data(), count, S(1), slope.col(i).data());
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
