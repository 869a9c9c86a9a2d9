#include "runs/run_content.hpp"

#include <landfall/data/rows/missing.hpp>

#include "runs/run_files.hpp"

namespace landfall::app {
namespace {

Json landing_choice(const AdaptiveChoice& choice, int back_offs) {
  return {{"first_rows", choice.first_rows},
          {"warm_up_passes", choice.warm_up},
          {"pilot_steps", choice.pilot_steps},
          {"rank", choice.rank},
          {"row_noise", choice.noise},
          {"step", choice.step},
          {"momentum", choice.momentum},
          {"omega", choice.omega},
          {"back_offs", back_offs}};
}

}  // namespace

template <class S>
Json summarize(const RunFacts& facts, const RunContent<S>& content) {
  const FitOptions& options = facts.options;
  const FitResult<S>& result = content.fitted();
  const auto& views = result.views;
  const bool landing = result.choice.first_rows > 0;
  Json summary{
      {"problem", facts.problem.name}, {"data", facts.data},        {"method", result.method_name},
      {"reason", result.reason},       {"samples", result.samples},
  };
  if (!facts.weights.empty()) {
    summary["weights"] = facts.weights;
    summary["sum_of_weights"] = result.sum_of_weights;
  }
  summary["features"] = per_view(views, [](const auto& view) { return view.weights.rows(); });
  summary["components"] = views[0].weights.cols();
  content.add_numbers(summary);
  add_loadings(summary, views);
  summary["infeasibility"] = per_view(views, [](const auto& view) { return view.infeasibility; });
  summary["method_infeasibility"] =
      per_view(views, [](const auto& view) { return view.method_infeasibility; });
  summary["converged"] = result.converged;
  summary["warnings"] = result.warnings;
  append_numbers(summary, sizeof(S) == sizeof(float) ? "single" : "double",
                 {.stationarity = result.stationarity,
                  .estimated_gap = result.estimated_gap,
                  .passes = result.passes,
                  .iterations = result.iterations,
                  .batch = result.batch,
                  .estimator = landing ? Json(to_string(options.landing.estimator)) : Json(),
                  .ridge = per_view(views, [](const auto& view) { return view.ridge; }),
                  .total = facts.seconds,
                  .read = result.seconds.read,
                  .solve = result.seconds.solve,
                  .evaluate = result.seconds.evaluate,
                  .seed = options.seed,
                  .termination = result.termination,
                  .command = facts.command});
  summary["ridge_kind"] = to_string(result.ridge_kind);
  if (result.ridge_kind == RidgeKind::automatic) summary["ridge_rows"] = result.ridge_rows;
  summary["mean_pass"] = result.mean_pass;
  summary["centred"] = options.transform.centring != Centring::none;
  summary["scaled"] = options.transform.scaling == Scaling::deviation;
  summary["missing"] = to_string(options.transform.missing);
  if (landing) summary["landing"] = landing_choice(result.choice, result.back_offs);
  summary["dropped_columns"] = per_view(views, [](const auto& view) { return view.dropped; });
  content.add_more(summary);
  return summary;
}

void append_data(Json& summary, const DataFacts& facts) {
  summary["first_index"] = facts.first_index;
  summary["columns"] = facts.columns;
  summary["categorical"] = facts.categorical;
  summary["dropped_rows"] = facts.dropped_rows;
}

template <class S>
void write_fitted(const std::filesystem::path& folder, const ProblemEntry& problem,
                  const RunContent<S>& content, const Json& column_names) {
  const auto& views = content.fitted().views;
  write_views<S>(folder, problem, views);
  content.write_files(folder);
  write_loadings(folder, problem, views, column_names, content.column_numbers());
}

LANDFALL_RUN_CONTENT(, float)
LANDFALL_RUN_CONTENT(, double)

}  // namespace landfall::app
