#include <landfall/landing/subspace/ritz_basis.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/state_of_parts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace landfall {
namespace {

template <class S>
using Parts = std::vector<const RitzBasis<S>*>;  // side by side: [Z_1 Z_2 ...]

template <class S>
Ritz ritz_within(const Parts<S>& parts, const std::vector<double>& ridge, Index count, double tolerance) {
  const auto gram = [&](const auto& left, const auto& right) {  // of all parts
    Index size = 0, row = 0;
    for (const auto* part : parts) size += left(*part).cols();
    Matrix<double> all(size, size);
    for (const auto* one : parts) {
      Index column = 0;
      for (const auto* other : parts) {
        const Matrix<S> block = product_at<S>(left(*one), right(*other));
        all.block(row, column, block.rows(), block.cols()) = block.template cast<double>();
        column += block.cols();
      }
      row += left(*one).cols();
    }
    return all;
  };
  std::vector<Matrix<double>> metric;
  for (std::size_t k = 0; k < parts[0]->z.size(); ++k) {
    const auto z = [k](const RitzBasis<S>& part) -> const Matrix<S>& { return part.z[k]; };
    const auto sz = [k](const RitzBasis<S>& part) -> const Matrix<S>& { return part.sz[k]; };
    Matrix<double> m = gram(z, sz);
    if (ridge[k] > 0) m += ridge[k] * gram(z, z);
    metric.push_back((m + m.transpose()) / 2);
  }
  const Matrix<double> cross =
      gram([](const RitzBasis<S>& part) -> const Matrix<S>& { return part.z[0]; },
           [](const RitzBasis<S>& part) -> const Matrix<S>& { return part.ascent[0]; });
  return solve_ritz(metric, cross, count, tolerance);
}

/// [Z_1 Z_2 ...] t, with the products.
template <class S>
RitzBasis<S> combined(const Parts<S>& parts, const std::vector<Matrix<double>>& t) {
  RitzBasis<S> result;
  const std::size_t views = t.size();
  const auto combine = [&](const auto& blocks, const Matrix<double>& factor) {
    Matrix<S> sum = Matrix<S>::Zero(blocks(*parts[0]).rows(), factor.cols());
    Index row = 0;
    for (const auto* part : parts) {
      const Matrix<S>& z = blocks(*part);
      multiply<S>(z, factor.middleRows(row, z.cols()).template cast<S>(), sum, 1, 1);
      row += z.cols();
    }
    return sum;
  };
  for (std::size_t k = 0; k < views; ++k) {
    const Matrix<double>& other = t[views - 1 - k];
    result.z.push_back(combine([k](const RitzBasis<S>& p) -> const Matrix<S>& { return p.z[k]; }, t[k]));
    result.sz.push_back(combine([k](const RitzBasis<S>& p) -> const Matrix<S>& { return p.sz[k]; }, t[k]));
    result.ascent.push_back(
        combine([k](const RitzBasis<S>& p) -> const Matrix<S>& { return p.ascent[k]; }, other));
  }
  return result;
}

}  // namespace

template <class S>
RitzBasis<S> RitzBasis<S>::turned(const std::vector<Matrix<double>>& t) const {
  return combined<S>({this}, t);
}

template <class S>
Ritz RitzBasis<S>::ritz(const std::vector<double>& ridge, Index count, double tolerance) const {
  return ritz_within<S>({this}, ridge, count, tolerance);
}

template <class S>
void make_unit_columns(Point<S>& z) {
  for (auto& block : z)
    for (Index j = 0; j < block.cols(); ++j)
      block.col(j) /= std::max(block.col(j).norm(), std::numeric_limits<S>::min());
}

template <class S>
Ritz ritz_step(RitzBasis<S>& x, const RitzBasis<S>& work, RitzBasis<S>& last,
               const std::vector<double>& ridge) {
  const Index columns = x.z[0].cols();
  Parts<S> parts{&x, &work};
  if (!last.z.empty()) parts.push_back(&last);
  Ritz next = ritz_within<S>(parts, ridge, columns,
                             std::sqrt(static_cast<double>(std::numeric_limits<S>::epsilon())));
  std::vector<Matrix<double>> moves = next.coefficients;
  for (auto& m : moves) {
    m.topRows(columns).setZero();
    for (Index j = 0; j < columns; ++j) m.col(j) /= std::max(m.col(j).norm(), 1e-300);
  }
  RitzBasis<S> move = combined<S>(parts, moves);
  x = combined<S>(parts, next.coefficients);
  last = std::move(move);
  return next;
}

template <class S>
void RowSums<S>::start(const Point<S>& z) {
  sums_.resize(z.size());
  scores_.resize(z.size());
  for (std::size_t k = 0; k < z.size(); ++k)
    sums_[k].setZero(z[k].rows(), (objective_.known ? 1 : 2) * z[k].cols());
}

template <class S>
void RowSums<S>::add(const std::vector<const CentredBatch<S>*>& rows, const Point<S>& z, S share,
                     const Vector<S>* weights) {
  const Index count = rows[0]->rows();
  if (count == 0) return;
  for (std::size_t k = 0; k < z.size(); ++k) rows[k]->times(z[k], scores_[k].resize(count, z[k].cols()));
  for (std::size_t k = 0; k < z.size(); ++k) {
    const Index c = z[k].cols();
    auto& w = work_.resize(count, sums_[k].cols());
    w.leftCols(c) = scores_[k].view();
    if (sums_[k].cols() > c) w.rightCols(c) = scores_[1 - k].view();
    if (weights) w.array().colwise() *= weights->array();
    rows[k]->transpose_times(w, sums_[k], share, 1);
  }
}

template <class S>
void RowSums<S>::finish(RitzBasis<S>& basis, Communicator& communicator) {
  reduce(communicator, sums_);
  const std::size_t views = basis.z.size();
  const bool known = static_cast<bool>(objective_.known);
  basis.sz.resize(views);
  basis.ascent.resize(views);
  for (std::size_t k = 0; k < views; ++k) {
    const Index c = basis.z[k].cols();
    basis.sz[k] = sums_[k].leftCols(c);
    basis.ascent[k] = known ? Matrix<S>(basis.z[k].rows(), c) : Matrix<S>(sums_[k].rightCols(c));
  }
  if (!known) return;
  objective_.known(basis.z, &basis.ascent);
  for (auto& block : basis.ascent) block *= S(-1);
}

template <class S>
void RowSums<S>::state(State& state, Communicator& communicator) {
  state_of_parts(state, communicator, sums_);
  scores_.resize(sums_.size());
}

LANDFALL_RITZ_BASIS(, float)
LANDFALL_RITZ_BASIS(, double)

}  // namespace landfall
