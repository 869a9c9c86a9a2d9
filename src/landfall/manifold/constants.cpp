#include <landfall/errors.hpp>
#include <landfall/manifold/constants.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

void check(double beta_1, double beta_n, double eps) {
  if (!(beta_n > 0) || !(beta_1 >= beta_n) || !std::isfinite(beta_1))
    throw UsageError(fmt::format("extreme eigenvalues {:.3g} and {:.3g} of B: expected beta_1 >= beta_n > 0",
                                 beta_1, beta_n));
  if (!(eps >= 0 && eps < 1))
    throw UsageError(fmt::format("safe region of radius {:.3g}: expected 0 <= eps < 1", eps));
}

void check_positive(const char* name, double value) {
  if (!(value > 0)) throw UsageError(fmt::format("{} = {:.3g}: expected a positive number", name, value));
}

/// rho/4 + omega C_lambda C_h/2 + C_lambda^2/(4 rho), over omega.
double fletcher_numerator(const StiefelConstants& constants, double rho, double c_lambda, double omega) {
  check_positive("rho", rho);
  check_positive("omega", omega);
  return (rho / 4 + omega * c_lambda * constants.c_h / 2 + c_lambda * c_lambda / (4 * rho)) / omega;
}

VarianceBound assemble(const VarianceInputs& in, double chi, double gamma_b) {
  VarianceBound bound;
  bound.alpha_g = 8 * in.p_b * in.p_b * chi * chi;
  bound.alpha_b = 8 * chi * in.delta * (in.p_b + in.beta_1 * in.beta_1);
  bound.gamma_b = gamma_b;
  bound.total = in.sigma_g2 * bound.alpha_g + in.sigma_b2 * (bound.alpha_b + in.omega * in.omega * gamma_b);
  return bound;
}

}  // namespace

StiefelConstants tight_constants(double beta_1, double beta_n, double eps) {
  check(beta_1, beta_n, eps);
  return {.c_h = 2 * std::sqrt(beta_1 * (1 + eps)),
          .c_h_low = 2 * std::sqrt(beta_n * (1 - eps)),
          .l_n = 2 * beta_1 * (2 + 3 * eps),
          .rho_metric = 1 / (2 * beta_1 * (1 + eps)),
          .rho_riemannian = beta_n / (2 * (1 + eps))};
}

StiefelConstants paper_constants(double beta_1, double beta_n, double eps) {
  check(beta_1, beta_n, eps);
  const double kappa = beta_1 / beta_n;
  return {.c_h = 2 * std::sqrt((1 + eps) * beta_1 * kappa),
          .c_h_low = 2 * std::sqrt((1 - eps) * beta_n / kappa),
          .l_n = 2 * beta_1 * (eps + 2 * (1 + eps) * kappa),
          .rho_metric = 1 / (beta_1 * kappa * (1 + eps)),
          .rho_riemannian = beta_n / (1 + eps)};
}

double fletcher_beta(const StiefelConstants& constants, double rho, double c_lambda, double omega) {
  return fletcher_numerator(constants, rho, c_lambda, omega) / (constants.c_h_low * constants.c_h_low);
}

double fletcher_beta_paper(const StiefelConstants& constants, double rho, double c_lambda, double omega) {
  return fletcher_numerator(constants, rho, c_lambda, omega) / (constants.c_h * constants.c_h);
}

double safe_step_lower_bound(const StiefelConstants& constants, double c_psi, double omega, double eps,
                             double alpha) {
  check_positive("omega", omega);
  if (!(alpha > 0 && alpha < 1))
    throw UsageError(fmt::format("alpha = {:.3g}: expected 0 < alpha < 1", alpha));
  const double c2 = constants.c_h * constants.c_h, low2 = constants.c_h_low * constants.c_h_low;
  const double field2 = c_psi * c_psi + omega * omega * c2 * eps * eps;  // bounds ||Lambda||^2
  const double room = (1 - alpha) * eps / std::sqrt(2 * constants.l_n);
  return std::min({omega * low2 * alpha * alpha * eps * eps / (constants.l_n * field2), room, room / field2,
                   low2 / (omega * constants.l_n * c2)});
}

double deterministic_step_bound(const StiefelConstants& constants, double rho, double l_merit, double omega,
                                double safe) {
  return std::min(stochastic_step_bound(constants, rho, l_merit, omega), safe);
}

double stochastic_step_bound(const StiefelConstants& constants, double rho, double l_merit, double omega) {
  check_positive("the smoothness of the merit function", l_merit);
  const double slope = omega * constants.c_h;
  return rho / (2 * l_merit * std::max(1.0, slope * slope));
}

VarianceBound variance_bound(const VarianceInputs& in) {
  check(in.beta_1, in.beta_n, in.eps);
  // Var[VX(X'UX - I)] = E||(V-B)X(X'UX - I)||^2 + E||BXX'(U-B)X||^2
  //   <= sigma_B^2 chi (chi^2 sigma_B^2 + eps^2) + beta_1 (1+eps) chi^2 sigma_B^2,
  // with ||X||^2 <= chi, ||BX||^2 <= beta_1 (1+eps); then Var[2a + 2 omega b] <= 8 (Var a + omega^2 Var b).
  const double chi = (1 + in.eps) / in.beta_n;
  return assemble(in, chi,
                  8 * chi * (chi * chi * in.sigma_b2 + in.eps * in.eps + in.beta_1 * (1 + in.eps) * chi));
}

VarianceBound variance_bound_paper(const VarianceInputs& in) {
  check(in.beta_1, in.beta_n, in.eps);
  const double chi = (1 + in.eps) / in.beta_n;
  return assemble(in, chi,
                  8 * chi * (chi * in.sigma_b2 + in.eps * in.eps + in.beta_1 * in.beta_1 * chi * chi * chi));
}

}  // namespace landfall
