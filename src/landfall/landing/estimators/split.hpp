// Disjoint parts of the batch, with their roles exchanged and averaged: unbiased. Halves of linear samples,
// where skew takes away what a sample shares with itself; thirds of others.
//
//   #include <landfall/landing/sampled.hpp>
//   landfall::SampledOracle<double> oracle(samples, {.estimator = landfall::Estimator::split}, {{}, {}});
#pragma once

#include <landfall/landing/estimators/estimator.hpp>

namespace landfall {

template <class S>
class SplitEstimator final : public FieldEstimator<S> {
 public:
  void start(Samples<S>& samples, const SamplingOptions& options) override;
  Index least_batch() const override { return linear_ ? 4 : 3; }
  double estimate(const Point<S>& x, Index rows, SampleReader<S>& reader, FieldBuilder<S>& field) override;

 private:
  double halves(const Point<S>& x, Index rows, SampleReader<S>& reader, FieldBuilder<S>& field);
  double thirds(const Point<S>& x, Index rows, SampleReader<S>& reader, FieldBuilder<S>& field);

  LinearSamples<S>* linear_ = nullptr;
  Point<S> g1_, g2_, y1_, y2_, other_;
};

extern template class SplitEstimator<float>;
extern template class SplitEstimator<double>;

}  // namespace landfall
