#include <landfall/linalg/distributions.hpp>
#include <landfall/models/cca/wilks.hpp>

#include <cmath>
#include <limits>

namespace landfall {
namespace {

/// Bartlett 1947: -(N - 1 - (p + q + 1)/2) log lambda is nearly chi-squared with (p - k)(q - k) degrees of freedom.
WilksApproximation bartlett(double log_lambda, double p, double q, double rows, double left_out) {
  WilksApproximation test{.statistic = -(rows - 1 - (p + q + 1) / 2) * log_lambda,
                          .degrees = (p - left_out) * (q - left_out)};
  test.p = chi_squared_tail(test.statistic, test.degrees);
  return test;
}

/// Rao 1951, for p and q columns less the pairs left out: exact where one of them is at most 2.
WilksApproximation rao(double log_lambda, double p, double q, double rows, double left_out) {
  const double a = p - left_out, b = q - left_out;
  const double s = a * a + b * b > 5 ? std::sqrt((a * a * b * b - 4) / (a * a + b * b - 5)) : 1;
  const double m = rows - 1 - (p + q + 1) / 2;
  WilksApproximation test{.degrees = a * b, .denominator = m * s - a * b / 2 + 1};
  // (1 - lambda^(1/s)) / lambda^(1/s)
  test.statistic = std::expm1(-log_lambda / s) * test.denominator / test.degrees;
  test.p = f_tail(test.statistic, test.degrees, test.denominator);
  return test;
}

}  // namespace

double log_wilks(const Vector<double>& correlations) {
  double sum = 0;
  for (const double rho : correlations) sum += std::log1p(-rho * rho);
  return sum;
}

std::vector<WilksTest> wilks_tests(const Vector<double>& leading, double log_lambda,
                                   const WilksSizes& sizes) {
  const auto p = static_cast<double>(sizes.left), q = static_cast<double>(sizes.right),
             rows = static_cast<double>(sizes.rows);
  std::vector<WilksTest> tests;
  if (sizes.rows <= sizes.left + sizes.right + 1) return tests;
  for (Index k = 0; k < leading.size(); ++k) {
    const auto left_out = static_cast<double>(k);
    tests.push_back({std::exp(log_lambda), bartlett(log_lambda, p, q, rows, left_out),
                     rao(log_lambda, p, q, rows, left_out)});
    const double factor = std::log1p(-leading(k) * leading(k));
    // A pair that correlates perfectly says nothing about those after it: their product is 0/0.
    log_lambda =
        std::isinf(factor) ? std::numeric_limits<double>::quiet_NaN() : std::min(0.0, log_lambda - factor);
  }
  return tests;
}

}  // namespace landfall
