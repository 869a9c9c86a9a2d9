// Second moments of all samples so far, exact after the first pass: n^2 memory, linear samples only.
//
//   #include <landfall/landing/sampled.hpp>
//   landfall::SampledOracle<double> oracle(samples, {.estimator = landfall::Estimator::averaged}, {{}, {}});
#pragma once

#include <landfall/landing/estimators/estimator.hpp>

namespace landfall {

template <class S>
class AveragedEstimator final : public FieldEstimator<S> {
 public:
  void start(Samples<S>& samples, const SamplingOptions& options) override;
  double estimate(const Point<S>& x, Index rows, SampleReader<S>& reader, FieldBuilder<S>& field) override;
  void state(State& state) override;

 private:
  void absorb(Index rows);

  LinearSamples<S>* linear_ = nullptr;
  Matrix<S> moments_;   // the sum of a a' over all blocks stacked, of the samples of this rank
  Index absorbed_ = 0;  // samples of all ranks
  Point<S> g_, y_;
};

extern template class AveragedEstimator<float>;
extern template class AveragedEstimator<double>;

}  // namespace landfall
