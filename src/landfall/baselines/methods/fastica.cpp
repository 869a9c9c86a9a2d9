// FastICA (Hyvarinen 1999), symmetric, with log cosh: a Newton step for every row of W, then the nearest
// rotation. In the coordinates y = W z of the present estimate:
//
//   W <- rotation nearest to (E tanh(y) y' - diag E (1 - tanh(y)^2)) W
//
// until no row turns: max_i |1 - |w_i' w_i,last|| <= tolerance.
#include <landfall/baselines/ica_run.hpp>
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/preconditioner.hpp>

namespace landfall {
namespace {

template <class S>
Result<S> solve_fastica(const WhitenedRows<S>& rows, const BaselineOptions<S>& options) {
  const Index p = rows.z.rows();
  const IdentityPreconditioner<S> identity(p);
  PencilRun<S> run(identity, options, false);
  Matrix<S> w = random_rotation<S>(p, options.seed);
  double turned = 1, objective = 0;
  while (run.goes_on(turned, 0, objective, 1, {})) {
    const auto at = score_moments<S>(w, rows);
    Matrix<S> factor = at.slopes;
    factor.diagonal() -= at.curvature;
    const Matrix<S> next = nearest_rotation<S>(factor * w);
    turned = static_cast<double>((1 - (next * w.transpose()).diagonal().array().abs()).abs().maxCoeff());
    objective = static_cast<double>(at.value.sum());
    w = next;
  }
  auto result = run.finish(w);
  result.progress.passes = static_cast<double>(result.progress.iteration);
  return result;
}

}  // namespace

std::vector<Baseline> fastica_methods() {
  return {{.name = "fastica",
           .text = "fixed-point iteration, symmetric, log cosh",
           .source = "Hyvarinen 1999",
           .memory = "N p",
           .sources = {solve_fastica<float>, solve_fastica<double>}}};
}

}  // namespace landfall
