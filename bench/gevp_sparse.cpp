// bench_gevp_sparse [SIDE]: the ten smallest eigenvalues of the Laplacian on a cube by trilinear finite elements, with its mass
// matrix, n = SIDE^3 (47^3 = 103823 unless given). solve_gevp by its own choice of method against Spectra's Lanczos in
// shift-and-invert mode, the solves by Eigen's SimplicialLDLT. Processor time of all threads; the factorisation counts.
#include <landfall/models/gevp/gevp.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "timing.hpp"
#include <Eigen/SparseCholesky>
#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>
#include <unsupported/Eigen/KroneckerProduct>

namespace {

using landfall::Index;
using landfall::Vector;
using Sparse = Eigen::SparseMatrix<double>;

constexpr Index kPairs = 10;

/// Of the inner nodes of an interval.
Sparse tridiagonal(Index size, double diagonal, double beside) {
  Sparse m(size, size);
  for (Index i = 0; i < size; ++i) {
    if (i > 0) m.insert(i - 1, i) = beside;
    m.insert(i, i) = diagonal;
    if (i + 1 < size) m.insert(i + 1, i) = beside;
  }
  m.makeCompressed();
  return m;
}

Sparse product(const Sparse& x, const Sparse& y, const Sparse& z) {
  const Sparse yz = Eigen::kroneckerProduct(y, z);
  return Eigen::kroneckerProduct(x, yz);
}

/// Sums of three of those of an interval, which are known.
Vector<double> known_values(Index side) {
  const double h = 1 / static_cast<double>(side + 1);
  std::vector<double> line, sums;
  for (Index k = 1; k <= kPairs; ++k) {
    const double c = std::cos(static_cast<double>(k) * std::numbers::pi * h);
    line.push_back(6 / (h * h) * (1 - c) / (2 + c));
  }
  for (const double x : line)
    for (const double y : line)
      for (const double z : line) sums.push_back(x + y + z);
  std::sort(sums.begin(), sums.end());
  return Eigen::Map<Vector<double>>(sums.data(), kPairs);
}

/// (A - 0 B)^-1, as Spectra asks for it.
class Inverse {
 public:
  using Scalar = double;
  explicit Inverse(const Sparse& a) : a_(a) {}
  Index rows() const { return a_.rows(); }
  Index cols() const { return a_.cols(); }
  void set_shift(double) { factor_.compute(a_); }
  void perform_op(const double* x, double* y) const {
    Eigen::Map<Vector<double>>(y, rows()) = factor_.solve(Eigen::Map<const Vector<double>>(x, rows()));
  }

 private:
  const Sparse& a_;
  Eigen::SimplicialLDLT<Sparse> factor_;
};

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int count, char** arguments) {
  const Index side = count > 1 ? std::stol(arguments[1]) : 47;
  const double h = 1 / static_cast<double>(side + 1);
  const Sparse stiffness = tridiagonal(side, 2 / h, -1 / h), mass = tridiagonal(side, 4 * h / 6, h / 6);
  const Sparse a =
      product(stiffness, mass, mass) + product(mass, stiffness, mass) + product(mass, mass, stiffness);
  const Sparse b = product(mass, mass, mass);
  const Vector<double> known = known_values(side);
  const auto error = [&](const Vector<double>& values) {
    return ((values - known).array() / known.array()).abs().maxCoeff();
  };

  double begin = process_seconds();
  const auto ours = landfall::solve_gevp<double>(std::make_shared<landfall::SparseOperator<double>>(a),
                                                 std::make_shared<landfall::SparseOperator<double>>(b),
                                                 {.components = kPairs, .smallest = true});
  const double own = process_seconds() - begin;
  fmt::print("n = {}: {} ({}) {:.2f} s, {} iterations, relative error {:.1e}\n", a.rows(), ours.method_name,
             ours.reason, own, ours.iterations, error(ours.values));

  begin = process_seconds();
  Inverse inverse(a);
  Spectra::SparseSymMatProd<double> metric(b);
  Spectra::SymGEigsShiftSolver<Inverse, Spectra::SparseSymMatProd<double>, Spectra::GEigsMode::ShiftInvert>
      solver(inverse, metric, kPairs, 3 * kPairs, 0.0);
  solver.init();
  solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-10, Spectra::SortRule::SmallestAlge);
  const double theirs = process_seconds() - begin;
  fmt::print("Spectra, shift and invert: {:.2f} s, relative error {:.1e}\n", theirs,
             error(solver.eigenvalues()));
  landfall::bench::report("gevp_sparse_over_spectra", own / theirs);
}
