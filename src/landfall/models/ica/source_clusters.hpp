// Clusters of the sources of several ICA runs, as ICASSO makes them (Himberg, Hyvarinen and Esposito 2004): estimates of the same source
// are alike in every run and unlike the others.
//
//   // Two runs with two sources each: the second finds them in the other order.
//   landfall::Matrix<double> similarity(4, 4);
//   similarity << 1, 0, 0.1, 1, 0, 1, 1, 0.1, 0.1, 1, 1, 0, 1, 0.1, 0, 1;
//   const auto found = landfall::cluster_sources(similarity, {0, 0, 1, 1}, 2);
//   use(found.of[0] == found.of[3], found.clusters[0].quality());
#pragma once

#include <landfall/linalg/types.hpp>

#include <vector>

namespace landfall {

struct SourceCluster {
  std::vector<Index> members;  // estimates, ascending
  Index runs = 0;              // that these are from
  double within = 0;           // the mean similarity of two of its members; 0 where there is only one
  double between = 0;          // of a member and an estimate of another cluster; 0 where there is none
  Index centrotype = 0;        // the member that is most similar to the others

  Index size() const { return static_cast<Index>(members.size()); }
  /// Iq: near 1 where a cluster is compact and apart from the others.
  double quality() const { return within - between; }
};

struct SourceClusters {
  std::vector<SourceCluster> clusters;  // in the order of their first members
  std::vector<Index> of;                // the cluster of each estimate
};

/// `count` clusters of estimates, numbered as the rows of `similarity`, which has the absolute correlation of any two. `run` is the number
/// of the run that each is from. Agglomerative, with average linkage on 1 - similarity: in time and memory M^2 for M estimates.
SourceClusters cluster_sources(const Matrix<double>& similarity, const std::vector<Index>& run, Index count);

}  // namespace landfall
