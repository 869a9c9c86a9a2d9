#include <landfall/models/ica/source_clusters.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

namespace landfall {
namespace {

/// Two clusters become one. A cluster is named by one of its members.
struct Merge {
  Index kept, gone;
  double height;  // the mean dissimilarity of their members
};

/// Average linkage by chains of nearest neighbours (Murtagh 1983), which merge the same clusters as always merging the nearest two, but in
/// another order: that of the heights.
std::vector<Merge> average_linkage(Matrix<double> distance) {
  const Index count = distance.rows();
  std::vector<Index> active(static_cast<std::size_t>(count)), chain;
  std::iota(active.begin(), active.end(), Index{0});
  Vector<double> size = Vector<double>::Ones(count);
  std::vector<Merge> merges;
  while (active.size() > 1) {
    if (chain.empty()) chain.push_back(active.front());
    const Index last = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
    Index nearest = before;
    for (const Index other : active)
      if (other != last && (nearest < 0 || distance(other, last) < distance(nearest, last))) nearest = other;
    if (nearest != before) {
      chain.push_back(nearest);
      continue;
    }
    const Index kept = std::min(last, before), gone = std::max(last, before);
    merges.push_back({kept, gone, distance(kept, gone)});
    chain.resize(chain.size() - 2);
    std::erase(active, gone);
    const double a = size(kept), b = size(gone);
    for (const Index other : active)
      if (other != kept)
        distance(other, kept) = distance(kept, other) =
            (a * distance(other, kept) + b * distance(other, gone)) / (a + b);
    size(kept) = a + b;
  }
  std::ranges::stable_sort(merges, {}, &Merge::height);
  return merges;
}

/// The cluster of each estimate after these merges, numbered in the order of their first members.
std::vector<Index> numbered(Index estimates, std::span<const Merge> merges) {
  std::vector<Index> parent(static_cast<std::size_t>(estimates));
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&](Index i) {
    while (parent[static_cast<std::size_t>(i)] != i) i = parent[static_cast<std::size_t>(i)];
    return i;
  };
  for (const Merge& merge : merges) {
    const Index a = root(merge.kept), b = root(merge.gone);
    parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  std::vector<Index> number(parent.size(), -1), of;
  Index count = 0;
  for (Index i = 0; i < estimates; ++i) {
    Index& known = number[static_cast<std::size_t>(root(i))];
    if (known < 0) known = count++;
    of.push_back(known);
  }
  return of;
}

void describe(SourceCluster& cluster, const Matrix<double>& similarity, const std::vector<Index>& run) {
  const auto& members = cluster.members;
  std::set<Index> runs;
  double inside = 0, all = 0, most = -1;
  for (const Index i : members) {
    runs.insert(run[static_cast<std::size_t>(i)]);
    const double to_members = similarity.col(i)(members).sum() - similarity(i, i);
    inside += to_members;
    all += similarity.col(i).sum() - similarity(i, i);
    if (to_members > most) {
      most = to_members;
      cluster.centrotype = i;
    }
  }
  const double size = static_cast<double>(members.size()),
               others = static_cast<double>(similarity.rows()) - size;
  cluster.runs = static_cast<Index>(runs.size());
  if (size > 1) cluster.within = inside / (size * (size - 1));
  if (others > 0) cluster.between = (all - inside) / (size * others);
}

}  // namespace

SourceClusters cluster_sources(const Matrix<double>& similarity, const std::vector<Index>& run, Index count) {
  const Index estimates = similarity.rows();
  const auto merges = average_linkage(1 - similarity.array());
  const auto made = static_cast<std::size_t>(std::max<Index>(0, estimates - count));
  SourceClusters found{.clusters = {}, .of = numbered(estimates, std::span(merges).first(made))};
  for (Index i = 0; i < estimates; ++i) {
    const auto number = static_cast<std::size_t>(found.of[static_cast<std::size_t>(i)]);
    if (number == found.clusters.size()) found.clusters.emplace_back();
    found.clusters[number].members.push_back(i);
  }
  for (SourceCluster& cluster : found.clusters) describe(cluster, similarity, run);
  return found;
}

}  // namespace landfall
