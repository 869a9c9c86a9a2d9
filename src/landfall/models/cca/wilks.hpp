// Wilks' test whether canonical pairs k, k + 1, ... are more than chance, for jointly normal rows.
//
//   landfall::Vector<double> correlations(3);
//   correlations << 0.7956, 0.2006, 0.0726;    // all of them
//   const auto tests = landfall::wilks_tests(correlations, landfall::log_wilks(correlations), {.left = 3, .right = 3, .rows = 20});
//   use(tests[0].lambda, tests[0].chi_squared.p, tests[0].f.p);
#pragma once

#include <landfall/linalg/types.hpp>

#include <vector>

namespace landfall {

/// An approximation to the distribution of lambda where the pairs are chance.
struct WilksApproximation {
  double statistic = 0;
  double degrees = 0, denominator = 0;  // of freedom; the second of F only
  double p = 1;
};

struct WilksTest {
  double lambda = 1;               // (1 - rho_k^2)(1 - rho_k+1^2)..., over all further pairs
  WilksApproximation chi_squared;  // Bartlett's
  WilksApproximation f;            // Rao's
};

struct WilksSizes {
  Index left = 0, right = 0;  // columns of the views that do not depend on each other
  Index rows = 0;
};

/// log lambda of all pairs.
double log_wilks(const Vector<double>& correlations);

/// One test for each of the leading correlations, given log lambda over all min(left, right) of them. Empty where there
/// are not more rows than columns: the distribution is not known then.
std::vector<WilksTest> wilks_tests(const Vector<double>& leading, double log_lambda, const WilksSizes& sizes);

}  // namespace landfall
