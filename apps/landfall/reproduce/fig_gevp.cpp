// Figure 1 of the paper and its companion against iterations: objective and N(X) of four methods, and LAPACK.
#include <cmath>

#include "reproduce/figures.hpp"
#include "reproduce/pencil_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct Setting {
  std::string file, title;
  PencilKind kind = PencilKind::released;
  std::vector<PencilStep> steps{};
  PencilStep printed{};  // of Psi_R, which diverges
};

/// Steps in the paper's convention: half of those of the code and of the text, where Psi is taken with skew rather
/// than 2 skew. The omega of Psi_R is the largest power of ten that keeps to the manifold.
std::vector<Setting> settings_of_paper() {
  return {{"code",
           "the code's spectra and steps",
           PencilKind::released,
           {{PencilMethod::riemannian, 0.005, 0},
            {PencilMethod::plam, 0.05, 200},
            {PencilMethod::landing_r, 0.002, 1e3},
            {PencilMethod::landing_b, 85, 0.1}},
           {PencilMethod::landing_r, 0.002, 2e4}},
          {"text",
           "the text's spectra (condition 100) and steps",
           PencilKind::paper,
           {{PencilMethod::riemannian, 0.01, 0},
            {PencilMethod::plam, 0.01, 200},
            {PencilMethod::landing_r, 0.005, 1e3},
            {PencilMethod::landing_b, 100, 0.1}},
           {PencilMethod::landing_r, 0.005, 1e5}}};
}

std::string shown(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.3g} s", seconds) : "not reached";
}

}  // namespace

void run_fig_gevp(const ReproduceSettings& settings, Page& page) {
  const Index n = settings.quick ? 120 : 1000;
  const PencilLimits limits = settings.quick ? PencilLimits{.iterations = 150} : PencilLimits{.seconds = 45};
  page.text = {
      fmt::format(
          "min -1/2 tr X'AX subject to X'BX = I with n = {}, p = {}, from one random feasible start. Each "
          "method has {}. Time is that of the method alone, on this processor.",
          n, n / 2, settings.quick ? "150 iterations" : "45 s"),
      "The text has B with condition number 100; the code makes B with eigenvalues n^(-(i-1)/n), condition "
      "993 at n = "
      "1000. Both divide A and B by their Frobenius norms: eta = 200 makes no sense otherwise. Steps are "
      "given for Psi "
      "with 2 skew, as the formulas of the paper have it; the code takes half of that, so eta here is half "
      "of what is "
      "printed.",
      "The omega that text and code give for Psi_R is 1e5 and 2e4: eta omega beta_1 is then far above the "
      "1/2 up to "
      "which the normal term is stable, and the run diverges (table). Its curves are with omega = 1000."};
  Table parameters{.file = "runs",
                   .heading = "Runs",
                   .columns = {"setting", "method", "eta", "omega", "seconds per iteration", "iterations",
                               "relative gap at the end", "N(X) at the end", "diverged"}};
  for (const Setting& setting : settings_of_paper()) {
    const PencilProblem problem = pencil_problem(setting.kind, n, n / 2, settings.seed);
    std::vector<Chart> charts;
    for (const bool time : {true, false})
      for (const bool objective : {true, false})
        charts.push_back(
            {.file = fmt::format("{}-{}-{}", setting.file, objective ? "objective" : "infeasibility",
                                 time ? "time" : "iterations"),
             .title = fmt::format("{}, {}", objective ? "Objective" : "N(X)", setting.title),
             .label = fmt::format(
                 "{} of four methods against {}.",
                 objective ? "Relative distance of f from its optimum" : "Distance from the manifold",
                 time ? "seconds" : "iterations"),
             .x_label = time ? "seconds" : "iterations",
             .y_label = objective ? "(f - f*) / |f*|" : "N(X)",
             .log_y = true});
    std::vector<PencilTrace> traces;
    const auto add_row = [&](const PencilStep& step, const PencilTrace& trace) {
      parameters.rows.push_back({setting.file, name_of(step.method), step.eta, step.omega,
                                 trace.seconds_per_iteration(), trace.iteration.back(), trace.gap.back(),
                                 trace.infeasibility.back(), trace.diverged ? "yes" : "no"});
    };
    for (const PencilStep& step : setting.steps) {
      traces.push_back(run_pencil(problem, step, limits));
      const PencilTrace& trace = traces.back();
      std::vector<double> above = trace.gap;
      for (double& gap : above) gap = std::abs(gap);  // below the optimum while infeasible
      charts[0].series.push_back(thinned(name_of(step.method), trace.seconds, above));
      charts[1].series.push_back(thinned(name_of(step.method), trace.seconds, trace.infeasibility));
      charts[2].series.push_back(thinned(name_of(step.method), trace.iteration, above));
      charts[3].series.push_back(thinned(name_of(step.method), trace.iteration, trace.infeasibility));
      add_row(step, trace);
    }
    add_row(setting.printed, run_pencil(problem, setting.printed, {.iterations = 20}));
    charts[0].series.push_back({.name = "LAPACK: solved",
                                .x = {problem.lapack_seconds, problem.lapack_seconds * (1 + 1e-6)},
                                .y = {1, 1e-3}});
    page.charts.insert(page.charts.end(), charts.begin(), charts.end());

    const double target = 0.5 * traces[3].gap.front();
    std::vector<double> needed;
    std::string times;
    for (std::size_t k = 0; k < traces.size(); ++k) {
      needed.push_back(traces[k].seconds_to(target));
      times += fmt::format("{}{} {}", k ? ", " : "", name_of(setting.steps[k].method), shown(needed[k]));
    }
    page.claims.push_back({fmt::format("landing with Psi_B converges the fastest in time ({})", setting.file),
                           fmt::format("to half of the first gap: {}; LAPACK has the answer after {}", times,
                                       shown(problem.lapack_seconds)),
                           needed[3] <= std::min({needed[0], needed[1], needed[2]})});
    std::string costs;
    for (std::size_t k = 0; k < traces.size(); ++k)
      costs += fmt::format("{}{} {:.3g} ms", k ? ", " : "", name_of(setting.steps[k].method),
                           1e3 * traces[k].seconds_per_iteration());
    page.claims.push_back(
        {fmt::format("an iteration with Psi_B costs less than a Riemannian one ({})", setting.file), costs,
         traces[3].seconds_per_iteration() < traces[0].seconds_per_iteration()});
    page.claims.push_back(
        {fmt::format("Psi_B lands: N(X) falls towards 0 ({})", setting.file),
         fmt::format("N from a largest {:.2g} to {:.2g}",
                     *std::max_element(traces[3].infeasibility.begin(), traces[3].infeasibility.end()),
                     traces[3].infeasibility.back()),
         !traces[3].diverged && traces[3].infeasibility.back() < 0.1});
  }
  page.tables.push_back(std::move(parameters));
}

}  // namespace landfall::app
