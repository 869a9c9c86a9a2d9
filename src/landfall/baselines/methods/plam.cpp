// PLAM and PCAL (Gao, Liu and Yuan 2019), in their form for X'BX = I: gradient steps of an augmented Lagrangian
// whose multiplier is S = sym(X'G) in closed form.
//
//   PLAM   D = G - Y S + beta Y H
//   PCAL   D = G - Y S - Y diag(d) + beta Y H,   d = diag(X'G - P S + beta P H);
//          after each step every column is brought to x'Bx = 1
//
// Two-point steps as in the authors' code.
#include <landfall/baselines/descent.hpp>

#include <cmath>

namespace landfall {
namespace {

template <class S>
Matrix<S> plam_multiplier(const StiefelState<S>& at) {
  const Matrix<S> slope = at.x.transpose() * at.g;
  return (slope + slope.transpose()) / 2;
}

template <class S>
Result<S> solve_plam(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  Descent<S> descent(problem, options);
  const S beta = descent.multiplier_scale();
  return descent.run([&](const StiefelState<S>& at) {
    return Matrix<S>(at.g + at.y * (beta * at.h - plam_multiplier(at)));
  });
}

template <class S>
Result<S> solve_pcal(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  Descent<S> descent(problem, options);
  const S beta = descent.multiplier_scale();
  const auto direction = [&](const StiefelState<S>& at) {
    Matrix<S> factor = beta * at.h - plam_multiplier(at);
    const Vector<S> d = (at.x.transpose() * at.g + at.x.transpose() * at.y * factor).diagonal();
    factor.diagonal() -= d;
    return Matrix<S>(at.g + at.y * factor);
  };
  return descent.run(direction, [&](Matrix<S>& x, const Matrix<S>&) {
    Matrix<S> y(x.rows(), x.cols());
    problem.b->apply(x, y);
    for (Index j = 0; j < x.cols(); ++j) x.col(j) /= std::sqrt(x.col(j).dot(y.col(j)));
  });
}

}  // namespace

std::vector<Baseline> plam_methods() {
  return {{.name = "plam",
           .text = "proximal linearized augmented Lagrangian",
           .source = "Gao, Liu and Yuan 2019",
           .memory = "7 n p",
           .stiefel = {solve_plam<float>, solve_plam<double>}},
          {.name = "pcal",
           .text = "the same with unit columns",
           .source = "Gao, Liu and Yuan 2019",
           .memory = "7 n p",
           .stiefel = {solve_pcal<float>, solve_pcal<double>}}};
}

}  // namespace landfall
