// Several fits of the same files at once, such as those of cross-validation, that share the reading.
//
//   std::vector<landfall::Source<float>*> views;                    // read again from their first row
//   landfall::fit_together<float>(views, 5, 5, [](int k, std::vector<landfall::SourcePtr<float>> sources) {
//     use(k, std::move(sources));                                   // on a thread of its own
//   });
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/models/fit/plan.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace landfall {

/// Calls fit(k, sources) for k = 0, ..., fits - 1, as many as `at_once` at a time. The exception of the first that threw is thrown
/// again once all of its group have ended.
template <class S>
void fit_together(const std::vector<Source<S>*>& views, int fits, int at_once,
                  const std::function<void(int, std::vector<SourcePtr<S>>)>& fit);

/// How many of these fits, each by the method of the plan, fit in memory at once; at least 1.
int fits_in_memory(int fits, const Plan& plan, std::uint64_t memory);

extern template void fit_together<float>(const std::vector<Source<float>*>&, int, int,
                                         const std::function<void(int, std::vector<SourcePtr<float>>)>&);
extern template void fit_together<double>(const std::vector<Source<double>*>&, int, int,
                                          const std::function<void(int, std::vector<SourcePtr<double>>)>&);

}  // namespace landfall
