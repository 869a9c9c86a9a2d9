#include <landfall/errors.hpp>
#include <landfall/landing/subspace/moving_means.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/state_of_parts.hpp>

#include <algorithm>

namespace landfall {
namespace {

// What carrying adds to an estimate of a whole pass is counted this many times: it then stands alone, with no
// sampling error beside it to hide an underestimate.
constexpr double kCarryingMargin = 8;

}  // namespace

template <class S>
MovingMeans<S>::MovingMeans(const std::vector<Shape>& shapes, const ScoreObjective<S>& objective,
                            Communicator& communicator)
    : objective_(objective), communicator_(communicator) {
  const bool coupled = objective_.coupling.rows() == 2 && shapes.size() == 2;
  if (!objective_.known && !coupled)
    throw UsageError("moving means need a known objective or one that couples two views");
  const Index blocks = objective_.known ? 2 : 4;
  for (const Shape& shape : shapes) {
    both_.emplace_back(shape.rows, 2 * shape.cols);
    sums_.emplace_back(shape.rows, blocks * shape.cols);
  }
  for (Estimate* estimate : {&working_, &pass_}) {
    resize(estimate->sx, shapes);
    resize(estimate->ascent, shapes);
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      estimate->sx[k].setZero();
      estimate->ascent[k].setZero();
    }
  }
}

template <class S>
void MovingMeans<S>::start(const Point<S>& x, Point<S> sx, Point<S> ascent, double variance) {
  working_ = {std::move(sx), std::move(ascent), variance};
  uncertainty_ = variance;
  in_pass_ = 0;
  ascend(x);
}

template <class S>
void MovingMeans<S>::add(std::span<const WeightedRows<S>> parts, Point<S>& x, const Point<S>& d) {
  score(parts, x, d);
  if (!(rows_ > 0)) return;  // every row is kept, and enters other batches
  const double r = rows_, carried = moved_ / r;
  const double v = working_.variance + carried, gain = v / (v + 1 / r), share = r / (r + in_pass_);
  sum(parts, gain, share);
  mix(working_, 1 - gain, 0);
  mix(pass_, 1 - share, objective_.known ? 1 : 2);
  working_.variance = uncertainty_ = gain / r;
  pass_.variance = (1 - share) * (1 - share) * (pass_.variance + kCarryingMargin * carried);
  in_pass_ += r;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += d[k];
  ascend(x);
}

/// A [X D], and from it d^2 and the number of rows.
template <class S>
void MovingMeans<S>::score(std::span<const WeightedRows<S>> parts, const Point<S>& x, const Point<S>& d) {
  const std::size_t views = x.size();
  scores_.resize(parts.size() * views);
  mixed_.resize(parts.size() * views);
  Vector<double> squares = Vector<double>::Zero(static_cast<Index>(views) + 1);
  rows_ = 0;
  for (std::size_t k = 0; k < views; ++k) {
    const Index c = x[k].cols();
    both_[k].leftCols(c) = x[k];
    both_[k].rightCols(c) = d[k];
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& part = parts[i];
    const Index count = part.views[0]->rows();
    rows_ += part.weights.size() > 0 ? static_cast<double>(part.weights.sum()) : static_cast<double>(count);
    if (count == 0) continue;
    for (std::size_t k = 0; k < views; ++k) {
      const Index c = x[k].cols();
      auto& scores = scores_[i * views + k].resize(count, 2 * c);
      part.views[k]->times(both_[k], scores);
      const auto moves = scores.rightCols(c);
      squares(static_cast<Index>(k)) += static_cast<double>(
          part.weights.size() > 0 ? part.weights.dot(moves.rowwise().squaredNorm()) : moves.squaredNorm());
    }
  }
  squares(static_cast<Index>(views)) = rows_;  // in the same message
  reduce(communicator_, squares);
  rows_ = squares(static_cast<Index>(views));
  moved_ = 0;
  for (std::size_t k = 0; k < views; ++k)
    moved_ = std::max(moved_, squares(static_cast<Index>(k)) / (rows_ * static_cast<double>(x[k].cols())));
}

/// sums_k = A_k' [D + g X of the view, of the other; D + share X of the view, of the other] / r, in scores.
template <class S>
void MovingMeans<S>::sum(std::span<const WeightedRows<S>> parts, double gain, double share) {
  const std::size_t views = both_.size();
  const std::size_t sources = objective_.known ? 1 : 2;
  bool first = true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& part = parts[i];
    const Index count = part.views[0]->rows();
    if (count == 0) continue;
    for (std::size_t k = 0; k < views; ++k) {
      auto& w = mixed_[k].resize(count, sums_[k].cols());
      Index at = 0;
      for (const double weight : {gain, share})
        for (std::size_t l = 0; l < sources; ++l) {
          const auto& scores = scores_[i * views + (l == 0 ? k : 1 - k)].view();
          const Index c = scores.cols() / 2;
          w.middleCols(at, c) = scores.rightCols(c) + static_cast<S>(weight) * scores.leftCols(c);
          at += c;
        }
      if (part.weights.size() > 0) w.array().colwise() *= part.weights.array();
      part.views[k]->transpose_times(w, sums_[k], static_cast<S>(1 / rows_), first ? S(0) : S(1));
    }
    first = false;
  }
  if (first)
    for (auto& sums : sums_) sums.setZero();
  // The pass estimate is linear in the sums, and not needed before the end of the pass: each rank keeps its part of it.
  if (communicator_.size() == 1) return;
  const auto working = [this](std::size_t k) { return sums_[k].leftCols(sums_[k].cols() / 2); };
  working_sums_.resize(views);
  for (std::size_t k = 0; k < views; ++k) working_sums_[k] = working(k);
  reduce(communicator_, working_sums_);
  for (std::size_t k = 0; k < views; ++k) working(k) = working_sums_[k];
}

template <class S>
void MovingMeans<S>::mix(Estimate& estimate, double keep, Index first) {
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const Index c = estimate.sx[k].cols();
    estimate.sx[k] = static_cast<S>(keep) * estimate.sx[k] + sums_[k].middleCols(first * c, c);
    if (!objective_.known)
      estimate.ascent[k] =
          static_cast<S>(keep) * estimate.ascent[k] + sums_[k].middleCols((first + 1) * c, c);
  }
}

template <class S>
void MovingMeans<S>::ascend(const Point<S>& x) {
  if (!objective_.known) return;
  objective_.known(x, &working_.ascent);
  for (auto& block : working_.ascent) block *= S(-1);
}

template <class S>
void MovingMeans<S>::turn(Point<S>& x, const std::vector<Matrix<S>>& t) {
  const auto by = [&](Matrix<S>& block, const Matrix<S>& factor) {
    turned_.resize(block.rows(), factor.cols());
    multiply<S>(block, factor, turned_);
    std::swap(block, turned_);
  };
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Matrix<S>& other = objective_.known ? t[k] : t[1 - k];
    by(x[k], t[k]);
    for (Estimate* estimate : {&working_, &pass_}) {
      by(estimate->sx[k], t[k]);
      by(estimate->ascent[k], other);
    }
  }
}

template <class S>
void MovingMeans<S>::end_pass(double variance) {
  if (in_pass_ > 0 && pass_.variance + variance < working_.variance) {
    const Point<S> ascent = objective_.known ? working_.ascent : Point<S>{};
    reduce(communicator_, pass_.sx);
    if (!objective_.known) reduce(communicator_, pass_.ascent);
    std::swap(working_, pass_);
    if (objective_.known) working_.ascent = ascent;
    uncertainty_ = working_.variance / kCarryingMargin + variance;
    working_.variance += variance;
  }
  working_.variance = std::max(working_.variance, variance);
  pass_.variance = 0;
  in_pass_ = 0;
}

template <class S>
void MovingMeans<S>::finish() {
  pass_ = {};
  for (auto* blocks : {&both_, &sums_, &working_sums_}) blocks->clear();
  scores_.clear();
  mixed_.clear();
}

template <class S>
void MovingMeans<S>::state(State& state) {
  state(working_.sx, working_.ascent, working_.variance, pass_.variance);
  state(in_pass_, moved_, rows_, uncertainty_);
  state_of_parts(state, communicator_, pass_.sx);
  state_of_parts(state, communicator_, pass_.ascent);
}

template class MovingMeans<float>;
template class MovingMeans<double>;

}  // namespace landfall
