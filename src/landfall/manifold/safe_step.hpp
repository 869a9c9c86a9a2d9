// Safe steps: steps that stay in the safe region { ||H||_F <= eps }, the exact
// line search, the trust region.
//
//   landfall::RayWorkspace<double> work;
//   b->apply(lambda, z);                                          // Z = B Lambda; the next Y is Y - eta Z
//   auto ray = landfall::ray_polynomial<double>(residual, y, lambda, z, work);
//   eta = std::min(eta, landfall::safe_step(ray, 0.5));           // ||h(X - eta Lambda)|| <= 0.5
//
// Along X - eta Lambda the constraint is a quadratic in eta, hence for a fixed B (or the same draw)
//   ||h(X - eta Lambda)||^2 = ||H - eta S1 + eta^2 S2||^2,   S1 = Y'Lambda + Lambda'Y,   S2 = Lambda'B Lambda
// is a quartic, whatever the direction and normal term. The steps of several blocks add up (CCA has two).
#pragma once

#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/types.hpp>

#include <array>

namespace landfall {

/// The paper's lemma, for Lambda = Psi + omega grad N, with d = ||H||, g = ||Lambda||, m = ||grad N||:
///   eta = [omega m^2 + sqrt(omega^2 m^4 + L_N g^2 (eps^2 - d^2))] / (L_N g^2).
/// A negative radicand (d > eps) counts as 0; infinite when g = 0.
double safe_step_lemma(double d, double g, double m, double omega, double eps, double l_n);

/// What happens along the ray eta -> X - eta Lambda; coefficient k belongs to eta^k.
struct RayPolynomial {
  std::array<double, 5> infeasibility{};  // ||h(X - eta Lambda)||^2
  std::array<double, 3> objective{};      // f(X - eta Lambda), for a quadratic f
  bool has_objective = false;

  /// Adds another block.
  RayPolynomial& operator+=(const RayPolynomial& other);
};

/// S1 and S2, kept between calls.
template <class S>
struct RayWorkspace {
  Matrix<S> s1, s2;
};

/// One block from H, S1 and S2.
template <class S>
RayPolynomial ray_polynomial(In<S> h, In<S> s1, In<S> s2);

/// One block from H, y = B X, lambda and z = B Lambda.
template <class S>
RayPolynomial ray_polynomial(In<S> h, In<S> y, In<S> lambda, In<S> z, RayWorkspace<S>& work);

/// The first eta at which the ray leaves ||h|| <= eps; infinite when it never does. From a start outside the
/// region, the eta >= 0 of least infeasibility. 0 when a coefficient is not finite.
double safe_step(const RayPolynomial& ray, double eps);

/// The eta >= 0 that minimises objective + mu * infeasibility along the whole ray; 0 when there is none.
double best_step(const RayPolynomial& ray, double mu);

/// ||move||_{K^-1}; without k the Frobenius norm.
template <class S>
double metric_norm(const Preconditioner<S>* k, In<S> move, Matrix<S>& work);

/// The factor in (0, 1] that brings a move down to ||move||_{K^-1} <= c sqrt(p), in whose metric ||X|| is
/// about sqrt(p).
template <class S>
S trust_scale(const Preconditioner<S>* k, In<S> move, double c, Matrix<S>& work);

#define LANDFALL_SAFE_STEP(EXTERN, S)                                                            \
  EXTERN template RayPolynomial ray_polynomial<S>(In<S>, In<S>, In<S>);                          \
  EXTERN template RayPolynomial ray_polynomial<S>(In<S>, In<S>, In<S>, In<S>, RayWorkspace<S>&); \
  EXTERN template double metric_norm<S>(const Preconditioner<S>*, In<S>, Matrix<S>&);            \
  EXTERN template S trust_scale<S>(const Preconditioner<S>*, In<S>, double, Matrix<S>&);
LANDFALL_SAFE_STEP(extern, float)
LANDFALL_SAFE_STEP(extern, double)

}  // namespace landfall
