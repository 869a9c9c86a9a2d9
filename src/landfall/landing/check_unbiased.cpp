#include <landfall/errors.hpp>
#include <landfall/landing/check_unbiased.hpp>
#include <landfall/landing/sampled.hpp>

#include <cmath>

#include <fmt/format.h>

namespace landfall {

template <class S>
double check_unbiased(const std::shared_ptr<Samples<S>>& samples, const Point<S>& x,
                      const SamplingOptions& options, int draws) {
  const Estimator estimator = options.estimator;
  if (estimator != Estimator::shared && estimator != Estimator::split && estimator != Estimator::ustat)
    throw UsageError(fmt::format(
        "the {} estimator remembers earlier batches; expected shared, split or ustat", to_string(estimator)));
  if (draws < 2) throw UsageError(fmt::format("{} draws, expected at least 2", draws));
  const std::vector<FieldOptions<S>> fields(x.size(), FieldOptions<S>{.normal = Normal::newton});
  const Pull pull{.attraction = 0.25, .step = 1, .omega = 1};

  FieldValue<S> exact, drawn;
  SampledOracle<S> all(samples, {.estimator = Estimator::shared, .batch = samples->count()}, fields);
  all.field(x, pull, exact);

  SampledOracle<S> oracle(samples, options, fields);
  std::vector<Matrix<double>> sum, squares;  // of the differences
  for (const auto& block : x) {
    sum.push_back(Matrix<double>::Zero(block.rows(), block.cols()));
    squares.push_back(sum.back());
  }
  for (int t = 0; t < draws; ++t) {
    oracle.field(x, pull, drawn);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Matrix<double> difference = (drawn.lambda[i] - exact.lambda[i]).template cast<double>();
      sum[i] += difference;
      squares[i] += difference.cwiseAbs2();
    }
  }
  double bias = 0, variance = 0;
  const auto count = static_cast<double>(draws);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Matrix<double> mean = sum[i] / count;
    bias += mean.squaredNorm();
    variance += (squares[i] / count - mean.cwiseAbs2()).sum() / (count - 1);
  }
  return variance > 0 ? std::sqrt(bias / variance) : bias > 0 ? std::numeric_limits<double>::infinity() : 0;
}

template double check_unbiased<float>(const std::shared_ptr<Samples<float>>&, const Point<float>&,
                                      const SamplingOptions&, int);
template double check_unbiased<double>(const std::shared_ptr<Samples<double>>&, const Point<double>&,
                                       const SamplingOptions&, int);

}  // namespace landfall
