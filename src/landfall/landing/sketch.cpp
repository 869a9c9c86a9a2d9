#include <landfall/errors.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <limits>

#include <Eigen/QR>
#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
Matrix<S> orthonormal_basis(const Matrix<S>& m) {
  return Eigen::HouseholderQR<Matrix<S>>(m).householderQ() * Matrix<S>::Identity(m.rows(), m.cols());
}

}  // namespace

template <class S>
std::shared_ptr<const SketchPreconditioner<S>> sketch_preconditioner(const SymmetricOperator<S>& b,
                                                                     const SketchOptions& options) {
  const Index n = b.size();
  if (options.rank < 1)
    throw UsageError(fmt::format("the rank of a sketch must be at least 1, got {}", options.rank));
  // One eigenvalue beyond the rank is needed for the tail; the other extra columns are the range finder's
  // margin.
  const Index width = std::min(n, options.rank + 8);
  Matrix<S> q = orthonormal_basis<S>(gaussian<S>(n, width, {options.seed, 0x5ce7})), y(n, width),
            small(width, width);
  for (int k = 0; k <= options.power_iterations; ++k) {
    b.apply(q, y);
    q = orthonormal_basis<S>(y);
  }
  b.apply(q, y);
  multiply_at<S>(q, y, small);
  symmetrize<S>(small);
  SymmetricEigen<S> eigen;
  eigen.compute(small);

  const Vector<S> values = eigen.values().reverse().cwiseMax(S(0));
  if (!(values(0) > 0)) throw NumericalError("a sketch of B = 0 preconditions nothing");
  // A tail of zero would make K infinite off the sketch: B is then singular to working precision.
  const S floor = values(0) * std::numeric_limits<S>::epsilon() * static_cast<S>(n);
  Index rank = std::min(options.rank, std::max<Index>(width - 1, 1));
  const S tail = std::max(values(std::min(rank, width - 1)), floor);
  while (rank > 1 && values(rank - 1) < static_cast<S>(options.flat) * tail) --rank;
  Matrix<S> vectors(n, rank);
  multiply<S>(q, eigen.vectors().rowwise().reverse().leftCols(rank), vectors);
  return std::make_shared<SketchPreconditioner<S>>(std::move(vectors), values.head(rank), tail,
                                                   static_cast<S>(options.shift) * tail);
}

template std::shared_ptr<const SketchPreconditioner<float>> sketch_preconditioner<float>(
    const SymmetricOperator<float>&, const SketchOptions&);
template std::shared_ptr<const SketchPreconditioner<double>> sketch_preconditioner<double>(
    const SymmetricOperator<double>&, const SketchOptions&);

}  // namespace landfall
