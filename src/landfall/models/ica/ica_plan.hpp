// What fit_ica would cost, without doing it.
//
//   #include <landfall/data/formats/open_source.hpp>
//   auto data = landfall::open_source<float>("mixtures.npy");
//   const auto cost = landfall::plan_ica<float>(*data, {});
//   use(cost.bytes, cost.seconds);
#pragma once

#include <landfall/models/fit/plan.hpp>
#include <landfall/models/ica/ica.hpp>

namespace landfall {

/// By landing, the only method there is.
template <class S>
Cost plan_ica(Source<S>& data, const IcaOptions& options);

extern template Cost plan_ica<float>(Source<float>&, const IcaOptions&);
extern template Cost plan_ica<double>(Source<double>&, const IcaOptions&);

}  // namespace landfall
