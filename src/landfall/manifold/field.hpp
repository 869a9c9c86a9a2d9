// The landing field on the generalized Stiefel manifold { X : X'BX = I }: the formula of the method.
//
//   landfall::StiefelField<double> field({.direction = landfall::Direction::metric});
//   b->apply(x, y);                                // Y = B X
//   field(x, g, y, y, omega, lambda);              // Lambda = Psi + omega 2 Y H
//   x -= eta * lambda;
//
// With G = grad f(X), Y = B X, P = X'Y, H = P - I, C = Y'Y, and no n x n matrix anywhere:
//
//   metric          Psi_B = G C - Y (G'Y)            = 2 skew(G X'B) B X
//   riemannian      Psi_R = (B^-1 G) P - X (G'X)     = 2 skew(B^-1 G X') B X
//   euclidean       Psi_E = G - Y L, C L + L C = Y'G + G'Y   (Riemannian gradient in the Euclidean metric)
//   preconditioned  Psi_K = K [G (Y'KY) - Y (G'KY)]           (K = I gives Psi_B, K = B^-1 gives Psi_R)
//
//   normal term     2 Y H = grad N for N = ||H||^2/2, or 2 X H, whose contraction does not depend on B
//
// Each Psi is orthogonal to grad N at every X, feasible or not. For random B take two independent draws,
// Y1 = B_z X and Y2 = B_z' X: Psi = G (Y1'Y2) - Y1 (G'Y2) and 2 Y2 (X'Y1 - I) have the right expectation.
// Psi_R and Psi_E have no such form and take one Y.
#pragma once

#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/types.hpp>
#include <landfall/manifold/multiplier.hpp>

#include <string_view>

namespace landfall {

/// The part of the field that lowers f: Psi_B, Psi_R, Psi_E, Psi_K.
enum class Direction { metric, riemannian, euclidean, preconditioned };

/// The part that lands: 2 B X H or 2 X H.
enum class Normal { gradient, newton };

std::string_view to_string(Direction direction);
std::string_view to_string(Normal normal);

/// The inverse of to_string. Throws UsageError with the list of choices.
Direction parse_direction(std::string_view name);
Normal parse_normal(std::string_view name);

template <class S>
struct FieldOptions {
  Direction direction = Direction::metric;
  Normal normal = Normal::gradient;
  PreconditionerPtr<S> preconditioner{};  // K for preconditioned, B^-1 for riemannian; else unused
};

/// Keeps its workspaces, so that from the second call on at the same size nothing is allocated.
template <class S>
class StiefelField {
 public:
  explicit StiefelField(FieldOptions<S> options);

  /// lambda = Psi + omega * (normal term) at x, from g = grad f, y1 = B_z x and y2 = B_z' x. Pass the same
  /// matrix twice for an exact B or one shared draw. lambda must not overlap the others.
  void operator()(In<S> x, In<S> g, In<S> y1, In<S> y2, S omega, Out<S> lambda);

  /// H = X'Y1 - I of the last call, or of the last measure().
  const Matrix<S>& residual() const { return h_; }
  void measure(In<S> x, In<S> y);

  /// lambda += omega * (2 Y2 H or 2 X H) with H = residual(): for a step that had to see Psi first.
  void add_normal(In<S> x, In<S> y2, S omega, Out<S> lambda);

  /// ||Psi||_F of the last call, and the size of the terms that cancel in it at a critical point.
  S tangent_norm() const;
  S tangent_scale() const { return tangent_scale_; }

  /// ||2 Y H||_F (or ||2 X H||_F) of the last call with an omega other than 0, without omega.
  S normal_norm() const;

  const FieldOptions<S>& options() const { return options_; }

 private:
  void check(In<S> x, In<S> g, In<S> y1, In<S> y2, In<S> lambda) const;
  void metric(In<S> g, In<S> y1, In<S> y2, Out<S> lambda);
  void riemannian(In<S> x, In<S> g, Out<S> lambda);
  void euclidean(In<S> g, In<S> y, Out<S> lambda);
  void preconditioned(In<S> g, In<S> y1, In<S> y2, Out<S> lambda);

  FieldOptions<S> options_;
  LyapunovMultiplier<S> lyapunov_;
  bool merged_ = false;       // the normal term went into a p x p factor of Psi
  S twice_omega_ = 0;         // of the current call, 0 unless merged
  Matrix<S> h_, c_, w_;       // p x p: H; C or what stands for it; the factor to the right of Y
  Matrix<S> kg_, ky1_, ky2_;  // n x p: K G, K Y1, K Y2
  Matrix<S> normal_;          // n x p: the normal term where it is not merged
  S lambda_norm_ = 0;         // of what is merged: of Lambda, else of Psi alone
  S tangent_scale_ = 0, normal_norm_ = 0;
  mutable Matrix<S> scratch_;  // p x p
};

/// Psi alone, once.
template <class S>
Matrix<S> tangent_direction(const FieldOptions<S>& options, In<S> x, In<S> g, In<S> y);

/// 2 Y H or 2 X H, once.
template <class S>
Matrix<S> normal_term(Normal normal, In<S> x, In<S> y);

#define LANDFALL_FIELD(EXTERN, S)                                                              \
  EXTERN template class StiefelField<S>;                                                       \
  EXTERN template Matrix<S> tangent_direction<S>(const FieldOptions<S>&, In<S>, In<S>, In<S>); \
  EXTERN template Matrix<S> normal_term<S>(Normal, In<S>, In<S>);
LANDFALL_FIELD(extern, float)
LANDFALL_FIELD(extern, double)

}  // namespace landfall
