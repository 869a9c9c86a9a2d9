// Canonical correlation analysis of rows as they come: a stream without an end, and an ordered result at any
// time.
//
//   landfall::OnlineCca<float> model({.components = 5});
//   model.partial_fit(batch, batch);          // left and right: any number of rows, any number of times
//   const auto result = model.result();
//   use(result.correlations, landfall::transform(result.views[0], batch));
//
// By landing (landing/online.hpp). The first rows are kept; until they are complete a result is fitted to
// them anew each time it is asked for. From then on each batch is one step, nothing that was seen is read
// again, and a result takes n x p products alone. Memory does not depend on how many rows were seen, and the
// result does not depend on how they were cut into batches.
#pragma once

#include <landfall/data/rows/online_rows.hpp>
#include <landfall/landing/online.hpp>
#include <landfall/models/cca/cca.hpp>

namespace landfall {

struct OnlineCcaOptions {
  Index components = 1;              // p
  std::optional<double> ridge = {};  // absolute
  double relative_ridge = 1e-3;  // times the mean variance of the first rows, where no absolute one is given
  Index batch = 0;               // rows per step; 0: 128 (sparse 1024), or 8p if that is more
  Index first_rows = 4096;       // to keep; fewer where they take a quarter of the memory
  std::optional<Index> guard = {};                // columns beside the p; unset: 4, or p/4 if that is more
  std::uint64_t memory = std::uint64_t{2} << 30;  // bytes
  std::uint64_t seed = 0;
};

template <class S>
class OnlineCca {
 public:
  explicit OnlineCca(const OnlineCcaOptions& options);

  /// Rows that belong together, dense or sparse, always of the same widths; none is nothing. Where an error
  /// is thrown for what is in them, none of them was taken.
  void partial_fit(const Batch<S>& left, const Batch<S>& right);

  /// What is known so far. Correlations are those of the rows seen, as the estimator knows them; rows that
  /// wait for a batch to be full, fewer than one batch, do not count once the first rows are complete.
  /// UsageError before the first row, NumericalError before the rows have rank p.
  CcaResult<S> result() const;

 private:
  void begin();
  std::unique_ptr<OnlineLanding<S>> start(bool more) const;
  CcaResult<S> finish(const OnlineLanding<S>& landing) const;
  double ridge(std::size_t view) const;

  OnlineCcaOptions options_;
  std::optional<OnlineRows<S>> rows_;
  std::unique_ptr<OnlineLanding<S>> landing_;  // once the first rows are complete
  std::array<double, 2> ridge_{};              // from then on
};

extern template class OnlineCca<float>;
extern template class OnlineCca<double>;

}  // namespace landfall
