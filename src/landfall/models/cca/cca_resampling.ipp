// Permutations and the bootstrap of a fit, where its options ask for them; for cca.cpp.
#pragma once

#include <landfall/models/cca/cca.hpp>
#include <landfall/models/fit/pipeline.hpp>

namespace landfall {

template <class S>
void resample(Fit<S>& fit, CcaResult<S>& result);

}  // namespace landfall
