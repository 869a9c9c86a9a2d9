#include <landfall/errors.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace landfall {

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
  if (!(values(0) > 0)) throw NumericalError("cannot build a preconditioner from B = 0");
  // A tail of zero would make K infinite off the sketch: B is then singular to working precision.
  const S floor = values(0) * std::numeric_limits<S>::epsilon() * static_cast<S>(n);
  Index rank = std::min(options.rank, std::max<Index>(width - 1, 1));
  const S tail = std::max(values(std::min(rank, width - 1)), floor);
  const double rest = (options.trace - static_cast<double>(values.head(rank).sum())) /
                      static_cast<double>(std::max<Index>(n - rank, 1));
  if (2 * rank <= std::min(options.most, n - 1) && static_cast<double>(tail) > 4 * rest) {
    SketchOptions wider = options;
    wider.rank = 2 * rank;
    return sketch_preconditioner(b, wider);
  }
  while (rank > 1 && values(rank - 1) < static_cast<S>(options.flat) * tail) --rank;
  Matrix<S> vectors(n, rank);
  multiply<S>(q, eigen.vectors().rowwise().reverse().leftCols(rank), vectors);
  return std::make_shared<SketchPreconditioner<S>>(std::move(vectors), values.head(rank), tail,
                                                   static_cast<S>(options.shift) * tail);
}

template <class S>
ScaledPreconditioner<S>::ScaledPreconditioner(Vector<S> scale, PreconditionerPtr<S> inner)
    : Preconditioner<S>(scale.size()),
      scale_(std::move(scale)),
      inverse_(scale_.cwiseInverse()),
      inner_(std::move(inner)) {
  if (!(scale_.minCoeff() > 0) || !inverse_.allFinite())
    throw UsageError(fmt::format("a scale must be positive, got {:.3g}", scale_.minCoeff()));
}

template <class S>
void ScaledPreconditioner<S>::apply_impl(In<S> x, Out<S> y) const {
  scaled_.resize(x.rows(), x.cols()) = scale_.asDiagonal() * x;
  inner_->apply(scaled_.view(), y);
  y.array().colwise() *= scale_.array();
}

template <class S>
void ScaledPreconditioner<S>::apply_inverse_impl(In<S> x, Out<S> y) const {
  scaled_.resize(x.rows(), x.cols()) = inverse_.asDiagonal() * x;
  inner_->apply_inverse(scaled_.view(), y);
  y.array().colwise() *= inverse_.array();
}

LANDFALL_SKETCH(, float)
LANDFALL_SKETCH(, double)

}  // namespace landfall
