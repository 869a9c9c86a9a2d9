// Differences to a snapshot whose full products are known: variance and bias vanish as X nears it.
//
//   #include <landfall/landing/sampled.hpp>
//   landfall::SampledOracle<double> oracle(
//       samples, {.estimator = landfall::Estimator::svrg, .snapshot_every = 2}, {{}, {}});
#pragma once

#include <landfall/landing/estimators/estimator.hpp>

namespace landfall {

template <class S>
class SvrgEstimator final : public FieldEstimator<S> {
 public:
  void start(Samples<S>& samples, const SamplingOptions& options) override;
  /// Takes a snapshot when it is due, which is a pass over all samples.
  void before_batch(const Point<S>& x, SampleReader<S>& reader) override;
  double estimate(const Point<S>& x, Index rows, SampleReader<S>& reader, FieldBuilder<S>& field) override;
  void state(State& state) override;

 private:
  double every_ = 1;  // passes
  double next_ = 0;   // the pass of the next snapshot
  Point<S> snapshot_, snapshot_g_, snapshot_y_;
  Point<S> g_, at_snapshot_, y_, difference_;
};

extern template class SvrgEstimator<float>;
extern template class SvrgEstimator<double>;

}  // namespace landfall
