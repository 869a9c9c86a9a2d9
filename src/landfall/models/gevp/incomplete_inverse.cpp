#include <landfall/errors.hpp>
#include <landfall/models/gevp/incomplete_inverse.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>

#include <Eigen/IterativeLinearSolvers>

namespace landfall {
namespace {

// Columns that one reading of the factor serves.
constexpr Index kColumns = 5;

/// x -> D (L L')^-1 D x with a scale D. The rows are in their own order: where they are numbered along a grid a factor without
/// fill is better than in an order that is made for little fill.
template <class S>
class IncompleteInverse final : public Preconditioner<S> {
 public:
  using Factor = Eigen::IncompleteCholesky<S, Eigen::Lower, Eigen::NaturalOrdering<int>>;

  explicit IncompleteInverse(const Factor& factor)
      : Preconditioner<S>(factor.matrixL().cols()), scale_(factor.scalingS()), factor_(factor.matrixL()) {}

 protected:
  void apply_impl(In<S> x, Out<S> y) const override {
    parallel_for((x.cols() + kColumns - 1) / kColumns, [&](Index part) {
      const Index first = part * kColumns, count = std::min(kColumns, x.cols() - first);
      Rows rows = Rows::Zero(this->size(), kColumns);
      rows.leftCols(count) = scale_.asDiagonal() * x.middleCols(first, count);
      substitute(rows);
      y.middleCols(first, count) = scale_.asDiagonal() * rows.leftCols(count);
    });
  }

  void apply_inverse_impl(In<S>, Out<S>) const override {
    throw UsageError("only products with an incomplete inverse are known, not with its inverse");
  }

 private:
  using Rows = Eigen::Matrix<S, Eigen::Dynamic, kColumns, Eigen::RowMajor>;

  /// L, then L'. The first entry of each column is that of the diagonal.
  void substitute(Rows& rows) const {
    const int *starts = factor_.outerIndexPtr(), *index = factor_.innerIndexPtr();
    const S* values = factor_.valuePtr();
    for (Index j = 0; j < this->size(); ++j) {
      rows.row(j) /= values[starts[j]];
      for (int k = starts[j] + 1; k < starts[j + 1]; ++k) rows.row(index[k]) -= values[k] * rows.row(j);
    }
    for (Index j = this->size() - 1; j >= 0; --j) {
      for (int k = starts[j] + 1; k < starts[j + 1]; ++k) rows.row(j) -= values[k] * rows.row(index[k]);
      rows.row(j) /= values[starts[j]];
    }
  }

  Vector<S> scale_;
  Eigen::SparseMatrix<S> factor_;
};

}  // namespace

template <class S>
PreconditionerPtr<S> incomplete_inverse(const SymmetricOperator<S>& a) {
  const auto* sparse = dynamic_cast<const SparseOperator<S>*>(&a);
  if (sparse == nullptr) return nullptr;
  const typename IncompleteInverse<S>::Factor factor(sparse->matrix());
  if (factor.info() != Eigen::Success || !factor.scalingS().allFinite()) return nullptr;
  const auto& lower = factor.matrixL();
  if (!Eigen::Map<const Vector<S>>(lower.valuePtr(), lower.nonZeros()).allFinite()) return nullptr;
  return std::make_shared<IncompleteInverse<S>>(factor);
}

template PreconditionerPtr<float> incomplete_inverse<float>(const SymmetricOperator<float>&);
template PreconditionerPtr<double> incomplete_inverse<double>(const SymmetricOperator<double>&);

}  // namespace landfall
