// How often the sources of an ICA come back from other starting points: what does not is an accident of the start.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto source = landfall::open_source<float>("mixtures.npy");
//   landfall::IcaResult<float> result;
//   const auto stability = landfall::ica_stability<float>(*source, result, {}, 10);
//   use(stability.returned, stability.similarity);
#pragma once

#include <landfall/models/ica/ica.hpp>

namespace landfall {

struct IcaStability {
  int restarts = 0;  // that converged to something; 0: none were made
  std::vector<Index>
      returned;  // of these, how often a source correlates with one of the restart by more than 0.9
  Vector<double> similarity;  // the mean of the largest correlations, without their signs
};

/// Fits again from other seeds, and compares each source with its nearest of every restart, as ICASSO does (Himberg and others 2004).
/// Correlations follow from weights and mixing matrices: no scores are compared. A restart that fails numerically does not count.
template <class S>
IcaStability ica_stability(Source<S>& data, const IcaResult<S>& result, const IcaOptions& options,
                           int restarts);

extern template IcaStability ica_stability<float>(Source<float>&, const IcaResult<float>&, const IcaOptions&,
                                                  int);
extern template IcaStability ica_stability<double>(Source<double>&, const IcaResult<double>&,
                                                   const IcaOptions&, int);

}  // namespace landfall
