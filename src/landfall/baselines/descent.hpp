// X <- X - t D(X) with the alternating two-point steps of Barzilai and Borwein, or with the step of the options: what
// the infeasible methods have in common. Each of them is a direction D.
//
//   #include <landfall/baselines/power_methods.hpp>
//   const landfall::StiefelProblem<double> problem{.f = {}, .b = b};
//   landfall::Descent<double> descent(problem, {.components = 5});
//   const auto result = descent.run([&](const landfall::StiefelState<double>& at) {
//     return landfall::Matrix<double>(at.g + 2 * at.y * at.h);    // a squared penalty
//   });
#pragma once

#include <landfall/baselines/pencil_run.hpp>

#include <functional>

namespace landfall {

/// What is known at a point.
template <class S>
struct StiefelState {
  Matrix<S> x, g, y;  // X, G = grad f(X), Y = B X
  Matrix<S> h;        // X'Y - I
  S f = 0;
  void update(const StiefelProblem<S>& problem);  // all of it, from x
};

/// The scale of f against the constraint, the size of a penalty that outweighs it: the largest ||X'G|| met
/// when -G is followed on the manifold for a few steps.
template <class S>
S multiplier_bound(const StiefelProblem<S>& problem, const BaselineOptions<S>& options);

template <class S>
class Descent {
 public:
  /// feasible: as PencilRun's.
  Descent(const StiefelProblem<S>& problem, const BaselineOptions<S>& options, bool feasible = true);

  using Direction = std::function<Matrix<S>(const StiefelState<S>&)>;
  /// Changes x after each step, which began at `from`.
  using Correction = std::function<void(Matrix<S>& x, const Matrix<S>& from)>;

  /// The whole run, from a random B-orthonormal start.
  Result<S> run(const Direction& direction, const Correction& correction = {});

  /// multiplier_bound() of the problem.
  S multiplier_scale();

 private:
  S step_length(const Matrix<S>& x, const Matrix<S>& d);

  const StiefelProblem<S>& problem_;
  const BaselineOptions<S>& options_;
  PencilRun<S> run_;
  StiefelState<S> at_;
  Matrix<S> last_x_, last_d_;
  S scale_ = 0;  // 0: not known yet
};

#define LANDFALL_DESCENT(EXTERN, S)                                                           \
  EXTERN template struct StiefelState<S>;                                                     \
  EXTERN template S multiplier_bound<S>(const StiefelProblem<S>&, const BaselineOptions<S>&); \
  EXTERN template class Descent<S>;
LANDFALL_DESCENT(extern, float)
LANDFALL_DESCENT(extern, double)

}  // namespace landfall
