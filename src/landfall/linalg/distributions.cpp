#include <landfall/linalg/distributions.hpp>

#include <cmath>
#include <limits>

namespace landfall {
namespace {

constexpr double kTiny = 1e-300, kEnough = 1e-15;
constexpr int kMostTerms = 100000;

/// log Gamma without the global sign that std::lgamma writes, for x > 0.
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double not_zero(double value) {
  return std::abs(value) < kTiny ? kTiny : value;
}

/// The continued fraction of I_x(a, b), by Lentz's method; converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return value;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(a * std::log(x) + b * std::log1p(-x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double upper_gamma(double a, double x) {
  if (!(x > 0)) return 1;
  const double front = std::exp(a * std::log(x) - x - log_gamma(a));
  if (x < a + 1) {  // the series of 1 - Q
    double term = 1 / a, sum = term;
    for (int n = 1; n < kMostTerms && term > kEnough * sum; ++n) sum += term *= x / (a + n);
    return 1 - front * sum;
  }
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b,
         value = d;  // the continued fraction of Q, by Lentz's method
  for (int n = 1; n < kMostTerms; ++n) {
    const double term = -n * (n - a);
    b += 2;
    d = 1 / not_zero(term * d + b);
    c = not_zero(b + term / c);
    value *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return front * value;
}

double chi_squared_tail(double x, double degrees) {
  if (std::isnan(x) || !(degrees > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return 0;
  return upper_gamma(degrees / 2, x / 2);
}

double f_tail(double x, double numerator, double denominator) {
  if (std::isnan(x) || !(numerator > 0) || !(denominator > 0))
    return std::numeric_limits<double>::quiet_NaN();
  if (!(x > 0)) return 1;
  if (std::isinf(x)) return 0;
  return incomplete_beta(denominator / 2, numerator / 2, denominator / (denominator + numerator * x));
}

}  // namespace landfall
