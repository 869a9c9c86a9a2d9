// Tail probabilities of the distributions that tests refer to.
//
//   const double p = landfall::chi_squared_tail(16.2, 9);       // P(chi^2 with 9 degrees of freedom > 16.2)
//   use(p, landfall::f_tail(2.05, 9, 34.2));                    // degrees of freedom need not be whole
#pragma once

namespace landfall {

/// P(X > x) for X of the chi-squared distribution; 1 for x <= 0.
double chi_squared_tail(double x, double degrees);

/// P(X > x) for X of the F distribution; 1 for x <= 0.
double f_tail(double x, double numerator, double denominator);

/// The regularised incomplete functions behind them: Q(a, x) = Gamma(a, x) / Gamma(a), and I_x(a, b).
double upper_gamma(double a, double x);
double incomplete_beta(double a, double b, double x);

}  // namespace landfall
