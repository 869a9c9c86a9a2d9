// ICA by one of the baselines, which take whitened rows in memory, or batches as they are.
//
//   const landfall::BaselineOptions<float> options{.components = 10};
//   const landfall::Baseline& baseline = landfall::find_baseline("fastica", landfall::Problem::ica);
//   const landfall::Matrix<float> k;    // n x p: rows times k are white
//   const auto found =
//       landfall::solve_ica_baseline<float>(baseline, stream, landfall::Contrast::logcosh, options, count, k);
//   use(found.x[0]);    // one column per source
#pragma once

#include <landfall/baselines/registry.hpp>
#include <landfall/models/ica/contrast.hpp>

namespace landfall {

/// UsageError for a contrast other than log cosh, and where the rows of a method that keeps them do not fit in
/// memory.
void require_ica_baseline(const Baseline& baseline, Contrast contrast, Index n, Index p, Index rows,
                          std::size_t size, std::uint64_t memory);

/// Rows are whitened by k, n x p, where the method requires that.
template <class S>
Result<S> solve_ica_baseline(const Baseline& baseline, DataStream<S>& stream, Contrast contrast,
                             const BaselineOptions<S>& options, Index rows, const Matrix<S>& k);

#define LANDFALL_ICA_BASELINE(EXTERN, S)                                                     \
  EXTERN template Result<S> solve_ica_baseline<S>(const Baseline&, DataStream<S>&, Contrast, \
                                                  const BaselineOptions<S>&, Index, const Matrix<S>&);
LANDFALL_ICA_BASELINE(extern, float)
LANDFALL_ICA_BASELINE(extern, double)

}  // namespace landfall
