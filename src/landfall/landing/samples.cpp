#include <landfall/errors.hpp>
#include <landfall/landing/samples.hpp>
#include <landfall/linalg/contrast_loops.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace landfall {

void SampleOrder::begin_pass(std::uint64_t pass) {
  if (seed_) order_.restart(count_, {*seed_, pass});
  next_ = 0;
}

std::span<const Index> SampleOrder::draw(Index size) {
  const Index taken = std::min(size, count_ - next_);
  batch_.resize(static_cast<std::size_t>(taken));
  for (auto& sample : batch_) {
    sample = seed_ ? order_(next_) : next_;
    ++next_;
  }
  return batch_;
}

Index SharedBatch::start(Index own) {
  own_ = all_ = own;
  reduce(*communicator_, all_);
  return all_;
}

SharedBatch::Part SharedBatch::part(Index first, Index last) const {
  if (communicator_->size() == 1 || all_ == 0) return {first, last, last - first};
  // The batch is in rank order.
  const auto counts = counts_of_ranks(*communicator_, own_);
  const Index before = std::accumulate(counts.begin(), counts.begin() + communicator_->rank(), Index{0});
  return {std::clamp<Index>(first - before, 0, own_), std::clamp<Index>(last - before, 0, own_),
          last - first};
}

double SharedBatch::mean(const Part& part, double own) const {
  if (communicator_->size() == 1) return own;
  double sum = part.size() > 0 ? static_cast<double>(part.size()) * own : 0;
  reduce(*communicator_, sum);
  return sum / static_cast<double>(part.count);
}

template <class S>
CallbackSamples<S>::CallbackSamples(Index count, std::vector<Shape> shapes, Evaluate evaluate,
                                    std::uint64_t seed)
    : shapes_(std::move(shapes)), evaluate_(std::move(evaluate)), order_(count, seed) {
  if (count < 1) throw UsageError(fmt::format("a sampled problem needs at least one sample, got {}", count));
  if (!evaluate_) throw UsageError("a sampled problem needs a function that evaluates it");
}

template <class S>
double CallbackSamples<S>::evaluate_impl(Index first, Index last, const Point<S>& x, Point<S>* gradient,
                                         Point<S>* bx) {
  const auto part =
      order_.batch().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  return evaluate_(part, x, gradient, bx);
}

template <class S>
ScoreObjective<S> correlation_objective() {
  Matrix<S> coupling(2, 2);
  coupling << 0, -1, -1, 0;
  const auto apply = [](const std::vector<Scratch<S>>& alpha, std::vector<Scratch<S>>& b) {
    const auto &left = alpha[0].view(), &right = alpha[1].view();
    b[0].view() = -right;
    b[1].view() = -left;
    return -static_cast<double>(left.cwiseProduct(right).sum()) / static_cast<double>(left.rows());
  };
  return {.apply = apply, .coupling = coupling};
}

template <class S>
ScoreObjective<S> logcosh_objective() {
  const auto apply = [](const std::vector<Scratch<S>>& alpha, std::vector<Scratch<S>>& b) {
    const auto& a = alpha[0].view();
    return logcosh_loop(a.data(), a.size(), S(1), b[0].view().data()).value / static_cast<double>(a.rows());
  };
  // A row a sqrt(w) has the score u = sqrt(w) a'x: w log cosh(a'x), whose derivative by u is sqrt(w) tanh(a'x).
  const auto apply_weighted = [](const std::vector<Scratch<S>>& alpha, std::vector<Scratch<S>>& b,
                                 std::span<const S> roots) {
    const auto& a = alpha[0].view();
    auto& out = b[0].view();
    double sum = 0;
    for (Index j = 0; j < a.cols(); ++j)
      for (Index i = 0; i < a.rows(); ++i) {
        const S root = roots[static_cast<std::size_t>(i)], score = a(i, j) / root;
        sum += static_cast<double>(root) * static_cast<double>(root) *
               logcosh_loop(&score, 1, root, &out(i, j)).value;
      }
    return sum / static_cast<double>(a.rows());
  };
  return {.apply = apply, .apply_weighted = apply_weighted};
}

template <class S>
LinearSamples<S>::LinearSamples(std::vector<RowMatrix<S>> data, std::vector<Index> components,
                                std::vector<S> ridge, ScoreObjective<S> objective,
                                std::optional<std::uint64_t> seed, Communicator& communicator,
                                std::vector<S> roots)
    : data_(std::move(data)),
      ridge_(std::move(ridge)),
      objective_(std::move(objective)),
      order_(data_.empty() ? 0 : data_[0].rows(), seed),
      shared_(communicator),
      roots_(std::move(roots)) {
  if (data_.empty() || components.size() != data_.size() || ridge_.size() != data_.size())
    throw UsageError(fmt::format("{} data matrices with {} numbers of components and {} ridges", data_.size(),
                                 components.size(), ridge_.size()));
  for (std::size_t i = 0; i < data_.size(); ++i) {
    if (data_[i].rows() != data_[0].rows())
      throw UsageError(fmt::format("views must have the same number of samples, got {} and {}",
                                   data_[0].rows(), data_[i].rows()));
    shapes_.push_back({data_[i].cols(), components[i]});
  }
  if (!roots_.empty() && static_cast<Index>(roots_.size()) != data_[0].rows())
    throw UsageError(fmt::format("{} weights for {} samples", roots_.size(), data_[0].rows()));
  count_ = shared_.start(order_.count());
  if (count() == 0) throw UsageError("a sampled problem needs at least one sample, got 0");
  if (!objective_.apply)
    throw UsageError("samples in memory need an objective that is applied to their projections");
  batch_.resize(data_.size());
  alpha_ = b_ = batch_;
}

template <class S>
void LinearSamples<S>::begin_pass(std::uint64_t pass) {
  order_.begin_pass(pass);
  asked_ = drawn_ = 0;
}

template <class S>
Index LinearSamples<S>::draw(Index size) {
  // Every rank takes its share of its own samples, so that all of them end a pass together.
  asked_ = std::min(asked_ + size, count_);
  const Index wanted = asked_ * order_.count() / count_ - drawn_;
  const auto rows = order_.draw(wanted);
  const auto taken = static_cast<Index>(rows.size());
  drawn_ += taken;
  for (std::size_t i = 0; i < data_.size(); ++i) {
    auto& batch = batch_[i].resize(data_[i].cols(), taken);
    for (Index j = 0; j < taken; ++j)
      batch.col(j) = data_[i].row(rows[static_cast<std::size_t>(j)]).transpose();
  }
  batch_roots_.clear();
  if (!roots_.empty())
    for (const Index row : rows) batch_roots_.push_back(roots_[static_cast<std::size_t>(row)]);
  const Index all = shared_.start(taken);
  return all > 0 || asked_ == count_ ? all : draw(size);
}

template <class S>
double LinearSamples<S>::project(Index first, Index last, const Point<S>& x) {
  for (std::size_t i = 0; i < data_.size(); ++i) {
    b_[i].resize(last - first, x[i].cols());
    multiply_at<S>(batch(i).middleCols(first, last - first), x[i],
                   alpha_[i].resize(last - first, x[i].cols()));
  }
  const std::span<const S> roots = batch_roots_;
  return objective_.evaluate(
      alpha_, b_,
      roots.empty() ? roots
                    : roots.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
}

template <class S>
double LinearSamples<S>::evaluate_impl(Index first, Index last, const Point<S>& x, Point<S>* gradient,
                                       Point<S>* bx) {
  const SharedBatch::Part own = shared_.part(first, last);
  const double value = shared_.mean(own, own.size() > 0 ? project(own.first, own.last, x) : 0);
  const S scale = S(1) / static_cast<S>(own.count);
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const auto part = batch(i).middleCols(own.first, own.size());
    if (gradient && own.size() == 0) (*gradient)[i].setZero();
    if (gradient && own.size() > 0) multiply<S>(part, b(i), (*gradient)[i], scale);
    if (bx) {
      (*bx)[i] = own_ridge(i) * x[i];
      if (own.size() > 0) multiply<S>(part, alpha(i), (*bx)[i], scale, 1);
    }
  }
  if (gradient) reduce(communicator(), *gradient);
  if (bx) reduce(communicator(), *bx);
  return value;
}

LANDFALL_SAMPLES(, float)
LANDFALL_SAMPLES(, double)

}  // namespace landfall
