// Which sources of an ICA come back from other starting points and on other halves of the rows: the others are accidents.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto source = landfall::open_source<float>("mixtures.npy");
//   landfall::IcaResult<float> result;
//   const auto stability = landfall::ica_stability<float>(*source, result, {}, 10);
//   for (landfall::Index j = 0; j < stability.sources(); ++j) use(stability.of(j).quality(), stability.is_stable(j));
//   use(landfall::stability_warning(stability));
#pragma once

#include <landfall/models/ica/ica_restarts.hpp>
#include <landfall/models/ica/source_clusters.hpp>

#include <string>

namespace landfall {

/// A cluster is stable where its quality Iq is at least this, and at least this share of the runs has a source in it.
inline constexpr double kStableQuality = 0.8, kStableShare = 0.8;
/// Sources are not Gaussian where their departure, on average over the members of a cluster, is at least so many standard errors.
inline constexpr double kDeparture = 3;

struct IcaStability {
  Index runs = 0;  // that did not fail, with the result as the first of them; 0: none were made
  std::vector<SourceCluster> clusters;  // as many as sources; those of the sources of the result first
  std::vector<Index> cluster;           // of each source of the result
  Matrix<double> centrotypes;  // weights of the centrotype of each cluster, a row for each column of the file

  Vector<double> departure;  // of the members of each cluster from a Gaussian source, on average (IcaSources)

  Index sources() const { return static_cast<Index>(cluster.size()); }
  const SourceCluster& of(Index source) const {
    return clusters[static_cast<std::size_t>(cluster[static_cast<std::size_t>(source)])];
  }
  bool is_stable(Index source) const { return is_stable(of(source)); }
  bool is_stable(const SourceCluster& one) const {
    return one.quality() >= kStableQuality &&
           static_cast<double>(one.runs) >= kStableShare * static_cast<double>(runs);
  }
};

/// Clusters that are stable and not Gaussian. Where all other sources are found, one direction is left over: it is found in every run, also if it is
/// Gaussian noise.
Index stable_sources(const IcaStability& stability);

/// Of runs with the same number of sources, of which the first is the one to tell about. Member k p + j of a cluster is source j of run k.
IcaStability stability_of(const std::vector<IcaSources>& runs);

/// Fits again `restarts` times, from other starts and on halves of the rows (ica_restarts.hpp), and clusters the sources of all runs by their absolute correlations, which
/// follow from weights and mixing matrices: no scores are compared. A restart that fails numerically does not count. UsageError where the
/// similarities of all sources do not fit in options.memory.
template <class S>
IcaStability ica_stability(Source<S>& data, const IcaResult<S>& result, const IcaOptions& options,
                           int restarts);

/// One sentence that names the sources that are not stable; empty where all are, or there were no restarts.
std::string stability_warning(const IcaStability& stability);

/// UsageError where the similarities of p sources of so many runs do not fit in memory.
void require_cluster_memory(Index p, Index runs, std::uint64_t memory);

extern template IcaStability ica_stability<float>(Source<float>&, const IcaResult<float>&, const IcaOptions&,
                                                  int);
extern template IcaStability ica_stability<double>(Source<double>&, const IcaResult<double>&,
                                                   const IcaOptions&, int);

}  // namespace landfall
