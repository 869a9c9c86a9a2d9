#include <landfall/landing/subspace/correction.hpp>
#include <landfall/landing/subspace/first_rows.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/symmetric.hpp>

namespace landfall {

template <class S>
CorrectedMove<S> corrected_move(const InMemorySamples<S>& first, const std::vector<InversePtr<S>>& inverse,
                                const CorrectedPoint<S>& at, const CorrectionOptions& options,
                                const CancelFlag& cancel) {
  const std::size_t views = at.x.size();
  const Vector<S> values = at.values.template cast<S>(), length = options.length.template cast<S>();
  FirstRows<S> multiply_rows(first, nullptr, cancel);
  RitzBasis<S> d;
  Point<S> residual = at.r, sum(views), move(views);  // sum: K^-1 D
  for (int step = 0;; ++step) {
    apply_inverses<S>(inverse, residual, move, first.communicator());
    for (std::size_t k = 0; k < views; ++k) {
      move[k] *= length.asDiagonal();
      multiply<S>(at.x[k], product_at<S>(at.bx[k], move[k]), move[k], -1, 1);
      residual[k] *= length.asDiagonal();
    }
    if (step == 0) {
      d.z = move;
      sum = residual;
    } else {
      for (std::size_t k = 0; k < views; ++k) {
        d.z[k] += move[k];
        sum[k] += residual[k];
      }
    }
    if (step + 1 >= options.steps) break;
    multiply_rows(d);
    for (std::size_t k = 0; k < views; ++k)
      residual[k] =
          at.r[k] + d.ascent[k] - (d.sz[k] + static_cast<S>(options.ridge[k]) * d.z[k]) * values.asDiagonal();
  }
  CorrectedMove<S> result;
  for (std::size_t k = 0; k < views; ++k) {
    Matrix<double> metric = product_at<S>(d.z[k], sum[k]).template cast<double>();
    symmetrize<double>(metric);
    metric.diagonal().array() += 1;
    result.metric.push_back(std::move(metric));
  }
  result.d = std::move(d.z);
  return result;
}

LANDFALL_CORRECTED_MOVE(, float)
LANDFALL_CORRECTED_MOVE(, double)

}  // namespace landfall
