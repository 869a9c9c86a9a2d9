// Rows of ICA that are in memory before the method starts, and where sources are looked for.
//
//   landfall::Source<float>* source = nullptr;
//   landfall::Fit<float>* fit = nullptr;    // of the pipeline
//   landfall::IcaRows<float> rows{.rows = 100000, .batch = 1024};
//   landfall::read_rows(*source, *fit, 5, rows);        // first rows, and all where they may be kept
//   landfall::find_directions(*fit, 5, false, rows);    // the whitening
//   use(rows.in_memory(), rows.whitening->rank());
#pragma once

#include <landfall/models/fit/pipeline.hpp>
#include <landfall/models/ica/ica_start.hpp>

#include <functional>
#include <optional>

namespace landfall {

template <class S>
struct IcaRows {
  Index rows = 0, batch = 0;  // of all; of a step
  InMemoryBatches<S> first = {};
  InMemoryBatches<S> kept = {};  // all rows, where they fit in memory
  std::function<InMemoryBatches<S>()> shuffled =
      {};                                   // these in random order, where they are in that of the file
  std::optional<Whitening> whitening = {};  // unset where n x n numbers do not fit
  bool reduced = false;                     // the whitening is of p principal components
  bool complete = false;                    // all rows are in memory: kept, or else first

  const InMemoryBatches<S>& in_memory() const { return kept.empty() ? first : kept; }
};

/// Whether rows in memory are looked at as a whole before landing: Newton steps from where the first rows have led.
bool tries_newton(const IcaOptions& options);

/// Whether all rows may be kept in memory, in any order: then only one reading follows that for the mean.
template <class S>
bool keeps_rows(const Source<S>& source, const IcaOptions& options, Index n, Index rows);

/// Sets first, kept, shuffled and complete. The source and the stream must outlive `shuffled`.
template <class S>
void read_rows(Source<S>& source, Fit<S>& fit, Index p, IcaRows<S>& rows);

/// The rank, p, and the whitening: of the first rows where nothing more is needed. `asked`: components, 0 for the rank;
/// `every_row`: the whitening must be that of all rows.
template <class S>
void find_directions(Fit<S>& fit, Index asked, bool every_row, IcaRows<S>& rows);

#define LANDFALL_ICA_ROWS(EXTERN, S)                                                     \
  EXTERN template bool keeps_rows<S>(const Source<S>&, const IcaOptions&, Index, Index); \
  EXTERN template void read_rows<S>(Source<S>&, Fit<S>&, Index, IcaRows<S>&);            \
  EXTERN template void find_directions<S>(Fit<S>&, Index, bool, IcaRows<S>&);
LANDFALL_ICA_ROWS(extern, float)
LANDFALL_ICA_ROWS(extern, double)

}  // namespace landfall
