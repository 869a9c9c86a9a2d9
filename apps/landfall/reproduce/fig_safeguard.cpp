// The safeguard eta(X) of the paper's lemma along the runs of Figure 1.
#include <landfall/manifold/constants.hpp>
#include <landfall/manifold/safe_step.hpp>

#include <algorithm>
#include <cmath>

#include "reproduce/figures.hpp"
#include "reproduce/pencil_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// eta(X) at every iterate, for the region ||H|| <= eps = 1/2.
struct SafeSteps {
  std::vector<double> paper{}, tight{}, exact{};
};

class Safeguard {
 public:
  Safeguard(const PencilProblem& problem, const PencilStep& step)
      : problem_(problem),
        omega_(step.omega),
        field_(field_of(problem, step.method)),
        paper_(paper_constants(problem.largest, problem.smallest, eps)),
        tight_(tight_constants(problem.largest, problem.smallest, eps)) {}

  void operator()(const PencilIterate& at) {
    lambda_.resize(at.x.rows(), at.x.cols());
    z_.resize(at.x.rows(), at.x.cols());
    field_(at.x, at.g, at.y, at.y, omega_, lambda_);
    problem_.b->apply(lambda_, z_);
    const double d = at.h.norm(), size = lambda_.norm(), pull = field_.normal_norm();
    steps.paper.push_back(safe_step_lemma(d, size, pull, omega_, eps, paper_.l_n));
    steps.tight.push_back(safe_step_lemma(d, size, pull, omega_, eps, tight_.l_n));
    steps.exact.push_back(safe_step(ray_polynomial<double>(at.h, at.y, lambda_, z_, rays_), eps));
  }

  SafeSteps steps{};

 private:
  static constexpr double eps = 0.5;
  const PencilProblem& problem_;
  double omega_;
  StiefelField<double> field_;
  StiefelConstants paper_, tight_;
  Matrix<double> lambda_, z_;
  RayWorkspace<double> rays_;
};

}  // namespace

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
      "The authors' code has kappa inverted in L_N, so that its safeguard admits steps that leave the "
      "region; here it is as printed."};
  for (const PencilStep& step :
       {PencilStep{PencilMethod::landing_b, 85, 0.1}, PencilStep{PencilMethod::landing_r, 0.002, 1e3}}) {
    Safeguard safeguard(problem, step);
    const PencilTrace trace = run_pencil(problem, step, limits, std::ref(safeguard));
    const SafeSteps& safe = safeguard.steps;
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
           .series = {thinned("eta(X), paper", x, safe.paper),
                      thinned("eta(X), without kappa", x, safe.tight),
                      thinned("exact", x, safe.exact),
                      {.name = "the step taken", .x = {x.front(), x.back()}, .y = {step.eta, step.eta}}}});
    }
    const auto least = [](const std::vector<double>& steps) {
      return *std::min_element(steps.begin(), steps.end());
    };
    const double paper = least(safe.paper), tight = least(safe.tight), exact = least(safe.exact);
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
