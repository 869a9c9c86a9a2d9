// Synthetic generalized eigenproblems A x = lambda B x, of the kind the paper solves.
//
//   auto pencil = landfall::make_pencil({.size = 200, .kind = landfall::PencilKind::planted});
//   use(pencil.a, pencil.b, pencil.eigenvalues);    // known: 200 of them from 0.01 to 1
//   landfall::write_pencil("out", pencil);          // out/A.npy, out/B.npy, out/eigenvalues.npy
#pragma once

#include <landfall/linalg/types.hpp>

#include <cstdint>
#include <filesystem>

namespace landfall {

enum class PencilKind {
  /// The eigenvalues of A are equidistant and those of B decay exponentially, both in [1/condition, 1]; the
  /// bases are random orthogonal and independent.
  paper,
  /// As the authors' published program makes them: B has the eigenvalues n^(-(i-1)/n), i = 1..n, whatever the
  /// condition, and both A and B are divided by their Frobenius norms.
  released,
  /// B = L L' as in the paper and A = L Q diag(lambda) Q' L' with Q random orthogonal, so that lambda,
  /// equidistant in [1/condition, 1], are the generalized eigenvalues.
  planted,
};

struct PencilOptions {
  Index size = 1000;                    // n >= 1
  double condition = 100;               // kappa >= 1
  PencilKind kind = PencilKind::paper;  // which spectra
  std::uint64_t seed = 0;               // of the random bases
  void validate() const;
};

struct SyntheticPencil {
  Matrix<double> a, b;         // symmetric positive definite, n x n
  Vector<double> eigenvalues;  // of A x = lambda B x, ascending; empty if not known
};

SyntheticPencil make_pencil(const PencilOptions& options);

/// Writes A.npy, B.npy and, when known, eigenvalues.npy; makes the folder if it is missing. An
/// eigenvalues.npy left by another pencil does not stay beside one whose eigenvalues are not known.
void write_pencil(const std::filesystem::path& folder, const SyntheticPencil& pencil);

}  // namespace landfall
