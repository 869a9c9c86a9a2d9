// S Z and the ascent direction over the first rows, which are in memory.
//
//   std::shared_ptr<landfall::InMemorySamples<float>> first;
//   landfall::FirstRows<float> multiply(*first);
//   landfall::RitzBasis<float> basis;
//   basis.z = {landfall::Matrix<float>::Random(392, 5), landfall::Matrix<float>::Random(392, 5)};
//   multiply(basis);
//   use(basis.sz, basis.ascent);
#pragma once

#include <landfall/landing/subspace/ritz_basis.hpp>
#include <landfall/landing/view_samples.hpp>
#include <landfall/parallel/cancel.hpp>

namespace landfall {

template <class S>
class FirstRows {
 public:
  /// Rows of `more` join the first ones; their weights are shares of the mean.
  explicit FirstRows(const InMemorySamples<S>& first, const WeightedRows<S>* more = nullptr,
                     const CancelFlag& cancel = {})
      : first_(first), more_(more), cancel_(cancel), sums_(first.objective()) {}

  void operator()(RitzBasis<S>& basis);

 private:
  const InMemorySamples<S>& first_;
  const WeightedRows<S>* more_;
  CancelFlag cancel_;
  RowSums<S> sums_;
};

extern template class FirstRows<float>;
extern template class FirstRows<double>;

}  // namespace landfall
