#include <landfall/data/formats/npy.hpp>
#include <landfall/data/io/file.hpp>
#include <landfall/data/synthetic/pencil.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

enum PencilPurpose : std::uint64_t { basis_of_a = 0x70656e41, basis_of_b = 0x70656e42 };

/// F diag(values) F'.
Matrix<double> congruence(const Matrix<double>& f, const Vector<double>& values) {
  Matrix<double> out(f.rows(), f.rows());
  multiply_bt<double>(f * values.asDiagonal(), f, out);
  symmetrize<double>(out);
  return out;
}

/// From 1/condition up to 1.
Vector<double> equidistant(Index n, double condition) {
  if (n == 1) return Vector<double>::Ones(1);
  return Vector<double>::LinSpaced(n, 1 / condition, 1);
}

/// base^(-i/steps), i = 0..n-1: from 1 down.
Vector<double> exponential(Index n, double base, Index steps) {
  Vector<double> values(n);
  for (Index i = 0; i < n; ++i)
    values(i) = std::pow(base, -static_cast<double>(i) / static_cast<double>(steps));
  return values;
}

}  // namespace

void PencilOptions::validate() const {
  if (size < 1 || size > std::numeric_limits<int>::max())
    throw UsageError(fmt::format("PencilOptions: size = {}, expected at least 1 and below 2^31", size));
  if (!(condition >= 1) || !std::isfinite(condition))
    throw UsageError(
        fmt::format("PencilOptions: condition = {}, expected a finite number of at least 1", condition));
}

SyntheticPencil make_pencil(const PencilOptions& options) {
  options.validate();
  const Index n = options.size;
  const Vector<double> alpha = equidistant(n, options.condition);
  const Vector<double> beta = options.kind == PencilKind::released
                                  ? exponential(n, static_cast<double>(n), n)
                                  : exponential(n, options.condition, std::max<Index>(n - 1, 1));
  const Matrix<double> qa = random_orthonormal(n, n, {options.seed, basis_of_a});
  const Matrix<double> qb = random_orthonormal(n, n, {options.seed, basis_of_b});

  SyntheticPencil pencil;
  pencil.b = congruence(qb, beta);
  if (options.kind == PencilKind::planted) {
    // B = L L' with L = Q_b diag(sqrt(beta)), A = (L Q_a) diag(lambda) (L Q_a)'
    Matrix<double> lq(n, n);
    multiply<double>(qb * beta.cwiseSqrt().asDiagonal(), qa, lq);
    pencil.a = congruence(lq, alpha);
    pencil.eigenvalues = alpha;
  } else {
    pencil.a = congruence(qa, alpha);
  }
  if (options.kind == PencilKind::released) {
    pencil.a /= pencil.a.norm();
    pencil.b /= pencil.b.norm();
  }
  return pencil;
}

void write_pencil(const std::filesystem::path& folder, const SyntheticPencil& pencil) {
  make_folder(folder);
  write_npy<double>(folder / "A.npy", pencil.a);
  write_npy<double>(folder / "B.npy", pencil.b);
  const auto eigenvalues = folder / "eigenvalues.npy";
  if (pencil.eigenvalues.size() > 0) {
    write_npy_vector<double>(eigenvalues, pencil.eigenvalues);
  } else {
    remove_file(eigenvalues);
  }
}

}  // namespace landfall
