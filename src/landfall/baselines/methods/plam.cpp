// PLAM and PCAL (Gao, Liu and Yuan 2019), in their form for X'BX = I: gradient steps of an augmented Lagrangian
// whose multiplier is S = sym(X'G) in closed form.
//
//   PLAM   D = G - Y S + beta Y H; beta is the omega of the options
//   PCAL   D = G - Y S - Y diag(d) + beta Y H,   d = diag(X'G - P S + beta P H);
//          after each step every column is brought to x'Bx = 1
//
// Two-point steps as in the authors' code, unless the options have a step.
#include <landfall/baselines/descent.hpp>
#include <landfall/linalg/products.hpp>

#include <cmath>

namespace landfall {
namespace {

/// beta H - S.
template <class S>
Matrix<S> plam_factor(const StiefelState<S>& at, S beta) {
  Matrix<S> slope(at.x.cols(), at.x.cols());
  multiply_at<S>(at.x, at.g, slope);
  return beta * at.h - (slope + slope.transpose()) / 2;
}

/// G + Y factor.
template <class S>
Matrix<S> plam_direction(const StiefelState<S>& at, const Matrix<S>& factor) {
  Matrix<S> direction = at.g;
  multiply<S>(at.y, factor, direction, 1, 1);
  return direction;
}

template <class S>
S plam_beta(Descent<S>& descent, const BaselineOptions<S>& options) {
  return options.omega ? static_cast<S>(*options.omega) : descent.multiplier_scale();
}

template <class S>
Result<S> solve_plam(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  Descent<S> descent(problem, options);
  const S beta = plam_beta(descent, options);
  return descent.run(
      [&](const StiefelState<S>& at) { return plam_direction<S>(at, plam_factor<S>(at, beta)); });
}

template <class S>
Result<S> solve_pcal(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  Descent<S> descent(problem, options);
  const S beta = plam_beta(descent, options);
  const auto direction = [&](const StiefelState<S>& at) {
    Matrix<S> factor = plam_factor<S>(at, beta);
    const Vector<S> d = (at.x.transpose() * at.g + at.x.transpose() * at.y * factor).diagonal();
    factor.diagonal() -= d;
    return plam_direction<S>(at, factor);
  };
  return descent.run(direction, [&](Matrix<S>& x, const Matrix<S>&) {
    Matrix<S> y(x.rows(), x.cols());
    problem.b->apply(x, y);
    for (Index j = 0; j < x.cols(); ++j) x.col(j) /= std::sqrt(x.col(j).dot(y.col(j)));
  });
}

}  // namespace

std::vector<Baseline> plam_methods() {
  const Baseline plam{.name = "plam",
                      .text = "proximal linearized augmented Lagrangian",
                      .source = "Gao, Liu and Yuan 2019",
                      .memory = "7 n p",
                      .stiefel = {solve_plam<float>, solve_plam<double>}};
  Baseline pcal = plam;
  pcal.name = "pcal";
  pcal.text = "PLAM with unit columns";
  pcal.stiefel = {solve_pcal<float>, solve_pcal<double>};
  return {plam, pcal};
}

}  // namespace landfall
