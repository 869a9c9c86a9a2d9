// Independent component analysis of endless streams: rows arrive in a stream, and an ordered result at any time.
//
//   landfall::OnlineIca<float> model({.components = 5});
//   model.partial_fit(batch);                 // any number of rows, any number of times
//   const auto result = model.result();
//   use(result.unmixing(), result.negentropy, landfall::transform(result.views[0], batch));
//
// As OnlineCca: first rows that are kept, on which the signs of the sources are found (ica_start.hpp), then
// one step of landing for each batch. Signs are checked again as rows arrive; where one was wrong, the
// estimate restarts with the other. A result ends with the Newton step of ICA from what the estimator
// knows, without another pass over the rows. Directions without variance in the first rows stay out
// (whitening.hpp).
#pragma once

#include <landfall/data/rows/online_rows.hpp>
#include <landfall/landing/online.hpp>
#include <landfall/models/ica/components.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/parallel/cancel.hpp>

namespace landfall {

/// Defaults as IcaOptions; p = the columns that vary in the first rows.
using OnlineIcaOptions = OnlineOptions;

template <class S>
class OnlineIca {
 public:
  explicit OnlineIca(const OnlineIcaOptions& options = {});

  /// Rows, dense or sparse, always of the same width; none is nothing. Where an error is thrown for what is
  /// in them, none of them was taken.
  /// Weights: one for each row, as in a planned fit (models.md); none: all 1. Cancelled between two batches: the rows before were taken.
  void partial_fit(const Batch<S>& rows, std::span<const double> weights = {}, const CancelFlag& cancel = {});

  /// What is known so far; rows that wait for a batch to be full do not count once the first rows are
  /// complete. UsageError before the first row, NumericalError before the rows have rank p.
  IcaResult<S> result() const;

  /// As OnlineCca::state().
  void state(State& state);

 private:
  /// Landing with what the Newton step needs beside it.
  struct Run {
    double ridge = 0;
    std::shared_ptr<Vector<S>> weights;  // of f
    std::unique_ptr<OnlineLanding<S>> landing;
    Vector<double> value, curvature;  // E g(y) and E g''(y), running
  };

  Run start(bool more) const;
  void step(std::vector<CentredBatch<S>>& rows);
  ComponentMoments moments(const Run& run) const;
  IcaResult<S> finish(const Run& run) const;

  OnlineIcaOptions options_;
  std::optional<OnlineRows<S>> rows_;
  std::optional<Run> run_;  // once the first rows are complete
};

extern template class OnlineIca<float>;
extern template class OnlineIca<double>;

}  // namespace landfall
