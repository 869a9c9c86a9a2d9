// A custom smooth f on { X : X'BX = I }, where B = S'S/N + ridge I is given by data S and never formed.
// f is Brockett's cost sum_j mu_j x_j'A x_j, whose minimisers are the eigenvectors of (A, B), not only their
// span.
#include <landfall/landing/exact.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/manifold/check.hpp>

#include <cstdio>

using namespace landfall;

int main() {
  const Index n = 60, p = 3;
  const auto b = std::make_shared<GramOperator<double>>(
      gaussian<double>(2000, n, {.seed = 1}) * Vector<double>::LinSpaced(n, 1, 4).asDiagonal(), 1e-3);
  const Vector<double> a = Vector<double>::LinSpaced(n, 1, 50), mu = Vector<double>::LinSpaced(p, 3, 1);

  const auto f = single_block<double>([&](const Matrix<double>& x, Matrix<double>* gradient) {
    const Matrix<double> ax_mu = a.asDiagonal() * x * mu.asDiagonal();
    if (gradient) *gradient = 2 * ax_mu;
    return x.cwiseProduct(ax_mu).sum();
  });
  const Matrix<double> start = gaussian<double>(n, p, {.seed = 2});
  std::printf("gradient check: %.1e\n", check_gradient<double>(f, {start}));

  StiefelOracle<double> oracle(f, {{.b = b, .components = p}});
  const auto result = solve<double>(oracle, {start});
  std::printf("%s after %d steps, ||X'BX - I|| = %.1e\n", to_string(result.termination).data(),
              static_cast<int>(result.progress.iteration), result.progress.infeasibility);

  const auto exact = solve_pencil<double>(a.asDiagonal(), to_dense(*b), p, true).values;
  double error = 0;
  for (Index j = 0; j < p; ++j) {
    const auto x = result.x[0].col(j);
    const double value = x.dot(a.asDiagonal() * x);
    std::printf("  %.10f   exact %.10f\n", value, exact(j));
    error = std::max(error, std::abs(value - exact(j)));
  }
  return error < 1e-6 ? 0 : 1;
}
