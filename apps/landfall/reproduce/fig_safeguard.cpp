// The safeguard eta(X) of the paper's lemma along the runs of Figure 1.
#include <algorithm>
#include <cmath>

#include "reproduce/figures.hpp"
#include "reproduce/pencil_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {

void run_fig_safeguard(const ReproduceSettings& settings, Page& page) {
  const Index n = settings.quick ? 120 : 1000;
  const PencilLimits limits = settings.quick ? PencilLimits{.iterations = 100} : PencilLimits{.seconds = 30};
  const PencilProblem problem = pencil_problem(PencilKind::released, n, n / 2, settings.seed);
  page.text = {
      fmt::format(
          "n = {}, p = {}, the code's spectra. eta(X) is the step up to which the lemma guarantees that the "
          "iterates stay in ||X'BX - I|| <= 1/2: with the paper's L_N = 2 beta_1 (eps + 2 (1 + eps) kappa), "
          "with L_N = 2 beta_1 (2 + 3 eps), which holds without kappa, and the exact value, the first root "
          "of a quartic along the step.",
          n, n / 2),
      "The authors' program has kappa inverted in L_N, so its safeguard lets steps pass that leave the "
      "region; here it is "
      "as printed."};
  for (const PencilStep& step :
       {PencilStep{PencilMethod::landing_b, 85, 0.1}, PencilStep{PencilMethod::landing_r, 0.002, 1e3}}) {
    const PencilTrace trace = run_pencil(problem, step, limits);
    const std::string name = name_of(step.method);
    const std::string file = step.method == PencilMethod::landing_b ? "psi-b" : "psi-r";
    for (const bool time : {true, false}) {
      const auto& x = time ? trace.seconds : trace.iteration;
      page.charts.push_back(
          {.file = fmt::format("{}-{}", file, time ? "time" : "iterations"),
           .title = fmt::format("Safe step, {}", name),
           .label = fmt::format("The safeguard along the run against {}.", time ? "seconds" : "iterations"),
           .x_label = time ? "seconds" : "iterations",
           .y_label = "eta",
           .log_y = true,
           .series = {thinned("eta(X), paper", x, trace.safe_paper),
                      thinned("eta(X), without kappa", x, trace.safe_tight),
                      thinned("exact", x, trace.safe_exact),
                      {.name = "the step taken", .x = {x.front(), x.back()}, .y = {step.eta, step.eta}}}});
    }
    const auto least = [](const std::vector<double>& steps) {
      return *std::min_element(steps.begin(), steps.end());
    };
    const double paper = least(trace.safe_paper), tight = least(trace.safe_tight),
                 exact = least(trace.safe_exact);
    page.claims.push_back(
        {fmt::format("the safeguard stays away from zero along the run ({})", name),
         fmt::format("least eta(X) {:.3g} (paper), {:.3g} (without kappa), {:.3g} (exact); step "
                     "taken {:.3g}",
                     paper, tight, exact, step.eta),
         paper > 0 && paper <= tight * (1 + 1e-9) && tight <= exact * (1 + 1e-9)});
    page.claims.push_back(
        {fmt::format("the steps of the figures respect the safeguard ({})", name),
         fmt::format(
             "eta is {:.2g} of the least eta(X) of the paper and {:.2g} of the exact one; largest N {:.2g}",
             step.eta / paper, step.eta / exact,
             *std::max_element(trace.infeasibility.begin(), trace.infeasibility.end())),
         step.eta <= paper});
  }
}

}  // namespace landfall::app
