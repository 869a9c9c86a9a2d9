// The landing field estimated from batches. One call of field() reads one batch.
//
//   #include <landfall/landing/solver.hpp>
//   const landfall::FieldOptions<double> field{.normal = landfall::Normal::newton};
//   landfall::SampledOracle<double> oracle(samples, {.batch = 128}, {field, field});    // two blocks
//   auto result = landfall::solve<double>(oracle, start, {
//       .step = {.rule = landfall::StepRule::fixed, .size = 0.3}, .stop = landfall::stop::passes(4)});
#pragma once

#include <landfall/landing/oracle.hpp>
#include <landfall/landing/recursive.hpp>
#include <landfall/landing/samples.hpp>
#include <landfall/landing/ustatistic.hpp>
#include <landfall/manifold/field.hpp>

#include <string_view>

namespace landfall {

enum class Estimator {
  shared,    // one batch for the gradient and both B: BIASED, what the authors' code does
  split,     // disjoint parts of the batch, symmetrised: unbiased
  ustat,     // all distinct triples of the batch: unbiased, linear samples only
  svrg,      // differences to a snapshot with its full products: variance and bias vanish as X nears it
  averaged,  // rolling second moments, exact after the first pass: n^2 memory, linear samples only
  // the mean of all batches so far, carried along with X (recursive.hpp): variance and bias vanish
  recursive,
};

std::string_view to_string(Estimator estimator);
Estimator parse_estimator(std::string_view name);

struct SamplingOptions {
  Estimator estimator = Estimator::split;
  Index batch = 128;          // samples per step
  double snapshot_every = 1;  // svrg: passes between snapshots
  /// recursive: of the mean over one pass, in units of one sample's; 0 when the samples are all there are,
  /// 1/m when they are m of many.
  double pass_variance = 0;
};

template <class S>
class SampledOracle final : public FieldOracle<S> {
 public:
  /// fields: one per block.
  SampledOracle(std::shared_ptr<Samples<S>> samples, SamplingOptions options,
                std::vector<FieldOptions<S>> fields);

  const std::vector<Shape>& shapes() const override { return samples_->shapes(); }
  void field(const Point<S>& x, const Pull& pull, FieldValue<S>& out) override;
  Restoration restore(Point<S>& x, double epsilon) override;

  /// Other samples of the same f and B from here on, from their first pass. What the recursive estimator has
  /// learnt is kept, so that a run over a part of the data is a start for the run over all of it.
  void continue_with(std::shared_ptr<Samples<S>> samples, SamplingOptions options);

  /// The estimator's state; null for the others.
  const RecursiveMean<S>* recursive() const { return recursive_ ? &*recursive_ : nullptr; }
  const Preconditioner<S>* metric(std::size_t block) const override {
    return fields_[block].preconditioner.get();
  }
  double passes() const override {
    return static_cast<double>(seen_) / static_cast<double>(samples_->count());
  }
  Counts counts() const override { return counts_; }
  /// Taken back into a oracle of the same samples and options, it reads on where it was.
  void state(State& state) override;

 private:
  void begin_pass(std::uint64_t pass);
  Index draw();  // the next batch that is large enough, in this pass or the next
  double evaluate(Index first, Index last, const Point<S>& x, Point<S>* gradient, Point<S>* bx);
  void estimate_scales();
  void take_snapshot(const Point<S>& x);
  void absorb_batch(Index rows);
  void check_options();
  double relative_move(const Point<S>& x);
  void averaged_products(const Point<S>& x, Index rows, FieldValue<S>& out);

  std::shared_ptr<Samples<S>> samples_;
  SamplingOptions options_;
  std::vector<FieldOptions<S>> fields_;
  std::vector<StiefelField<S>> kernels_;
  UStatistic<S> ustatistic_;
  std::optional<RecursiveMean<S>> recursive_;
  std::vector<double> scales_;
  Index least_ = 1;  // the smallest batch the estimator can use
  std::uint64_t pass_ = 0;
  Index seen_ = 0;
  Index drawn_ = 0;  // batches of this pass
  Counts counts_;

  Point<S> g1_, y1_, g2_, y2_, other_;
  Point<S> difference_;  // svrg: X - snapshot; recursive: X - X_last; split: Y1 scaled
  Point<S> snapshot_, snapshot_g_, snapshot_y_;  // svrg
  double next_snapshot_ = 0;
  Matrix<S> work_;
  Matrix<S> moments_;  // averaged: the sum of a a' over all blocks stacked
  Index absorbed_ = 0;
};

extern template class SampledOracle<float>;
extern template class SampledOracle<double>;

}  // namespace landfall
