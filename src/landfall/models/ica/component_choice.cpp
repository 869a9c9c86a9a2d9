#include <landfall/errors.hpp>
#include <landfall/models/ica/component_choice.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kMostTried = 12, kMostByDefault = 50;
constexpr double kEnoughVariance = 0.95;

template <class S>
IcaGridRow tried(IcaRestarts<S>& starts, Index p, int restarts) {
  IcaGridRow row{.components = p, .explained = starts.explained(p)};
  const std::vector<IcaSources> runs = starts.runs(p, restarts + 1);
  row.runs = static_cast<Index>(runs.size());
  if (row.runs < 2) return row;
  const IcaStability stability = stability_of(runs);
  row.worst_quality = 1;
  for (const SourceCluster& cluster : stability.clusters) {
    row.mean_quality += cluster.quality() / static_cast<double>(p);
    row.worst_quality = std::min(row.worst_quality, cluster.quality());
  }
  row.stable = stable_sources(stability);
  return row;
}

bool has(const std::vector<IcaGridRow>& rows, Index p) {
  return std::ranges::find(rows, p, &IcaGridRow::components) != rows.end();
}

}  // namespace

std::vector<Index> component_grid(Index most) {
  if (most < 2) return {std::max<Index>(most, 1)};
  std::vector<Index> grid;
  if (most <= kMostTried + 1) {
    for (Index p = 2; p <= most; ++p) grid.push_back(p);
    return grid;
  }
  for (Index i = 0; i < kMostTried; ++i) {
    const double ratio = std::pow(static_cast<double>(most) / 2, static_cast<double>(i) / (kMostTried - 1));
    const auto p = static_cast<Index>(std::lround(2 * ratio));
    if (grid.empty() || p > grid.back()) grid.push_back(p);
  }
  return grid;
}

std::size_t chosen_row(const std::vector<IcaGridRow>& rows) {
  const auto most = std::ranges::max_element(rows, {}, &IcaGridRow::stable);  // the first of equal ones
  if (most->stable > 0) return static_cast<std::size_t>(most - rows.begin());
  const auto enough =
      std::ranges::find_if(rows, [](const IcaGridRow& row) { return row.explained >= kEnoughVariance; });
  return enough == rows.end() ? rows.size() - 1 : static_cast<std::size_t>(enough - rows.begin());
}

template <class S>
IcaGridResult choose_ica_components(Source<S>& data, const IcaOptions& options, const IcaGrid& grid) {
  if (grid.restarts < 1)
    throw UsageError(
        fmt::format("{} restarts, expected at least 1 to choose the number of components", grid.restarts));
  if (options.communicator && options.communicator->size() > 1)
    throw UsageError("the number of components is chosen in one process; expected a number of components");
  if (!data.rewindable())
    throw UsageError(fmt::format(
        "{}: can be read only once, but is read several times to choose the number of components; "
        "expected a file",
        data.name()));
  const Index wanted = grid.most > 0 ? grid.most : kMostByDefault;
  IcaRestarts<S> starts(data, options, wanted);
  if (starts.rank() == 0)
    throw UsageError(
        fmt::format("{}: the covariance of its {} columns, from which the number of components is chosen, "
                    "needs more than the {} "
                    "allowed; expected fewer columns or more memory",
                    data.name(), data.cols(), memory_text(options.memory)));
  const Index most = std::min(wanted, starts.rank());
  require_cluster_memory(most, grid.restarts + 1, options.memory);
  IcaGridResult result{.samples = starts.rows(), .rank = starts.rank(), .rows = {}};
  for (const Index p : component_grid(most)) {
    options.cancel.throw_if_requested();
    result.rows.push_back(tried(starts, p, grid.restarts));
  }
  // Between the numbers of the grid: as many as were stable, until nothing new comes up.
  for (;;) {
    const Index stable = result.rows[chosen_row(result.rows)].stable;
    if (stable < 2 || has(result.rows, stable)) break;
    options.cancel.throw_if_requested();
    result.rows.push_back(tried(starts, stable, grid.restarts));
    std::ranges::sort(result.rows, {}, &IcaGridRow::components);
  }
  result.chosen = chosen_row(result.rows);
  return result;
}

template IcaGridResult choose_ica_components<float>(Source<float>&, const IcaOptions&, const IcaGrid&);
template IcaGridResult choose_ica_components<double>(Source<double>&, const IcaOptions&, const IcaGrid&);

}  // namespace landfall
