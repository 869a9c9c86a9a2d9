// How much the step and omega matter: landing and PLAM over a grid around the steps of Figure 1.
#include <algorithm>
#include <cmath>

#include "reproduce/figures.hpp"
#include "reproduce/pencil_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

constexpr PencilStep landing_step{PencilMethod::landing_b, 85, 0.1};
constexpr PencilStep plam_step{PencilMethod::plam, 0.05, 200};

struct Run {
  double eta = 1, omega = 1;  // factors
  PencilTrace trace{};
};

std::vector<Run> grid(const PencilProblem& problem, const PencilStep& base,
                      const std::vector<double>& factors, std::uint64_t iterations) {
  std::vector<Run> runs;
  for (const double eta : factors)
    for (const double omega : factors)
      runs.push_back({eta, omega,
                      run_pencil(problem, {base.method, eta * base.eta, omega * base.omega},
                                 {.iterations = iterations})});
  return runs;
}

std::size_t diverged(const std::vector<Run>& runs) {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const Run& r) { return r.trace.diverged; }));
}

std::vector<double> distances(const PencilTrace& trace) {
  std::vector<double> out = trace.gap;
  for (double& gap : out) gap = std::abs(gap);
  return out;
}

Table runs_table(const std::vector<std::pair<std::string, std::vector<Run>>>& sets) {
  Table table{
      .file = "runs",
      .heading = "Runs",
      .columns = {"method", "eta x", "omega x", "relative gap at the end", "N(X) at the end", "diverged"}};
  for (const auto& [name, runs] : sets)
    for (const Run& run : runs)
      table.rows.push_back({name, run.eta, run.omega, run.trace.gap.back(), run.trace.infeasibility.back(),
                            run.trace.diverged ? "yes" : "no"});
  return table;
}

}  // namespace

void run_fig_sensitivity_plam(const ReproduceSettings& settings, Page& page) {
  const std::vector<double> factors{0.25, 0.75, 1.25, 1.75};
  const Index n = settings.quick ? 80 : 1000;
  const std::uint64_t iterations = settings.quick ? 60 : 150;
  const PencilProblem problem = pencil_problem(PencilKind::released, n, n / 2, settings.seed);
  page.text = {
      fmt::format("n = {}, p = {}, the code's spectra; eta and omega of fig-gevp, each multiplied by 0.25, "
                  "0.75, 1.25 and 1.75, in all 16 combinations, {} iterations each.",
                  n, n / 2, iterations)};
  std::vector<std::pair<std::string, std::vector<Run>>> sets;
  for (const PencilStep& base : {landing_step, plam_step})
    sets.emplace_back(name_of(base.method), grid(problem, base, factors, iterations));
  for (std::size_t k = 0; k < sets.size(); ++k)
    for (const bool objective : {true, false}) {
      Chart chart{.file = fmt::format("{}-{}", k == 0 ? "landing" : "plam",
                                      objective ? "objective" : "infeasibility"),
                  .title = fmt::format("{}, {}", objective ? "Objective" : "N(X)", sets[k].first),
                  .label = "Sixteen runs with other steps, against iterations.",
                  .x_label = "iterations",
                  .y_label = objective ? "(f - f*) / |f*|" : "N(X)",
                  .log_x = true,
                  .log_y = true};
      for (const Run& run : sets[k].second) {
        std::vector<double> from_one = run.trace.iteration;
        for (double& iteration : from_one) iteration += 1;
        chart.series.push_back(thinned(fmt::format("{:g} eta, {:g} omega", run.eta, run.omega), from_one,
                                       objective ? distances(run.trace) : run.trace.infeasibility, 100));
      }
      page.charts.push_back(std::move(chart));
    }
  const auto progress = [](const std::vector<Run>& runs) {
    std::vector<double> ends;
    for (const Run& run : runs)
      ends.push_back(run.trace.diverged ? 1 : std::abs(run.trace.gap.back()) / run.trace.gap.front());
    std::sort(ends.begin(), ends.end());
    return ends;
  };
  const auto landing = progress(sets[0].second), plam = progress(sets[1].second);
  page.claims.push_back({"landing with Psi_B is more robust to the choice of eta and omega than PLAM",
                         fmt::format("of 16 runs landing diverged in {}, PLAM in {}; share of the first gap "
                                     "that is left, best, median and worst "
                                     "run: landing {:.2g}, {:.2g}, {:.2g}, PLAM {:.2g}, {:.2g}, {:.2g}",
                                     diverged(sets[0].second), diverged(sets[1].second), landing[0],
                                     landing[8], landing[15], plam[0], plam[8], plam[15]),
                         diverged(sets[0].second) <= diverged(sets[1].second) && landing[8] <= plam[8]});
  page.tables.push_back(runs_table(sets));
}

void run_fig_sensitivity_landing(const ReproduceSettings& settings, Page& page) {
  const std::vector<double> factors{0.125, 0.25, 0.5, 2, 4};
  const Index n = settings.quick ? 80 : 1000;
  const std::uint64_t iterations = settings.quick ? 60 : 150;
  const PencilProblem problem = pencil_problem(PencilKind::released, n, n / 2, settings.seed);
  page.text = {fmt::format(
      "n = {}, p = {}, the code's spectra; eta = 85 and omega = 0.1 multiplied by 1/8, 1/4, 1/2, 2 and 4 "
      "in all combinations, {} iterations each. The normal term is stable up to eta omega beta_1 = 1/2, here "
      "{:.2g} at factors 1 and 1.",
      n, n / 2, iterations, landing_step.eta * landing_step.omega * problem.largest)};
  const auto runs = grid(problem, landing_step, factors, iterations);
  for (const double eta : factors) {
    Chart chart{.file = fmt::format("eta-{:g}", eta),
                .title = fmt::format("N(X), {:g} eta", eta),
                .label = "Distance from the manifold with five values of omega, against iterations.",
                .x_label = "iterations",
                .y_label = "N(X)",
                .log_y = true};
    for (const Run& run : runs)
      if (run.eta == eta)
        chart.series.push_back(
            thinned(fmt::format("{:g} omega", run.omega), run.trace.iteration, run.trace.infeasibility, 100));
    page.charts.push_back(std::move(chart));
  }
  std::size_t small = 0, landed = 0;
  for (const Run& run : runs) {
    if (run.eta * run.omega > 1) continue;
    ++small;
    if (!run.trace.diverged && run.trace.infeasibility.back() <= 0.125) ++landed;
  }
  page.claims.push_back(
      {"landing converges to the manifold over a wide range of eta and omega",
       fmt::format("{} of 25 runs diverged; of the {} in which the product of the factors is at most 1, "
                   "{} end in the safe region, N(X) <= 1/8",
                   diverged(runs), small, landed),
       landed == small});
  page.tables.push_back(runs_table({{name_of(landing_step.method), runs}}));
}

}  // namespace landfall::app
