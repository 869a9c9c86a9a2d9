// Constraint dissolving: f at N = X (3 I - Z)/2, Z = X'BX, which is X on the manifold and one Newton-Schulz
// step towards it elsewhere, plus a penalty; then without a constraint. With G = grad f(N), H = Z - I:
//
//   CDOpt    h = f(N) + beta/2 ||H||^2,            grad h = G (I - H/2) - Y sym(X'G) + 2 beta Y H
//   CDFCP    h = f(N) + beta/6 tr(Z^3 - 3 Z),      grad h = G (I - H/2) - Y sym(X'G) + beta Y (Z^2 - I)
//
// CDFCP is reconstructed from descriptions; the gradient agrees with differences of h.
#include <landfall/baselines/descent.hpp>

namespace landfall {
namespace {

template <class S, bool cubic>
Result<S> solve_dissolving(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  Descent<S> descent(problem, options);
  const S beta = 2 * descent.multiplier_scale();
  Matrix<S> g;
  return descent.run([&](const StiefelState<S>& at) {
    const Matrix<S> identity = Matrix<S>::Identity(at.h.rows(), at.h.cols()), inside = identity - at.h / 2;
    g.resize(at.x.rows(), at.x.cols());
    problem.f(at.x * inside, &g);
    const Matrix<S> slope = at.x.transpose() * g;
    // Z^2 - I = 2 H + H^2
    const Matrix<S> pull = cubic ? Matrix<S>(2 * at.h + at.h * at.h) : Matrix<S>(2 * at.h);
    return Matrix<S>(g * inside + at.y * (beta * pull - (slope + slope.transpose()) / 2));
  });
}

}  // namespace

std::vector<Baseline> dissolving_methods() {
  return {{.name = "cdopt",
           .text = "constraint dissolving, squared penalty",
           .source = "Xiao, Liu and Toh 2022",
           .memory = "8 n p",
           .stiefel = {solve_dissolving<float, false>, solve_dissolving<double, false>}},
          {.name = "cdfcp",
           .text = "constraint dissolving, cubic penalty",
           .source = "Jiang, Xiao and Liu 2024",
           .origin = Origin::reconstructed,
           .memory = "8 n p",
           .stiefel = {solve_dissolving<float, true>, solve_dissolving<double, true>}}};
}

}  // namespace landfall
