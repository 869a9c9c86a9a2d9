// The plain infeasible methods, by two-point steps:
//
//   penalty           f + mu/2 ||H||^2,             D = G + 2 mu Y H. Its limit is not feasible: H is of the
//                                                   order of the multipliers over mu
//   augmented         f - <H, M> + beta ||H||^2,    D = G - 2 Y M + 4 beta Y H;  now and then
//                     M <- M - 2 beta H, and beta doubled where ||H|| fell by less than a quarter
//   fletcher          the same with M = lambda(X), (Y'Y) lambda + lambda (Y'Y) = sym(Y'G), in place of a
//                     multiplier of its own; the derivative of lambda, which vanishes with H, is left out
#include <landfall/baselines/descent.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/manifold/multiplier.hpp>

namespace landfall {
namespace {

template <class S>
Result<S> solve_penalty(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  Descent<S> descent(problem, options, false);
  const S mu = 2 * descent.multiplier_scale();
  return descent.run([&](const StiefelState<S>& at) { return Matrix<S>(at.g + 2 * mu * at.y * at.h); });
}

template <class S>
Result<S> solve_augmented(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  Descent<S> descent(problem, options);
  const Index p = options.components;
  constexpr int inner = 40;  // steps between two changes of M
  Matrix<S> m = Matrix<S>::Zero(p, p);
  S beta = descent.multiplier_scale(), last = 1;
  int count = 0;
  return descent.run([&](const StiefelState<S>& at) {
    if (++count % inner == 0) {
      m -= 2 * beta * at.h;
      if (at.h.norm() > S(0.75) * last) beta *= 2;
      last = at.h.norm();
    }
    return Matrix<S>(at.g - 2 * at.y * m + 4 * beta * at.y * at.h);
  });
}

template <class S>
Result<S> solve_fletcher(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  Descent<S> descent(problem, options);
  const S beta = descent.multiplier_scale();
  LyapunovMultiplier<S> multiplier;
  return descent.run([&](const StiefelState<S>& at) {
    const Matrix<S>& lambda = multiplier.compute(at.y, at.g);
    return Matrix<S>(at.g - 2 * at.y * lambda + 4 * beta * at.y * at.h);
  });
}

}  // namespace

std::vector<Baseline> penalty_methods() {
  return {{.name = "penalty",
           .text = "squared penalty; does not end on the manifold",
           .source = "Courant 1943",
           .memory = "7 n p",
           .stiefel = {solve_penalty<float>, solve_penalty<double>}},
          {.name = "augmented",
           .text = "augmented Lagrangian",
           .source = "Hestenes 1969, Powell 1969",
           .memory = "7 n p",
           .stiefel = {solve_augmented<float>, solve_augmented<double>}},
          {.name = "fletcher",
           .text = "augmented Lagrangian with the multiplier as a function of X",
           .source = "Fletcher 1970",
           .origin = Origin::reconstructed,
           .memory = "7 n p",
           .stiefel = {solve_fletcher<float>, solve_fletcher<double>}}};
}

}  // namespace landfall
