// K from a rank-k sketch of B: its leading eigenvectors by a randomised range finder, the rest taken to be
// one multiple of the identity.
//
//   auto k = landfall::sketch_preconditioner<double>(*b, {.rank = 64});
#pragma once

#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/scratch.hpp>

namespace landfall {

struct SketchOptions {
  Index rank = 64;  // at most, unless the two below say more
  /// The trace of B, if known: the rank is doubled, up to `most`, while the first eigenvalue left out is more
  /// than four times the mean of all that are, for the spectrum then falls steeply still. On planted data of
  /// condition 1e4 four passes of landing then reach 0.9999 of the optimum instead of 0.84.
  double trace = 0;
  Index most = 0;
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

/// D K D, the positive diagonal D scaling what K is given: for coordinates x = D z in which K was made.
template <class S>
class ScaledPreconditioner final : public Preconditioner<S> {
 public:
  ScaledPreconditioner(Vector<S> scale, PreconditionerPtr<S> inner);

 protected:
  void apply_impl(In<S> x, Out<S> y) const override;
  void apply_inverse_impl(In<S> x, Out<S> y) const override;

 private:
  Vector<S> scale_, inverse_;
  PreconditionerPtr<S> inner_;
  mutable Scratch<S> scaled_;
};

#define LANDFALL_SKETCH(EXTERN, S)                                                         \
  EXTERN template std::shared_ptr<const SketchPreconditioner<S>> sketch_preconditioner<S>( \
      const SymmetricOperator<S>&, const SketchOptions&);                                  \
  EXTERN template class ScaledPreconditioner<S>;
LANDFALL_SKETCH(extern, float)
LANDFALL_SKETCH(extern, double)

}  // namespace landfall
