// Canonical correlation analysis of endless streams: rows arrive in a stream, and an ordered result at any time.
//
//   landfall::OnlineCca<float> model({.components = 5});
//   model.partial_fit(batch, batch);          // left and right: any number of rows, any number of times
//   const auto result = model.result();
//   use(result.correlations, landfall::transform(result.views[0], batch));
//
// By landing (landing/subspace). The first rows are kept; until they are complete a result is fitted to
// them anew each time it is asked for. From then on each batch is one step, nothing that was seen is read
// again, and a result takes n x p products alone. Memory does not depend on how many rows were seen, and the
// result does not depend on how they were cut into batches.
#pragma once

#include <landfall/data/rows/online_rows.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/fit/online_landing.hpp>
#include <landfall/parallel/cancel.hpp>

namespace landfall {

/// Defaults as CcaOptions. An automatic ridge is chosen on the first rows, in rows, and falls as more of them are seen.
using OnlineCcaOptions = OnlineOptions;

template <class S>
class OnlineCca {
 public:
  explicit OnlineCca(const OnlineCcaOptions& options);

  /// Rows that belong together, dense or sparse, always of the same widths; none is nothing. Where an error
  /// is thrown for what is in them, none of them was taken.
  /// Weights: one for each row, as in a planned fit (models.md); none: all 1. Cancelled between two batches: the rows before were taken.
  void partial_fit(const Batch<S>& left, const Batch<S>& right, std::span<const double> weights = {},
                   const CancelFlag& cancel = {});

  /// What is known so far. Correlations are those of the rows seen, as the estimator knows them; rows that
  /// wait for a batch to be full, fewer than one batch, do not count once the first rows are complete.
  /// UsageError before the first row, NumericalError before the rows have rank p.
  CcaResult<S> result() const;

  /// Saves or restores; a restored model of the same options continues to the same bits. Needs options.saved.
  void state(State& state);

 private:
  OnlineRows<S> make_rows(const OnlineRowsOptions& options) const;
  void begin();
  OnlineRidge choose_ridge() const;
  std::unique_ptr<SubspaceLanding<S>> start(const OnlineRidge& ridge, bool more) const;
  CcaResult<S> finish(const SubspaceLanding<S>& landing, const OnlineRidge& ridge) const;

  OnlineCcaOptions options_;
  std::optional<OnlineRows<S>> rows_;
  std::unique_ptr<SubspaceLanding<S>> landing_;  // once the first rows are complete
  OnlineRidge ridge_ = {};                       // from then on
  Index components_ = 0;                         // p, from the first batch on
};

extern template class OnlineCca<float>;
extern template class OnlineCca<double>;

}  // namespace landfall
