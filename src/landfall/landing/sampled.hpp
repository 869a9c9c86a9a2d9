// The landing field estimated from batches. One call of field() reads one batch.
//
//   #include <landfall/landing/solver.hpp>
//   const landfall::FieldOptions<double> field{.normal = landfall::Normal::newton};
//   landfall::SampledOracle<double> oracle(samples, {.batch = 128}, {field, field});    // two blocks
//   auto result = landfall::solve<double>(oracle, start, {
//       .step = {.rule = landfall::StepRule::fixed, .size = 0.3}, .stop = landfall::stop::passes(4)});
#pragma once

#include <landfall/landing/estimators/recursive.hpp>
#include <landfall/landing/oracle.hpp>

namespace landfall {

template <class S>
class SampledOracle final : public FieldOracle<S> {
 public:
  /// fields: one per block.
  SampledOracle(std::shared_ptr<Samples<S>> samples, SamplingOptions options,
                std::vector<FieldOptions<S>> fields);

  const std::vector<Shape>& shapes() const override { return reader_.samples().shapes(); }
  void field(const Point<S>& x, const Pull& pull, FieldValue<S>& out) override;
  Restoration restore(Point<S>& x, double epsilon) override;

  /// Other samples of the same f and B from here on, from their first pass. What the recursive estimator has
  /// learnt is kept, so that a run over a part of the data is a start for the run over all of it.
  void continue_with(std::shared_ptr<Samples<S>> samples, SamplingOptions options);

  /// The estimator's state; null for the others.
  const RecursiveMean<S>* recursive() const { return estimator_->recursive(); }
  const Preconditioner<S>* metric(std::size_t block) const override {
    return builder_.options()[block].preconditioner.get();
  }
  double passes() const override { return reader_.passes(); }
  Counts counts() const override { return reader_.counts(); }
  /// Read back into an oracle of the same samples and options, it continues with the next batch.
  void state(State& state) override;

 private:
  void start_estimator();
  void estimate_scales();
  Index draw();  // the next batch that is large enough, in this pass or the next

  SamplingOptions options_;
  FieldBuilder<S> builder_;
  SampleReader<S> reader_;
  std::unique_ptr<FieldEstimator<S>> estimator_;
};

extern template class SampledOracle<float>;
extern template class SampledOracle<double>;

}  // namespace landfall
