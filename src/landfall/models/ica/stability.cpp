#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/models/ica/stability.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall {
namespace {

constexpr std::size_t kMostNamed = 10;  // sources in a warning

/// |w_i' S w_j| of all sources of all runs, where S w_j is the mixing column.
Matrix<double> similarities(const std::vector<IcaSources>& runs, Index p) {
  const auto count = static_cast<Index>(runs.size());
  Matrix<double> similarity(count * p, count * p);
  for (Index a = 0; a < count; ++a)
    for (Index b = 0; b < count; ++b)
      multiply_at<double>(runs[static_cast<std::size_t>(a)].weights, runs[static_cast<std::size_t>(b)].mixing,
                          similarity.block(a * p, b * p, p, p));
  similarity = similarity.cwiseAbs().cwiseMin(1.0).eval();
  return (similarity + similarity.transpose()) / 2;
}

}  // namespace

IcaStability stability_of(const std::vector<IcaSources>& runs) {
  const Index p = runs.front().weights.cols(), count = static_cast<Index>(runs.size());
  std::vector<Index> run;
  for (Index k = 0; k < count; ++k) run.insert(run.end(), static_cast<std::size_t>(p), k);
  SourceClusters found = cluster_sources(similarities(runs, p), run, p);
  IcaStability stability{.runs = count,
                         .clusters = std::move(found.clusters),
                         .cluster = {found.of.begin(), found.of.begin() + p},
                         .centrotypes = Matrix<double>(runs.front().weights.rows(), p),
                         .departure = {}};
  stability.departure.setZero(p);
  for (Index c = 0; c < p; ++c) {
    const SourceCluster& cluster = stability.clusters[static_cast<std::size_t>(c)];
    for (const Index member : cluster.members)
      if (const auto& of_run = runs[static_cast<std::size_t>(member / p)].departure; of_run.size() > 0)
        stability.departure(c) += of_run(member % p) / static_cast<double>(cluster.size());
    const Index centrotype = cluster.centrotype;
    stability.centrotypes.col(c) = runs[static_cast<std::size_t>(centrotype / p)].weights.col(centrotype % p);
  }
  return stability;
}

Index stable_sources(const IcaStability& stability) {
  Index count = 0;
  for (std::size_t c = 0; c < stability.clusters.size(); ++c)
    count += stability.is_stable(stability.clusters[c]) &&
             stability.departure(static_cast<Index>(c)) >= kDeparture;
  return count;
}

void require_cluster_memory(Index p, Index runs, std::uint64_t memory) {
  const double sources = static_cast<double>(p) * static_cast<double>(runs),
               bytes = 3 * sizeof(double) * sources * sources;
  if (bytes > static_cast<double>(memory))
    throw UsageError(fmt::format(
        "the similarities of {} sources of {} runs need {} of the {} allowed; expected fewer restarts "
        "or more memory",
        p, runs, memory_text(static_cast<std::uint64_t>(bytes)), memory_text(memory)));
}

template <class S>
IcaStability ica_stability(Source<S>& data, const IcaResult<S>& result, const IcaOptions& options,
                           int restarts) {
  const Index p = result.signs.size();
  require_cluster_memory(p, restarts + 1, options.memory);
  IcaRestarts<S> starts(data, options, p);
  std::vector<IcaSources> runs{sources_of(result)};
  for (IcaSources& run : starts.runs(p, restarts)) runs.push_back(std::move(run));
  return stability_of(runs);
}

std::string stability_warning(const IcaStability& stability) {
  if (stability.runs < 2) return {};
  std::vector<Index> unstable;
  Index worst = -1;
  for (Index j = 0; j < stability.sources(); ++j) {
    if (stability.is_stable(j)) continue;
    unstable.push_back(j + 1);
    if (worst < 0 || stability.of(j).quality() < stability.of(worst).quality()) worst = j;
  }
  if (unstable.empty()) return {};
  const std::size_t count = unstable.size();
  const std::string example = fmt::format("Iq {:.2f}, found in {} of {} runs", stability.of(worst).quality(),
                                          stability.of(worst).runs, stability.runs);
  if (count == 1)
    return fmt::format(
        "source {} does not come back from other starts and halves of the rows ({}): do not interpret it",
        unstable[0], example);
  const std::string named =
      count > kMostNamed
          ? fmt::format("{} of {} sources do", count, stability.sources())
          : fmt::format("sources {} and {} do", fmt::join(unstable.begin(), unstable.end() - 1, ", "),
                        unstable.back());
  return fmt::format(
      "{} not come back from other starts and halves of the rows (source {}: {}): do not interpret them",
      named, worst + 1, example);
}

template IcaStability ica_stability<float>(Source<float>&, const IcaResult<float>&, const IcaOptions&, int);
template IcaStability ica_stability<double>(Source<double>&, const IcaResult<double>&, const IcaOptions&,
                                            int);

}  // namespace landfall
