// K from a rank-k sketch of B: its leading eigenvectors by a randomised range finder, the rest taken to be
// one multiple of the identity.
//
//   auto k = landfall::sketch_preconditioner<double>(*b, {.rank = 64});
#pragma once

#include <landfall/linalg/preconditioner.hpp>

namespace landfall {

struct SketchOptions {
  Index rank = 64;  // at most
  /// Directions whose eigenvalue is below this many times the first one left out gain nothing and are left
  /// out, too: where the spectrum is flat, K is a multiple of the identity.
  double flat = 1;
  double shift = 0.3;        // mu as a fraction of the first eigenvalue left out; 0.3 to 1 works
  int power_iterations = 2;  // of the range finder: each costs a product with B
  std::uint64_t seed = 0;
};

/// rank + 8 columns are multiplied with B power_iterations + 2 times. B must be
/// positive semidefinite, not zero.
template <class S>
std::shared_ptr<const SketchPreconditioner<S>> sketch_preconditioner(const SymmetricOperator<S>& b,
                                                                     const SketchOptions& options = {});

extern template std::shared_ptr<const SketchPreconditioner<float>> sketch_preconditioner<float>(
    const SymmetricOperator<float>&, const SketchOptions&);
extern template std::shared_ptr<const SketchPreconditioner<double>> sketch_preconditioner<double>(
    const SymmetricOperator<double>&, const SketchOptions&);

}  // namespace landfall
