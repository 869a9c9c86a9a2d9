// LOBPCG (lobpcg.hpp) in the form of the registry. It is also what solve_gevp runs for large matrices.
#include <landfall/baselines/lobpcg.hpp>
#include <landfall/baselines/pencil_run.hpp>

#include <algorithm>

namespace landfall {
namespace {

template <class S>
Result<S> solve_lobpcg(const Pencil<S>& pencil, const BaselineOptions<S>& options) {
  PencilRun<S> run(*pencil.b, options, false);
  const auto found = lobpcg<S>(
      *pencil.a, *pencil.b,
      {.components = options.components,
       .tolerance = run.tolerance(),
       .max_iterations = options.iterations > 0
                             ? static_cast<int>(std::min<std::uint64_t>(options.iterations, 1'000'000))
                             : 1000,
       .seed = options.seed,
       .observer = [&](int, double residual) { return run.goes_on(residual, 0, 0, 0, {}); }});
  Result<S> result = run.finish(found.vectors);
  result.progress.iteration = static_cast<std::uint64_t>(found.iterations);
  result.counts.products = static_cast<std::uint64_t>(found.products_b);
  switch (found.end) {
    case LobpcgEnd::converged:
    case LobpcgEnd::direct:
      result.termination = Termination::converged;
      break;
    case LobpcgEnd::max_iterations:
      result.termination = Termination::iteration_limit;
      break;
    case LobpcgEnd::stagnated:
      result.termination = Termination::no_progress;
      break;
    case LobpcgEnd::stopped:
      break;  // by the run, which has set the reason
  }
  return result;
}

}  // namespace

std::vector<Baseline> lobpcg_methods() {
  return {{.name = "lobpcg",
           .text = "locally optimal block preconditioned conjugate gradients",
           .source = "Knyazev 2001",
           .memory = "9 n p",
           .pencil = {solve_lobpcg<float>, solve_lobpcg<double>}}};
}

}  // namespace landfall
