// GenELinK, for CCA called CCALin (Ge et al. 2016): the power method on B^-1 A, each solve by a few steps of a
// fast solver from the best warm start:
//
//   Gamma = (W'BW)^-1 W'AW,   W~ = approximately argmin tr W'BW/2 - tr W'A W_t from W_t Gamma,
//   W <- W~ made B-orthonormal
//
// It finds eigenvalues of the largest magnitude. Those of CCA come in pairs +-rho, so it carries 2p columns
// and ends with the best p of their span (the authors take a random mixture of them).
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/baselines/power_methods.hpp>
#include <landfall/linalg/conjugate_gradients.hpp>
#include <landfall/manifold/retraction.hpp>

#include <algorithm>

namespace landfall {
namespace {

template <class S>
Result<S> solve_genelink(const Pencil<S>& pencil, const BaselineOptions<S>& options) {
  PencilRun<S> run(*pencil.b, options);
  const Index p = options.components;
  Matrix<S> w = run.start(std::min(2 * p, pencil.b->size()));
  while (true) {
    const Matrix<S> aw = times<S>(*pencil.a, w), bw = times<S>(*pencil.b, w);
    const auto ritz = solve_pencil<S>(w.transpose() * aw, w.transpose() * bw, w.cols());
    const Matrix<S> best = ritz.vectors.leftCols(p);
    if (!run.goes_on(w * best, -aw * best, bw * best)) return run.finish(Matrix<S>(w * best));
    // In the basis of Ritz vectors Gamma is diagonal.
    Matrix<S> next = w * ritz.vectors * ritz.values.asDiagonal();
    conjugate_gradients<S>(*pencil.b, aw * ritz.vectors, next, {.steps = 8});
    w = orthonormalize<S>(*pencil.b, next);
  }
}

}  // namespace

std::vector<Baseline> genelink_methods() {
  return {{.name = "genelink",
           .text = "GenELinK / CCALin: power method with warm-started solves",
           .source = "Ge, Jin, Kakade, Netrapalli and Sidford 2016",
           .memory = "16 n p",
           .pencil = {solve_genelink<float>, solve_genelink<double>}}};
}

}  // namespace landfall
