// The five largest eigenvalues of A x = lambda B x for dense A and B whose eigenvalues are known,
// first by the method that suits the size, then by landing.
#include <landfall/data/synthetic/pencil.hpp>
#include <landfall/models/gevp/gevp.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

using namespace landfall;

int main() {
  const auto pencil = make_pencil({.size = 200, .kind = PencilKind::planted});
  const auto a = std::make_shared<DenseOperator<double>>(pencil.a);
  const auto b = std::make_shared<DenseOperator<double>>(pencil.b);
  const Vector<double> known = pencil.eigenvalues.tail(5).reverse();

  double error = 0;
  for (const auto method : {GevpMethod::automatic, GevpMethod::landing}) {
    const auto result = solve_gevp<double>(a, b, {.components = 5, .method = method});
    std::printf("%s, %d iterations, %s\n", to_string(result.method).data(),
                static_cast<int>(result.iterations), to_string(result.termination).data());
    for (Index i = 0; i < 5; ++i) std::printf("  %.12f   known %.12f\n", result.values(i), known(i));
    error = std::max(error, (result.values - known).cwiseAbs().maxCoeff());
  }
  return error < 1e-8 ? 0 : 1;
}
