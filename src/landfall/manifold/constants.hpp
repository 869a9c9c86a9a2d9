// The constants of the theory on the generalized Stiefel manifold, from the extreme eigenvalues of B: beta_1
// the largest, beta_n the smallest, and the radius eps < 1 of the safe region { ||X'BX - I||_F <= eps }.
//
//   const auto constants = landfall::tight_constants(beta_1, beta_n, 0.5);
//   const double safe = landfall::safe_step_lower_bound(constants, c_psi, omega, 0.5);
//   const double rho = constants.rho_metric;
//   const double eta = landfall::deterministic_step_bound(constants, rho, l_merit, omega, safe);
//
// `tight_` needs no condition number, because ||BX||^2 = ||B^1/2 (B^1/2 X)||^2 <= beta_1 (1 + eps); `paper_`
// is what the paper prints, kept for comparison.
#pragma once

namespace landfall {

struct StiefelConstants {
  double c_h = 0;             // C_h: the largest singular value of Dh on the safe region
  double c_h_low = 0;         // the smallest
  double l_n = 0;             // L_N: grad N is L_N-Lipschitz there, N = ||h||^2/2
  double rho_metric = 0;      // <Psi_B, G> >= rho ||Psi_B||^2
  double rho_riemannian = 0;  // <Psi_R, G> >= rho ||Psi_R||^2
};

/// C_h = 2 sqrt(beta_1 (1+eps)), C_h_low = 2 sqrt(beta_n (1-eps)), L_N = 2 beta_1 (2 + 3 eps), and for Psi
/// with 2 skew rho_B = 1/(2 beta_1 (1+eps)), rho_R = beta_n/(2 (1+eps)).
StiefelConstants tight_constants(double beta_1, double beta_n, double eps);

/// As printed, with kappa = beta_1/beta_n. The printed rho belong to Psi with skew where the paper, like
/// Landfall, uses 2 skew; for that they must be halved.
StiefelConstants paper_constants(double beta_1, double beta_n, double eps);

/// The weight beta of ||h||^2 in Fletcher's augmented Lagrangian with which <grad L, Lambda> >= rho/2
/// (||Psi||^2 + ||h||^2), C_lambda bounding the derivative of the multipliers:
///   (rho/4 + omega C_lambda C_h/2 + C_lambda^2/(4 rho)) / (omega C_h_low^2).
double fletcher_beta(const StiefelConstants& constants, double rho, double c_lambda, double omega);

/// As printed, with C_h^2 in the denominator: too small, since the proof bounds ||grad N|| from below.
double fletcher_beta_paper(const StiefelConstants& constants, double rho, double c_lambda, double omega);

/// A lower bound on safe_step_lemma over the safe region when ||Psi|| <= c_psi
/// there; alpha in (0, 1) is free.
double safe_step_lower_bound(const StiefelConstants& constants, double c_psi, double omega, double eps,
                             double alpha = 0.5);

/// The largest constant step of the theorem on deterministic landing; l_merit is the smoothness of Fletcher's
/// function, safe the bound above.
double deterministic_step_bound(const StiefelConstants& constants, double rho, double l_merit, double omega,
                                double safe);

/// The largest eta_0 of the theorem on stochastic landing, for steps eta_0/sqrt(1 + k).
double stochastic_step_bound(const StiefelConstants& constants, double rho, double l_merit, double omega);

struct VarianceInputs {
  double sigma_g2 = 0;  // E||grad f_xi(X) - grad f(X)||_F^2
  double sigma_b2 = 0;  // E||B_zeta - B||_F^2
  double p_b = 0;       // E||B_zeta||_2^2
  double delta = 0;     // at least ||grad f(X) X'||_2^2
  double beta_1 = 0;
  double beta_n = 0;
  double eps = 0;
  double omega = 0;
};

/// E||Lambda_{xi,zeta,zeta'} - Lambda||^2 <= sigma_G^2 alpha_G + sigma_B^2 (alpha_B + omega^2 gamma_B), for
/// Psi_B, the normal term 2BXH and three independent draws.
struct VarianceBound {
  double alpha_g = 0;
  double alpha_b = 0;
  double gamma_b = 0;
  double total = 0;
};

/// With chi = (1+eps)/beta_n >= ||X||_2^2: alpha_G = 8 p_B^2 chi^2, alpha_B = 8 chi delta (p_B + beta_1^2)
/// and gamma_B = 8 chi (chi^2 sigma_B^2 + eps^2 + beta_1 (1+eps) chi).
VarianceBound variance_bound(const VarianceInputs& inputs);

/// As printed: gamma_B = 8 chi (chi sigma_B^2 + eps^2 + beta_1^2 chi^3), whose derivation
/// does not hold (powers of chi).
VarianceBound variance_bound_paper(const VarianceInputs& inputs);

}  // namespace landfall
