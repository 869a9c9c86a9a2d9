// Checks whether the estimate of the landing field is right on average: its mean over many batches against the field of all
// samples.
//
//   const double ratio = landfall::check_unbiased<double>(samples, point, {.batch = 32});
//   use(ratio);    // about 1 where it is unbiased; grows as the root of the number of draws where it is not
#pragma once

#include <landfall/landing/estimators/estimator.hpp>

namespace landfall {

/// ||mean of the estimates - field|| over its standard error, the root of the summed variances over `draws`. Batches are drawn
/// without replacement, so it may also be less than 1. For estimators that remember nothing (shared, split, ustat):
/// UsageError for another.
template <class S>
double check_unbiased(const std::shared_ptr<Samples<S>>& samples, const Point<S>& x,
                      const SamplingOptions& options, int draws = 1000);

extern template double check_unbiased<float>(const std::shared_ptr<Samples<float>>&, const Point<float>&,
                                             const SamplingOptions&, int);
extern template double check_unbiased<double>(const std::shared_ptr<Samples<double>>&, const Point<double>&,
                                              const SamplingOptions&, int);

}  // namespace landfall
