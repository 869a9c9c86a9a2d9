// A source that reports its progress: for the readings before and after the steps of a method.
//
//   ProgressLine line(standard_error(), !quiet);
//   auto source = watched(open_source<float>("left.npy"), line);
#pragma once

#include <landfall/data/rows/source.hpp>

#include "terminal/progress.hpp"

namespace landfall::app {

/// Ranks that read at the same time as this one, as many rows each. Where all of them read one source, `shares` is how many
/// parts they divide it into.
struct ReadTogether {
  int ranks = 1, shares = 1;
};

/// The same rows. The line must live longer, and so must `rows`, which becomes the number of rows when it is known.
template <class S>
SourcePtr<S> watched(SourcePtr<S> source, ProgressLine& line, std::optional<Index>* rows = nullptr,
                     const ReadTogether& together = {});

extern template SourcePtr<float> watched<float>(SourcePtr<float>, ProgressLine&, std::optional<Index>*,
                                                const ReadTogether&);
extern template SourcePtr<double> watched<double>(SourcePtr<double>, ProgressLine&, std::optional<Index>*,
                                                  const ReadTogether&);

}  // namespace landfall::app
