// LOBPCG (Knyazev 2001): the extreme eigenpairs of A x = lambda B x from products with A and B alone, one of
// each per iteration. The method to reach for when A and B are operators too large to be written out.
//
//   auto found = landfall::lobpcg<double>(*a, *b, {.components = 10, .smallest = true}, k);
//   if (found.converged()) use(found.values, found.vectors);
#pragma once

#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/preconditioner.hpp>

#include <cstdint>
#include <functional>

namespace landfall {

struct LobpcgOptions {
  Index components = 1;   // p, how many eigenpairs
  bool smallest = false;  // the smallest eigenvalues instead of the largest
  /// A pair has converged when ||A x - lambda B x|| <= tolerance (||A|| + |lambda| ||B||) ||x||, the norms
  /// being estimated from below by the products made. 0 stands for 1e-8 in double, 3e-5 in single precision.
  double tolerance = 0;
  int max_iterations = 500;
  std::uint64_t seed = 0;  // of the random start
  /// Called at the start (iteration 0) and after every iteration with the largest
  /// relative residual; false ends the run.
  std::function<bool(int iteration, double residual)> observer = nullptr;
};

enum class LobpcgEnd {
  converged,       // every pair satisfies the tolerance
  direct,          // 5 p > n: A and B were written out and solved by LAPACK
  max_iterations,  // the best iterate is returned
  stopped,         // by the observer; the best iterate is returned
  stagnated,       // the residuals hold no direction that is new; the best iterate is returned
};

template <class S>
struct LobpcgResult {
  Vector<S> values;     // descending, or ascending for the smallest
  Matrix<S> vectors;    // B-orthonormal
  Vector<S> residuals;  // ||A x - lambda B x|| / ((||A|| + |lambda| ||B||) ||x||), from fresh products
  int iterations = 0;
  /// Blocks multiplied by A and by B: one per iteration, the start, a refresh now and then, the end.
  Index products_a = 0;
  Index products_b = 0;
  LobpcgEnd end = LobpcgEnd::converged;
  bool converged() const { return end == LobpcgEnd::converged || end == LobpcgEnd::direct; }
};

/// The preconditioner T is applied to residuals: about (A - sigma B)^-1 for eigenvalues near sigma, about
/// B^-1 for the largest ones. Without one it is diag(B)^-1 where B knows its diagonal, the identity
/// otherwise. Starts at x0 (n x p, any independent columns) or, when x0 is empty, at Gaussian columns.
template <class S>
LobpcgResult<S> lobpcg(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b,
                       const LobpcgOptions& options, PreconditionerPtr<S> preconditioner = nullptr,
                       Matrix<S> x0 = {});

#define LANDFALL_LOBPCG(EXTERN, S)                                                                    \
  EXTERN template struct LobpcgResult<S>;                                                             \
  EXTERN template LobpcgResult<S> lobpcg<S>(const SymmetricOperator<S>&, const SymmetricOperator<S>&, \
                                            const LobpcgOptions&, PreconditionerPtr<S>, Matrix<S>);
LANDFALL_LOBPCG(extern, float)
LANDFALL_LOBPCG(extern, double)

}  // namespace landfall
