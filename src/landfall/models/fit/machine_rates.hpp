// Measures the speed of this machine for the cost model, in about a third of a second.
//
//   const auto rates = landfall::measure_machine<float>();
//   use(2.0 * 1000 * 1000 * 1000 / rates.products);    // seconds of a product of 1000 x 1000 matrices
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

/// Per second. Everything but `products` and `eigen` in one thread, as landing runs.
struct MachineRates {
  double products = 0;  // flops of large products, with all threads
  double eigen = 0;     // n^3 of solve_pencil with n = eigen_size, with all threads
  double thin = 0;      // flops of products of a batch with n x p, p small
  double sparse = 0;    // multiply-adds of sparse rows with n x p
  double blocks = 0;    // numbers of y = a x + y, n x p too large for the cache

  static constexpr double eigen_size = 192;
};

template <class S>
MachineRates measure_machine();

extern template MachineRates measure_machine<float>();
extern template MachineRates measure_machine<double>();

}  // namespace landfall
