// POGO (2026) lifted to X'BX = I: a tangent step, then one Newton-Schulz step back, in that order:
//
//   T = X - eta Psi,   Psi = (G C - Y (G'Y))/2,   C = Y'Y;   X <- T (I + E/2),   E = I - T'BT
//
// Steps are Barzilai and Borwein's, halved until ||E|| <= 1/2, where Newton-Schulz converges; from a point that
// is on the manifold a few halvings do.
#include <landfall/baselines/descent.hpp>

namespace landfall {
namespace {

template <class S>
Result<S> solve_pogo(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  Descent<S> descent(problem, options);
  const auto direction = [](const StiefelState<S>& at) {
    const Matrix<S> c = at.y.transpose() * at.y, w = at.g.transpose() * at.y;
    return Matrix<S>((at.g * c - at.y * w) / 2);
  };
  return descent.run(direction, [&](Matrix<S>& t, const Matrix<S>& from) {
    Matrix<S> y(t.rows(), t.cols());
    Matrix<S> e;
    for (int halvings = 0;; ++halvings) {
      problem.b->apply(t, y);
      e = Matrix<S>::Identity(t.cols(), t.cols()) - t.transpose() * y;
      if (e.norm() <= S(0.5) || !e.allFinite() || halvings == 60) break;
      t = (t + from) / 2;
    }
    t += t * e / 2;
  });
}

}  // namespace

std::vector<Baseline> pogo_methods() {
  return {{.name = "pogo",
           .text = "tangent step, then Newton-Schulz; lifted to B",
           .source = "after POGO 2026 (arXiv 2602.14656)",
           .origin = Origin::own,
           .memory = "7 n p",
           .stiefel = {solve_pogo<float>, solve_pogo<double>}}};
}

}  // namespace landfall
