// Synthetic pairs of views whose canonical correlations and weights are known exactly, dense or sparse.
//
//   landfall::PlantedCca<float> planted({.left = 300, .right = 200, .correlations = {0.9, 0.7}});
//   landfall::Batch<float> x, y;
//   planted.read(0, 128, x, y);                              // rows 0 to 127 of both views
//   use(planted.left_weights(), planted.correlations());     // 300 x 2; 0.9 and 0.7
//   landfall::write_planted_cca("out", {.samples = 400'000, .nonzeros = 50}, ".svm");
#pragma once

#include <landfall/data/rows/batch.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace landfall {

/// So many from the first down to the last, equidistant.
std::vector<double> equidistant_correlations(Index count, double first = 0.9, double last = 0.5);

/// How the eigenvalues of the covariance of a dense view fall from 1 to 1/condition.
enum class Spectrum {
  log,        // geometrically
  flat,       // not at all: they are all 1
  two_level,  // a tenth of them are 1, the others 1/condition
  power,      // as 1/i; the condition is the number of columns
};

/// log, flat, two-level or power; UsageError otherwise.
Spectrum parse_spectrum(const std::string& name);

struct PlantedCcaOptions {
  Index samples = 10'000;  // rows of both views
  Index left = 200;        // columns
  Index right = 200;
  /// Of the canonical pairs, 0 < rho < 1; at most as many as the smaller view has columns. All others are 0.
  std::vector<double> correlations = equidistant_correlations(10);
  /// Dense views: of the covariance of each, kappa >= 1.
  double condition = 100;
  Spectrum spectrum = Spectrum::log;
  /// Sparse views: entries of a row, on average, at most half the columns of each view. Dense when not given.
  std::optional<double> nonzeros = std::nullopt;
  std::uint64_t seed = 0;
  void validate() const;
};

template <class S>
class PlantedView;

/// Row i is a function of the seed and of i: of neither the batches nor the number of samples.
///
/// Pair k shares the latent variable z_k ~ N(0, 1). How the views follow from it, and why the weights are the
/// optimal ones, is in docs/data.md.
template <class S>
class PlantedCca {
 public:
  explicit PlantedCca(const PlantedCcaOptions& options);
  ~PlantedCca();

  /// Rows first .. first + count - 1.
  void read(Index first, Index count, Batch<S>& left, Batch<S>& right);

  /// Columns are canonical weights W of the population: W' cov(x) W = I, W' cov(x, y) V = diag(correlations).
  const Matrix<double>& left_weights() const;
  const Matrix<double>& right_weights() const;
  /// Descending.
  const Vector<double>& correlations() const { return correlations_; }

 private:
  Vector<double> correlations_, shared_;
  std::uint64_t seed_;
  std::unique_ptr<PlantedView<S>> left_, right_;
};

/// Writes left and right with this ending (see open_writer) in single precision, batch by batch, and
/// weights_left.npy, weights_right.npy, correlations.npy; makes the folder if it is missing.
void write_planted_cca(const std::filesystem::path& folder, const PlantedCcaOptions& options,
                       const std::string& ending = ".npy");

extern template class PlantedCca<float>;
extern template class PlantedCca<double>;

}  // namespace landfall
