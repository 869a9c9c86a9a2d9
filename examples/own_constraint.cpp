// A custom constraint h(x) = 0: minimises x'Ax on an ellipsoid cut by a plane, x'Dx = 1 and <c, x> = 0.
// The exact minimum is the smallest eigenvalue of (A, D) restricted to the plane.
#include <landfall/landing/constrained.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/random.hpp>

#include <cstdio>

using namespace landfall;
using Mat = Matrix<double>;

int main() {
  const Index n = 20;
  const Mat a = Vector<double>::LinSpaced(n, 1, 10).asDiagonal();
  const Mat d = Vector<double>::LinSpaced(n, 1, 3).asDiagonal();
  const Mat c = gaussian<double>(n, 1, {.seed = 1});

  const auto f = single_block<double>([&](const Mat& x, Mat* gradient) {
    if (gradient) *gradient = 2 * a * x;
    return x.cwiseProduct(a * x).sum();
  });
  const auto h = [&](const Point<double>& x, Vector<double>& out) {
    out << x[0].cwiseProduct(d * x[0]).sum() - 1, x[0].cwiseProduct(c).sum();
  };
  const auto adjoint = [&](const Point<double>& x, const Vector<double>& lambda, Point<double>& out) {
    out[0] = 2 * lambda(0) * d * x[0] + lambda(1) * c;
  };
  const auto slice = std::make_shared<FunctionConstraint<double>>(std::vector{Shape{n, 1}}, 2, h, adjoint);
  ConstraintOracle<double> oracle(f, slice);
  const auto result = solve<double>(oracle, {gaussian<double>(n, 1, {.seed = 2})});

  Mat plane(n, n);  // c, then coordinates
  plane << c, Mat::Identity(n, n - 1);
  const Mat z = orthonormal_basis<double>(plane).rightCols(n - 1);
  const auto exact = solve_pencil<double>(z.transpose() * a * z, z.transpose() * d * z, 1, true);
  const double error = std::abs(result.progress.objective - exact.values(0));
  std::printf("%.12f, off by %.0e, ||h|| = %.0e\n", exact.values(0), error, result.progress.infeasibility);
  return error < 1e-10 ? 0 : 1;
}
