// The deterministic experiment: the top p generalized eigenvectors of a dense pencil by the landing solver and by the
// registry's plam and rgd-fixed, each with a fixed step.
//
//   const PencilProblem problem = pencil_problem(PencilKind::released, 1000, 500, seed);
//   const PencilTrace trace = run_pencil(problem, {PencilMethod::landing_b, 85, 0.1}, {.seconds = 30});
//   chart.series.push_back({"landing Psi_B", trace.seconds, trace.gap});
#pragma once

#include <landfall/data/synthetic/pencil.hpp>
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/manifold/field.hpp>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reproduce/page.hpp"

namespace landfall::app {

struct PencilProblem {
  OperatorPtr<double> a, b;
  PreconditionerPtr<double> b_inverse;  // by a Cholesky factor
  double largest = 0, smallest = 0;     // eigenvalues of B
  Matrix<double> start;                 // random, X'BX = I
  double optimum = 0;                   // of f = -1/2 tr X'AX
  double lapack_seconds = 0;            // of the direct solution, all vectors included
  double factor_seconds = 0;            // of the Cholesky factor
};

/// A and B are divided by their Frobenius norms, without which the paper's steps make no sense, and for n other than
/// 1000 multiplied by sqrt(n/1000), so that the same steps suit every n.
PencilProblem pencil_problem(PencilKind kind, Index n, Index p, std::uint64_t seed);

enum class PencilMethod { riemannian, plam, landing_r, landing_b };
std::string name_of(PencilMethod method);

struct PencilStep {
  PencilMethod method = PencilMethod::landing_b;
  double eta = 0, omega = 0;  // in the paper's convention: Lambda = Psi + omega 2 B X H
};

struct PencilLimits {
  std::uint64_t iterations = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

/// One entry per iterate. The clock runs for the method alone.
struct PencilTrace {
  std::vector<double> iteration{}, seconds{};
  std::vector<double> gap{};            // (f - f*) / |f*|
  std::vector<double> infeasibility{};  // N = 1/2 ||H||^2
  bool diverged = false;
  double seconds_per_iteration() const;
  /// When |gap| first falls below; infinite if never.
  double seconds_to(double gap) const;
};

/// An iterate with G = grad f(X), Y = B X and H = X'Y - I.
struct PencilIterate {
  const Matrix<double>&x, &g, &y, &h;
};

/// The observer sees every iterate from which a step is taken, while the clock stands still.
PencilTrace run_pencil(const PencilProblem& problem, const PencilStep& step, const PencilLimits& limits,
                       const std::function<void(const PencilIterate&)>& observer = {});

FieldOptions<double> field_of(const PencilProblem& problem, PencilMethod method);

/// About so many points of a curve, more of them at its beginning.
Series thinned(std::string name, const std::vector<double>& x, const std::vector<double>& y,
               std::size_t points = 250);

}  // namespace landfall::app
