// The move from X towards the optimum of all rows, whose residual is known at X alone. The first rows stand in for the others.
//
//   std::shared_ptr<landfall::InMemorySamples<float>> first;
//   std::vector<landfall::InversePtr<float>> inverse;
//   landfall::Point<float> x, bx, r;                     // X, B X and R = G - B X diag(rho) over all rows
//   landfall::Vector<double> rho, length;                // length: 1/rho, or less
//   const auto move = landfall::corrected_move<float>(*first, inverse, {x, bx, r, rho}, {length, 3, {1e-3, 1e-3}});
//   use(move.d, move.metric);                            // X + D, and (X + D)'B(X + D)
//
// One step is D = K R H, H = diag(length), without its part in the span of X: with K = B^-1 and H = 1/rho the power method. An error along an
// eigenvector with eigenvalue mu falls to mu/rho of itself. Where that is near 1, further steps
//   D <- D + K [R + A_1 D - (B_1 D) diag(rho)] H
// help, with A_1 and B_1 those of the first rows: R is exact, and what they get wrong is multiplied by the small D.
#pragma once

#include <landfall/landing/subspace/pilot.hpp>

namespace landfall {

template <class S>
struct CorrectedPoint {
  const Point<S>&x, &bx, &r;
  const Vector<double>& values;  // rho
};

struct CorrectionOptions {
  Vector<double> length;  // of the step of each column
  int steps = 1;
  std::vector<double> ridge = {};  // of each view
};

template <class S>
struct CorrectedMove {
  Point<S> d;
  std::vector<Matrix<double>> metric;  // I + D'BD of each view, with K^-1 in place of B
};

template <class S>
CorrectedMove<S> corrected_move(const InMemorySamples<S>& first, const std::vector<InversePtr<S>>& inverse,
                                const CorrectedPoint<S>& at, const CorrectionOptions& options,
                                const CancelFlag& cancel = {});

#define LANDFALL_CORRECTED_MOVE(EXTERN, S)                                                    \
  EXTERN template CorrectedMove<S> corrected_move<S>(                                         \
      const InMemorySamples<S>&, const std::vector<InversePtr<S>>&, const CorrectedPoint<S>&, \
      const CorrectionOptions&, const CancelFlag&);
LANDFALL_CORRECTED_MOVE(extern, float)
LANDFALL_CORRECTED_MOVE(extern, double)

}  // namespace landfall
