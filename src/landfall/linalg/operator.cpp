#include <landfall/errors.hpp>
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kBlockRows = 1024;  // rows of data multiplied at a time: fits the cache beside x

void require_square(Index rows, Index cols) {
  if (rows != cols) throw UsageError(fmt::format("an operator must be square, got {}x{}", rows, cols));
}

}  // namespace

template <class S>
void SymmetricOperator<S>::apply(In<S> x, Out<S> y) const {
  if (x.rows() != size_ || y.rows() != size_ || x.cols() != y.cols())
    throw UsageError(fmt::format("operator of size {} applied to {}x{} into {}x{}", size_, x.rows(), x.cols(),
                                 y.rows(), y.cols()));
  apply_impl(x, y);
}

template <class S>
DenseOperator<S>::DenseOperator(Matrix<S> b) : SymmetricOperator<S>(b.rows()), b_(std::move(b)) {
  require_square(b_.rows(), b_.cols());
}

template <class S>
void DenseOperator<S>::apply_impl(In<S> x, Out<S> y) const {
  multiply<S>(b_, x, y);
}

template <class S>
SparseOperator<S>::SparseOperator(Eigen::SparseMatrix<S> b)
    : SymmetricOperator<S>(b.rows()), b_(std::move(b)) {
  require_square(b_.rows(), b_.cols());
  b_.makeCompressed();
}

template <class S>
void SparseOperator<S>::apply_impl(In<S> x, Out<S> y) const {
  // B is symmetric, so row i of B x is column i of B against x: y is written once and x is gathered. A few columns at a time: B
  // is larger than they are.
  constexpr int kColumns = 5;
  const auto *starts = b_.outerIndexPtr(), *rows = b_.innerIndexPtr();
  const S* values = b_.valuePtr();
  const auto columns = [&](auto count, Index j, Index first, Index last) {
    const S* from[count];
    for (int c = 0; c < count; ++c) from[c] = x.col(j + c).data();
    for (Index i = first; i < last; ++i) {
      S sums[count] = {};
      for (auto k = starts[i]; k < starts[i + 1]; ++k)
        for (int c = 0; c < count; ++c) sums[c] += values[k] * from[c][rows[k]];
      for (int c = 0; c < count; ++c) y(i, j + c) = sums[c];
    }
  };
  constexpr Index kRows = 4096;
  parallel_for((b_.cols() + kRows - 1) / kRows, [&](Index part) {
    const Index first = part * kRows, last = std::min(b_.cols(), first + kRows);
    Index j = 0;
    for (; j + kColumns <= x.cols(); j += kColumns)
      columns(std::integral_constant<int, kColumns>(), j, first, last);
    for (; j < x.cols(); ++j) columns(std::integral_constant<int, 1>(), j, first, last);
  });
}

template <class S>
GramOperator<S>::GramOperator(RowMatrix<S> samples, S ridge)
    : SymmetricOperator<S>(samples.cols()), samples_(std::move(samples)), ridge_(ridge) {
  if (samples_.rows() == 0) throw UsageError("a Gram operator needs at least one sample");
}

template <class S>
Vector<S> GramOperator<S>::diagonal() const {
  return (samples_.colwise().squaredNorm().transpose() / static_cast<S>(samples_.rows())).array() + ridge_;
}

template <class S>
void GramOperator<S>::apply_impl(In<S> x, Out<S> y) const {
  // Rows of A are contiguous, so a block of rows read as columns is A' (n x rows).
  const Index samples = samples_.rows();
  const S scale = S(1) / static_cast<S>(samples);
  y = ridge_ * x;
  projected_.resize(std::min(kBlockRows, samples), x.cols());
  for (Index first = 0; first < samples; first += kBlockRows) {
    const Index rows = std::min(kBlockRows, samples - first);
    const Eigen::Map<const Matrix<S>> at(samples_.data() + first * samples_.cols(), samples_.cols(), rows);
    multiply_at<S>(at, x, projected_.topRows(rows));
    multiply<S>(at, projected_.topRows(rows), y, scale, 1);
  }
}

template <class S>
LowRankOperator<S>::LowRankOperator(Matrix<S> factor, Vector<S> diagonal)
    : SymmetricOperator<S>(diagonal.size()), factor_(std::move(factor)), diagonal_(std::move(diagonal)) {
  if (factor_.rows() != diagonal_.size())
    throw UsageError(fmt::format("low rank + diagonal: factor has {} rows, the diagonal {}", factor_.rows(),
                                 diagonal_.size()));
}

template <class S>
Vector<S> LowRankOperator<S>::diagonal() const {
  return diagonal_ + factor_.rowwise().squaredNorm();
}

template <class S>
void LowRankOperator<S>::apply_impl(In<S> x, Out<S> y) const {
  projected_.resize(factor_.cols(), x.cols());
  multiply_at<S>(factor_, x, projected_);
  y = diagonal_.asDiagonal() * x;
  multiply<S>(factor_, projected_, y, 1, 1);
}

template <class S>
CallbackOperator<S>::CallbackOperator(Index size, Product product)
    : SymmetricOperator<S>(size), product_(std::move(product)) {
  if (!product_) throw UsageError("a callback operator needs a product");
}

template <class S>
Matrix<S> to_dense(const SymmetricOperator<S>& b) {
  if (const auto* held = dynamic_cast<const DenseOperator<S>*>(&b)) return held->matrix();
  constexpr Index width = 64;
  const Index n = b.size();
  Matrix<S> dense(n, n), unit;
  for (Index first = 0; first < n; first += width) {
    const Index cols = std::min(width, n - first);
    unit.setZero(n, cols);
    for (Index j = 0; j < cols; ++j) unit(first + j, j) = 1;
    b.apply(unit, dense.middleCols(first, cols));
  }
  return dense;
}

template <class S>
S largest_eigenvalue(const SymmetricOperator<S>& b, std::uint64_t seed) {
  constexpr int iterations = 30;
  Matrix<S> x = gaussian<S>(b.size(), 1, Stream{seed, 0x9047}), y(b.size(), 1);
  S value = 0, residual = 0;
  for (int k = 0; k < iterations; ++k) {
    const S length = x.norm();
    if (!(length > 0)) return 0;
    x /= length;
    b.apply(x, y);
    value = x.col(0).dot(y.col(0));
    residual = (y - value * x).norm();
    std::swap(x, y);
  }
  return value + residual;
}

LANDFALL_OPERATORS(, float)
LANDFALL_OPERATORS(, double)

}  // namespace landfall
