// One view of planted CCA data, for the .cpp files that make them; not installed.
#pragma once

#include <landfall/data/rows/batch.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>
#include <landfall/linalg/random.hpp>

#include <cstdint>
#include <memory>

namespace landfall {

template <class S>
class PlantedView {
 public:
  virtual ~PlantedView() = default;

  /// Empties the batch and makes it of the kind of this view.
  virtual void start(Batch<S>& batch) const = 0;
  /// Appends a row given the latent variables that the views share.
  virtual void add_row(Index row, const Vector<double>& shared, Batch<S>& batch) = 0;

  const Matrix<double>& weights() const { return weights_; }

 protected:
  Matrix<double> weights_;
};

/// What a view is made of; the side tells the random numbers of the views apart.
struct PlantedViewOptions {
  Index cols = 1;
  Vector<double> correlations;  // descending
  double condition = 1;
  Spectrum spectrum = Spectrum::log;
  double nonzeros = 0;
  std::uint64_t seed = 0;
  std::uint64_t side = 0;  // 0 or 1
};

template <class S>
std::unique_ptr<PlantedView<S>> make_dense_view(const PlantedViewOptions& options);
template <class S>
std::unique_ptr<PlantedView<S>> make_sparse_view(const PlantedViewOptions& options);

}  // namespace landfall
