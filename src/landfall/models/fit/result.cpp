#include <landfall/models/fit/result.hpp>

namespace landfall {

template <class S>
Matrix<S> transform(const FittedView<S>& view, const Batch<S>& rows) {
  Matrix<S> scores(rows.rows(), view.weights.cols());
  rows.times(view.weights, scores);
  const Vector<double> shift = view.weights.template cast<double>().transpose() * view.mean;
  scores.rowwise() -= shift.transpose().template cast<S>();
  return scores;
}

LANDFALL_FIT_RESULT(, float)
LANDFALL_FIT_RESULT(, double)

}  // namespace landfall
