// One batch for the gradient and both B. Biased: the same samples meet each other.
//
//   #include <landfall/landing/sampled.hpp>
//   landfall::SampledOracle<double> oracle(samples, {.estimator = landfall::Estimator::shared}, {{}, {}});
#pragma once

#include <landfall/landing/estimators/estimator.hpp>

namespace landfall {

template <class S>
class SharedEstimator final : public FieldEstimator<S> {
 public:
  void start(Samples<S>& samples, const SamplingOptions& options) override;
  double estimate(const Point<S>& x, Index rows, SampleReader<S>& reader, FieldBuilder<S>& field) override;

 private:
  Point<S> g_, y_;
};

extern template class SharedEstimator<float>;
extern template class SharedEstimator<double>;

}  // namespace landfall
