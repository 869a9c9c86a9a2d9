// rgCCALin (Xu and Li 2020): Riemannian gradient ascent of tr X'AX / 2 in the metric of B, where B^-1 A X comes
// from a few steps of a solver that starts at the last one:
//
//   G = approximately B^-1 A W,   D = G - W (W'AW),   W <- polar of W + alpha D
//
// Reconstructed from its description. alpha = 0.75 / ||W'AW||: up to 1 along an eigenvector -rho is stable.
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/baselines/power_methods.hpp>
#include <landfall/linalg/conjugate_gradients.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/manifold/retraction.hpp>

namespace landfall {
namespace {

template <class S>
Result<S> solve_rgccalin(const Pencil<S>& pencil, const BaselineOptions<S>& options) {
  PencilRun<S> run(*pencil.b, options);
  Matrix<S> w = run.start(), g = w;
  SymmetricEigen<S> eigen;
  S alpha = static_cast<S>(options.step);
  while (true) {
    const Matrix<S> aw = times<S>(*pencil.a, w);
    if (!run.goes_on(w, -aw, times<S>(*pencil.b, w), 0, static_cast<double>(alpha))) return run.finish(w);
    conjugate_gradients<S>(*pencil.b, aw, g, {.steps = 6});
    Matrix<S> inner = w.transpose() * aw;
    symmetrize<S>(inner);
    eigen.compute(inner);
    if (!(options.step > 0)) alpha = S(0.75) / eigen.values().cwiseAbs().maxCoeff();
    const Matrix<S> step = alpha * (g - w * inner);
    w = retract_polar<S>(*pencil.b, w, step);
  }
}

}  // namespace

std::vector<Baseline> rgccalin_methods() {
  return {{.name = "rgccalin",
           .text = "Riemannian gradient ascent with inexact solves",
           .source = "Xu and Li 2020",
           .origin = Origin::reconstructed,
           .memory = "8 n p",
           .pencil = {solve_rgccalin<float>, solve_rgccalin<double>}}};
}

}  // namespace landfall
