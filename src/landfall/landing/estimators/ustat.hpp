// The U-statistic: the mean of the field over all ordered triples of distinct samples of one batch,
// so that no sample meets itself and the estimate is unbiased at the variance of the whole batch.
// O(r^2 n + r n p) work for r samples.
//
//   landfall::UStatistic<double> estimate;
//   linear.draw(128);
//   linear.project(0, 128, point);
//   estimate(linear, point, 0, k.get(), landfall::Normal::gradient, omega, lambda);    // of block 0
#pragma once

#include <landfall/landing/estimators/estimator.hpp>

namespace landfall {

template <class S>
class UStatistic {
 public:
  /// The estimate for one block; samples.project() has been called for the whole
  /// batch at x. k may be null (K = I).
  void operator()(const LinearSamples<S>& samples, const Point<S>& x, std::size_t block,
                  const Preconditioner<S>* k, Normal normal, S omega, Matrix<S>& lambda);

  /// X'BX - I as seen by the batch.
  const Matrix<S>& residual() const { return residual_; }

 private:
  // rows_ (r x p) collects what A' is multiplied with, once.
  Scratch<S> ka_, gram_, crossed_, meet_, rows_, kappa_;
  Matrix<S> kx_, small_, xkx_, residual_, accumulated_;
};

template <class S>
class UStatisticEstimator final : public FieldEstimator<S> {
 public:
  /// UsageError for samples that are not linear, or divided among ranks: every sample meets every other.
  void start(Samples<S>& samples, const SamplingOptions& options) override;
  Index least_batch() const override { return 3; }
  double estimate(const Point<S>& x, Index rows, SampleReader<S>& reader, FieldBuilder<S>& field) override;

 private:
  LinearSamples<S>* linear_ = nullptr;
  UStatistic<S> statistic_;
};

#define LANDFALL_USTAT(EXTERN, S)      \
  EXTERN template class UStatistic<S>; \
  EXTERN template class UStatisticEstimator<S>;
LANDFALL_USTAT(extern, float)
LANDFALL_USTAT(extern, double)

}  // namespace landfall
