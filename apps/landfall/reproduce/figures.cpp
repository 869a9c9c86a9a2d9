#include "reproduce/figures.hpp"

namespace landfall::app {

void run_fig_cca_p5(const ReproduceSettings& settings, Page& page);
void run_fig_cca_p10(const ReproduceSettings& settings, Page& page);
void run_fig_ica(const ReproduceSettings& settings, Page& page);
void run_fig_cost_directions(const ReproduceSettings& settings, Page& page);
void run_fig_cost_retractions(const ReproduceSettings& settings, Page& page);
void run_fig_gevp(const ReproduceSettings& settings, Page& page);
void run_fig_safeguard(const ReproduceSettings& settings, Page& page);
void run_table_retractions(const ReproduceSettings& settings, Page& page);
void run_table_cca(const ReproduceSettings& settings, Page& page);
void run_theory(const ReproduceSettings& settings, Page& page);
void run_fig_sensitivity_landing(const ReproduceSettings& settings, Page& page);
void run_fig_sensitivity_plam(const ReproduceSettings& settings, Page& page);

std::span<const Figure> figures() {
  static const std::vector<Figure> list{
      {"fig-gevp", "Generalized eigenvalue problem", false, run_fig_gevp},
      {"fig-cca-p5", "Stochastic CCA of split MNIST, p = 5", true, run_fig_cca_p5},
      {"fig-cca-p10", "Stochastic CCA of split MNIST, p = 10", true, run_fig_cca_p10},
      {"fig-ica", "Stochastic ICA of Laplace sources", false, run_fig_ica},
      {"fig-cost-directions", "Cost of directions", false, run_fig_cost_directions},
      {"fig-cost-retractions", "Cost of retractions", false, run_fig_cost_retractions},
      {"fig-sensitivity-plam", "Sensitivity to the step: PLAM and landing", false, run_fig_sensitivity_plam},
      {"fig-sensitivity-landing", "Sensitivity to the step: landing", false, run_fig_sensitivity_landing},
      {"fig-safeguard", "The step-size safeguard", false, run_fig_safeguard},
      {"table-retractions", "Complexity of retractions and of the landing field", false,
       run_table_retractions},
      {"table-cca", "Complexity of methods for CCA", true, run_table_cca},
      {"theory", "The rates of both theorems", false, run_theory},
  };
  return list;
}

}  // namespace landfall::app
