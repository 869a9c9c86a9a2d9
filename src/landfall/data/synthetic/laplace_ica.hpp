// Synthetic mixtures of independent sources whose mixing is known, as in the paper's ICA experiment.
//
//   landfall::LaplaceIca<float> mixture({.features = 10, .uniform_sources = 2});
//   landfall::Batch<float> rows;
//   mixture.read(0, 128, rows);                            // rows 0 to 127: x = W s
//   use(mixture.mixing());                                 // W; ICA finds its inverse up to order and scale
//   landfall::write_laplace_ica("out", {.samples = 100'000});
#pragma once

#include <landfall/data/rows/batch.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace landfall {

struct LaplaceIcaOptions {
  Index samples = 100'000;
  Index features = 10;  // n: as many sources as mixtures
  /// Of W, kappa >= 1: its singular values go down geometrically from 1 to 1/kappa. 1 is the paper's: W is
  /// orthogonal.
  double condition = 1;
  /// The last k sources are uniform, which is sub-Gaussian, 0 <= k <= n; the others are Laplace,
  /// super-Gaussian.
  Index uniform_sources = 0;
  std::uint64_t seed = 0;
  void validate() const;
};

/// Row i is x = W s with independent sources s of mean 0 and variance 2, that of the standard Laplace
/// distribution; it is a function of the seed and of i.
template <class S>
class LaplaceIca {
 public:
  explicit LaplaceIca(const LaplaceIcaOptions& options);

  /// Rows first .. first + count - 1.
  void read(Index first, Index count, Batch<S>& batch);
  const Matrix<double>& mixing() const { return mixing_; }

 private:
  Matrix<double> mixing_;
  Index laplace_;  // sources
  std::uint64_t seed_;
  Vector<double> sources_, row_;
};

/// Writes data with this ending (see open_writer) in single precision, mixing.npy, and truth.json, which has
/// the distribution of each source; makes the folder if it is missing.
void write_laplace_ica(const std::filesystem::path& folder, const LaplaceIcaOptions& options,
                       const std::string& ending = ".npy");

extern template class LaplaceIca<float>;
extern template class LaplaceIca<double>;

}  // namespace landfall
