// f and B seen only through samples: f = E f_i, B = E B_i. A problem of this kind hands out batches; an
// estimator (sampled.hpp) asks for the mean gradient and the mean product with B over parts of the batch.
//
//   // CCA of two views in memory: B_i = a_i a_i' + ridge, grad f_i = -a_i (y_i'V)
//   auto objective = landfall::correlation_objective<double>();
//   landfall::LinearSamples<double> samples({left, right}, {5, 5}, {1e-3, 1e-3}, objective, seed);
//   samples.draw(128);
//   samples.evaluate(0, 128, point, &gradient, &bx);    // their blocks have the sizes of the point's
#pragma once

#include <landfall/linalg/random.hpp>
#include <landfall/linalg/scratch.hpp>
#include <landfall/linalg/types.hpp>
#include <landfall/parallel/communicator.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace landfall {

template <class S>
class LinearSamples;

template <class S>
class Samples {
 public:
  virtual ~Samples() = default;

  virtual const std::vector<Shape>& shapes() const = 0;

  /// How many samples one pass hands out.
  virtual Index count() const = 0;

  /// Starts a pass; the order of the samples depends on the number of the pass and on the seed alone.
  virtual void begin_pass(std::uint64_t pass) = 0;

  /// Makes the next `size` samples the current batch; returns how many there were, 0 at the end of the pass.
  /// Samples are counted over all ranks, here and below.
  virtual Index draw(Index size) = 0;

  /// Means over samples [first, last) of the current batch: f, its gradient, and
  /// B X; what is null is not wanted.
  double evaluate(Index first, Index last, const Point<S>& x, Point<S>* gradient, Point<S>* bx) {
    return evaluate_impl(first, last, x, gradient, bx);
  }

  /// Samples of the form B_i = a_i a_i' + ridge, grad f_i = a_i b_i' allow more (the U-statistic, averaging).
  virtual LinearSamples<S>* linear() { return nullptr; }

  /// The ranks among which the samples are divided.
  virtual Communicator& communicator() const { return serial_communicator(); }

 protected:
  virtual double evaluate_impl(Index first, Index last, const Point<S>& x, Point<S>* gradient,
                               Point<S>* bx) = 0;
};

/// A batch of which each rank holds a part.
class SharedBatch {
 public:
  explicit SharedBatch(Communicator& communicator) : communicator_(&communicator) {}

  Communicator& communicator() const { return *communicator_; }

  /// This rank has `own` samples of the batch; returns how many all ranks have.
  Index start(Index own);

  /// What this rank holds of samples [first, last) of the batch, and how many of them there are on all ranks.
  struct Part {
    Index first = 0, last = 0, count = 0;
    Index size() const { return last - first; }
  };
  Part part(Index first, Index last) const;

  /// The mean over all ranks' samples of a part, from the mean over this rank's.
  double mean(const Part& part, double own) const;

 private:
  Communicator* communicator_;
  Index own_ = 0, all_ = 0;
};

/// Hands out sample numbers in a fresh random order each pass, or, without a seed, from 0 to count - 1.
class SampleOrder {
 public:
  SampleOrder(Index count, std::optional<std::uint64_t> seed)
      : count_(count), seed_(seed), order_(count, {seed.value_or(0), 0}) {}

  Index count() const { return count_; }
  void begin_pass(std::uint64_t pass);
  std::span<const Index> draw(Index size);
  std::span<const Index> batch() const { return batch_; }

 private:
  Index count_;
  std::optional<std::uint64_t> seed_;
  Permutation order_;
  Index next_ = 0;
  std::vector<Index> batch_;
};

/// Any sampled f and B: the caller's function gives the means over the numbered samples.
template <class S>
class CallbackSamples final : public Samples<S> {
 public:
  using Evaluate = std::function<double(std::span<const Index> samples, const Point<S>& x, Point<S>* gradient,
                                        Point<S>* bx)>;
  CallbackSamples(Index count, std::vector<Shape> shapes, Evaluate evaluate, std::uint64_t seed = 0);

  const std::vector<Shape>& shapes() const override { return shapes_; }
  Index count() const override { return order_.count(); }
  void begin_pass(std::uint64_t pass) override { order_.begin_pass(pass); }
  Index draw(Index size) override { return static_cast<Index>(order_.draw(size).size()); }

 protected:
  double evaluate_impl(Index first, Index last, const Point<S>& x, Point<S>* gradient, Point<S>* bx) override;

 private:
  std::vector<Shape> shapes_;
  Evaluate evaluate_;
  SampleOrder order_;
};

/// How the gradient follows from the projections: with alpha_k = A_k X_k (r x p, rows are
/// samples), grad f = A_k' b_k / r.
template <class S>
struct ScoreObjective {
  /// Writes b_k for every block and returns f, the mean over the rows.
  std::function<double(const std::vector<Scratch<S>>& alpha, std::vector<Scratch<S>>& b)> apply = {};
  /// The same where the rows of A have been multiplied by the roots of their weights: b_k are multiplied too, and f is the sum of
  /// weighted terms over the number of rows. Needed where b is not linear in alpha.
  std::function<double(const std::vector<Scratch<S>>& alpha, std::vector<Scratch<S>>& b,
                       std::span<const S> roots)>
      apply_weighted = {};
  /// The one of these two that rows with these roots need; none: all 1.
  double evaluate(const std::vector<Scratch<S>>& alpha, std::vector<Scratch<S>>& b,
                  std::span<const S> roots) const {
    return roots.empty() || !apply_weighted ? apply(alpha, b) : apply_weighted(alpha, b, roots);
  }
  /// Where b_k = sum_l coupling(k, l) alpha_l, the gradient follows from second
  /// moments alone; empty otherwise.
  Matrix<S> coupling = {};
  /// In place of apply, where f needs no samples (LDA, once the means of the classes are known): f and, if
  /// it is wanted, its gradient. For ViewSamples.
  std::function<double(const Point<S>& x, Point<S>* gradient)> known = {};
};

/// f = -tr X'S_xy Y: canonical correlations.
template <class S>
ScoreObjective<S> correlation_objective();

/// f = mean sum_j log cosh(a_i'x_j): independent components.
template <class S>
ScoreObjective<S> logcosh_objective();

/// Data in memory, one matrix of samples (rows) per block; B_k = A_k'A_k/N + ridge_k I. The matrices hold the
/// samples of this rank. Without a seed every pass hands out the rows in their order in memory. Rows may have been multiplied by the
/// roots of their weights.
template <class S>
class LinearSamples final : public Samples<S> {
 public:
  LinearSamples(std::vector<RowMatrix<S>> data, std::vector<Index> components, std::vector<S> ridge,
                ScoreObjective<S> objective, std::optional<std::uint64_t> seed = 0,
                Communicator& communicator = serial_communicator(), std::vector<S> roots = {});

  const std::vector<Shape>& shapes() const override { return shapes_; }
  Index count() const override { return count_; }
  void begin_pass(std::uint64_t pass) override;
  Index draw(Index size) override;
  Communicator& communicator() const override { return shared_.communicator(); }
  LinearSamples<S>* linear() override { return this; }

  /// The current batch of a block, samples as columns (n x r), so that it is
  /// contiguous; and its projections at x.
  const View<S>& batch(std::size_t block) const { return batch_[block].view(); }
  double project(Index first, Index last, const Point<S>& x);
  /// Of the last project(): alpha = A X, and b, what the objective made of it.
  const View<S>& alpha(std::size_t block) const { return alpha_[block].view(); }
  const View<S>& b(std::size_t block) const { return b_[block].view(); }
  S ridge(std::size_t block) const { return ridge_[block]; }
  /// What this rank adds to sums over the ranks: the ridge on rank 0, 0 on the others.
  S own_ridge(std::size_t block) const { return communicator().rank() == 0 ? ridge_[block] : S(0); }
  const ScoreObjective<S>& objective() const { return objective_; }

 protected:
  double evaluate_impl(Index first, Index last, const Point<S>& x, Point<S>* gradient, Point<S>* bx) override;

 private:
  std::vector<RowMatrix<S>> data_;
  std::vector<Shape> shapes_;
  std::vector<S> ridge_;
  ScoreObjective<S> objective_;
  SampleOrder order_;
  SharedBatch shared_;
  Index count_ = 0, asked_ = 0, drawn_ = 0;  // asked_: of all ranks in this pass; drawn_: of this one
  std::vector<Scratch<S>> batch_, alpha_, b_;
  std::vector<S> roots_, batch_roots_;
};

#define LANDFALL_SAMPLES(EXTERN, S)                             \
  EXTERN template class CallbackSamples<S>;                     \
  EXTERN template class LinearSamples<S>;                       \
  EXTERN template ScoreObjective<S> correlation_objective<S>(); \
  EXTERN template ScoreObjective<S> logcosh_objective<S>();
LANDFALL_SAMPLES(extern, float)
LANDFALL_SAMPLES(extern, double)

}  // namespace landfall
