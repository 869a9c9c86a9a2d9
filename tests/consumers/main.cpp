// What a client writes: the generalized eigenproblem of a 3 x 3 pencil, whose answer is known.
#include <landfall/landfall.hpp>

#include <cmath>
#include <memory>

int main() {
  using namespace landfall;
  Matrix<double> a = Matrix<double>::Zero(3, 3), b = Matrix<double>::Identity(3, 3);
  a.diagonal() << 1, 2, 3;
  b(0, 0) = 0.1;  // eigenvalues 10, 3, 2
  const auto operator_a = std::make_shared<DenseOperator<double>>(a);
  const auto operator_b = std::make_shared<DenseOperator<double>>(b);
  const GevpResult<double> result = solve_gevp<double>(operator_a, operator_b, {.components = 2});
  return std::abs(result.values(0) - 10) < 1e-10 && std::abs(result.values(1) - 3) < 1e-10 ? 0 : 1;
}
