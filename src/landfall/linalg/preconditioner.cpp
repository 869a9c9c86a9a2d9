#include <landfall/errors.hpp>
#include <landfall/linalg/lapack.ipp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

/// B^-1 and B from the Cholesky factor of B.
template <class S>
class CholeskyInverse final : public Preconditioner<S> {
 public:
  explicit CholeskyInverse(Matrix<S> b) : Preconditioner<S>(b.rows()), b_(std::move(b)), factor_(b_) {
    factor_positive_definite<S>(factor_);
  }

 protected:
  void apply_impl(In<S> x, Out<S> y) const override {
    y = x;
    const int n = static_cast<int>(factor_.rows());
    Lapack<S>::potrs(LAPACK_COL_MAJOR, 'L', n, static_cast<int>(y.cols()), factor_.data(), n, y.data(),
                     static_cast<int>(y.outerStride()));
  }
  void apply_inverse_impl(In<S> x, Out<S> y) const override { multiply<S>(b_, x, y); }

 private:
  Matrix<S> b_, factor_;
};

}  // namespace

template <class S>
void Preconditioner<S>::apply_inverse(In<S> x, Out<S> y) const {
  if (x.rows() != this->size() || y.rows() != this->size() || x.cols() != y.cols())
    throw UsageError(fmt::format("preconditioner of size {} applied to {}x{} into {}x{}", this->size(),
                                 x.rows(), x.cols(), y.rows(), y.cols()));
  apply_inverse_impl(x, y);
}

template <class S>
DiagonalPreconditioner<S>::DiagonalPreconditioner(Vector<S> diagonal)
    : Preconditioner<S>(diagonal.size()), diagonal_(std::move(diagonal)), inverse_(diagonal_.cwiseInverse()) {
  Index at = 0;
  if (diagonal_.size() > 0 && !(diagonal_.minCoeff(&at) > 0))
    throw UsageError(
        fmt::format("a diagonal preconditioner must be positive, entry {} is {:.3g}", at, diagonal_(at)));
}

template <class S>
SketchPreconditioner<S>::SketchPreconditioner(Matrix<S> vectors, Vector<S> values, S tail, S shift)
    : Preconditioner<S>(vectors.rows()), vectors_(std::move(vectors)), base_(1 / (tail + shift)) {
  if (values.size() != vectors_.cols())
    throw UsageError(fmt::format("sketch of rank {} with {} values", vectors_.cols(), values.size()));
  if (!(tail + shift > 0) || (values.size() > 0 && !(values.minCoeff() + shift > 0)))
    throw UsageError(fmt::format(
        "a sketch preconditioner must be positive definite, got tail {:.3g} and shift {:.3g}", tail, shift));
  excess_ = (values.array() + shift).inverse() - base_;
  inverse_excess_ = values.array() - tail;
}

template <class S>
void SketchPreconditioner<S>::low_rank(const Vector<S>& weights, S base, In<S> x, Out<S> y) const {
  projected_.resize(vectors_.cols(), x.cols());
  multiply_at<S>(vectors_, x, projected_);
  projected_.array().colwise() *= weights.array();
  y = base * x;
  multiply<S>(vectors_, projected_, y, 1, 1);
}

template <class S>
void SketchPreconditioner<S>::apply_impl(In<S> x, Out<S> y) const {
  low_rank(excess_, base_, x, y);
}

template <class S>
void SketchPreconditioner<S>::apply_inverse_impl(In<S> x, Out<S> y) const {
  low_rank(inverse_excess_, 1 / base_, x, y);
}

template <class S>
CallbackPreconditioner<S>::CallbackPreconditioner(Index size, Product product, Product inverse_product)
    : Preconditioner<S>(size), product_(std::move(product)), inverse_product_(std::move(inverse_product)) {
  if (!product_ || !inverse_product_)
    throw UsageError("a callback preconditioner needs a product and its inverse");
}

template <class S>
PreconditionerPtr<S> inverse_preconditioner(Matrix<S> b) {
  return std::make_shared<CholeskyInverse<S>>(std::move(b));
}

LANDFALL_PRECONDITIONERS(, float)
LANDFALL_PRECONDITIONERS(, double)

}  // namespace landfall
