#include "runs/ica_content.hpp"

#include <landfall/data/formats/npy.hpp>
#include <landfall/models/ica/contrast.hpp>

#include "runs/run_files.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// Of all runs together, and of each source.
Json stability_json(const IcaStability& stability) {
  Json clusters = Json::array(), json{{"runs", stability.runs}, {"cluster", stability.cluster}};
  for (std::size_t c = 0; c < stability.clusters.size(); ++c) {
    const SourceCluster& cluster = stability.clusters[c];
    clusters.push_back({{"size", cluster.size()},
                        {"runs", cluster.runs},
                        {"quality", cluster.quality()},
                        {"within", cluster.within},
                        {"between", cluster.between},
                        {"departure", stability.departure(static_cast<Index>(c))},
                        {"stable", stability.is_stable(cluster)},
                        {"centrotype",
                         {{"run", cluster.centrotype / stability.sources()},
                          {"source", cluster.centrotype % stability.sources()}}}});
  }
  for (Index j = 0; j < stability.sources(); ++j) {
    json["quality"].push_back(stability.of(j).quality());
    json["found_in"].push_back(stability.of(j).runs);
    json["stable"].push_back(stability.is_stable(j));
  }
  json["clusters"] = std::move(clusters);
  return json;
}

}  // namespace

std::string_view source_kind(double sign) {
  return sign > 0 ? "super-Gaussian" : "sub-Gaussian";
}

Json component_choice_json(const IcaGridResult& found, int restarts) {
  const IcaGridRow& chosen = found.rows[found.chosen];
  Json choice{{"problem", "ica"},   {"measure", "stability"}, {"samples", found.samples},
              {"rank", found.rank}, {"restarts", restarts},   {"chosen_number", found.chosen}};
  for (const IcaGridRow& row : found.rows) {
    choice["components"].push_back(row.components);
    choice["explained_variance"].push_back(row.explained);
    choice["mean_quality"].push_back(row.mean_quality);
    choice["worst_quality"].push_back(row.worst_quality);
    choice["stable"].push_back(row.stable);
    choice["runs"].push_back(row.runs);
  }
  choice["choice"] = {{"components", chosen.components}};
  const std::string stable = chosen.stable == chosen.components ? "all" : fmt::format("{}", chosen.stable);
  choice["text"] =
      found.any_stable()
          ? fmt::format(
                "-p {}: {} of its components come back from other starts and halves of the rows and are not "
                "Gaussian; no number of components has more, and no smaller one as many. They are among "
                "principal "
                "components that hold {:.4g} % of the variance.",
                chosen.components, stable, 100 * chosen.explained)
          : fmt::format(
                "No component comes back from other starts and halves of the rows, with any of these "
                "numbers: there "
                "are no independent sources that ICA can tell apart. -p {} holds {:.4g} % of the variance.",
                chosen.components, 100 * chosen.explained);
  return choice;
}

template <class S>
void IcaContent<S>::add_numbers(Json& summary) const {
  std::vector<std::string_view> kinds;
  for (const double sign : result.signs) kinds.push_back(source_kind(sign));
  summary["contrast"] = to_string(result.contrast);
  summary["reduction"] = result.reduction == Reduction::pca ? "pca" : "none";
  if (result.reduction == Reduction::pca) summary["explained_variance"] = result.explained_variance;
  summary["negentropy"] = numbers(result.negentropy);
  summary["kinds"] = kinds;
  summary["kurtosis"] = numbers(result.kurtosis);
}

template <class S>
void IcaContent<S>::add_more(Json& summary) const {
  if (distance) summary["amari"] = *distance;
  if (stability.runs > 0) {
    summary["restarts"] = stability.runs - 1;
    summary["stability"] = stability_json(stability);
  }
  if (!choice.is_null()) summary["component_choice"] = choice;
}

template <class S>
void IcaContent<S>::write_files(const std::filesystem::path& folder) const {
  write_npy<S>(folder / "mixing.npy", result.mixing);
  if (stability.runs > 0) write_npy<double>(folder / "centrotypes.npy", stability.centrotypes.transpose());
}

template class IcaContent<float>;
template class IcaContent<double>;

}  // namespace landfall::app
