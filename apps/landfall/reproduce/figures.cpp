#include "reproduce/figures.hpp"

namespace landfall::app {

void run_fig_cost_directions(const ReproduceSettings& settings, Page& page);
void run_fig_cost_retractions(const ReproduceSettings& settings, Page& page);
void run_fig_gevp(const ReproduceSettings& settings, Page& page);
void run_fig_safeguard(const ReproduceSettings& settings, Page& page);
void run_fig_sensitivity_landing(const ReproduceSettings& settings, Page& page);
void run_fig_sensitivity_plam(const ReproduceSettings& settings, Page& page);

std::span<const Figure> figures() {
  static const std::vector<Figure> list{
      {"fig-gevp", "Generalized eigenvalue problem", false, run_fig_gevp},
      {"fig-cost-directions", "Cost of directions", false, run_fig_cost_directions},
      {"fig-cost-retractions", "Cost of retractions", false, run_fig_cost_retractions},
      {"fig-sensitivity-plam", "Sensitivity to the step: PLAM and landing", false, run_fig_sensitivity_plam},
      {"fig-sensitivity-landing", "Sensitivity to the step: landing", false, run_fig_sensitivity_landing},
      {"fig-safeguard", "The step-size safeguard", false, run_fig_safeguard},
  };
  return list;
}

}  // namespace landfall::app
