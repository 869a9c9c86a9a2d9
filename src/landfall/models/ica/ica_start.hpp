// Starting point of ICA: directions, signs and the scale of f, found on first rows that are kept in memory.
//
//   #include <landfall/models/ica/ica.hpp>
//   auto weights = std::make_shared<landfall::Vector<float>>(landfall::Vector<float>::Zero(5));
//   std::shared_ptr<landfall::InMemorySamples<float>> kept;    // with contrast_objective() of these weights
//   const landfall::IcaOptions options;
//   landfall::IcaStart<float> begin(kept, weights, options);
//   begin.warm_up(0);
//   use(begin.x(), *weights);
//
// FastICA turns a random start towards the sources, and c_j = E g''(y_j) - E g'(y_j) y_j gives their signs. Every
// few passes of landing one changes where c_j says so, and landing goes on from where it is with the new f.
#pragma once

#include <landfall/landing/adaptive.hpp>
#include <landfall/models/ica/components.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/ica/whitening.hpp>

#include <utility>

namespace landfall {

template <class S>
class IcaStart {
 public:
  /// K and a random start, by the whitening where it is given, otherwise by that of the first rows, or a sketch
  /// where n x n numbers do not fit. The samples' objective has these weights, which are written here. The
  /// options must outlive it.
  IcaStart(std::shared_ptr<InMemorySamples<S>> first, std::shared_ptr<Vector<S>> weights,
           const IcaOptions& options, const Whitening* whitening = nullptr);

  /// `variance`: of the mean over the first rows, in units of one row's; 0 when they are all there are.
  /// Returns the passes it took.
  int warm_up(double variance);

  const Point<S>& x() const { return x_; }
  const PilotEstimate<S>& pilot() const { return pilot_; }
  /// What the estimator knows at the end; null where f changed since.
  std::unique_ptr<SampledOracle<S>> release() { return std::move(oracle_); }

  double step(double r) const {
    return options_.landing.step > 0 ? options_.landing.step : stable_step(r, pilot_.noise);
  }
  std::vector<FieldOptions<S>> fields() const {
    return {{Direction::preconditioned, Normal::newton, pilot_.metric.front()}};
  }

 private:
  bool change(const ComponentMoments& moments, double least);
  /// And whether all sources of the first rows are near: where p is the rank of K there is no subspace to look for.
  std::pair<ComponentMoments, bool> turn_to_sources();
  ComponentMoments moments() const;
  Matrix<S> feasible() const;

  std::shared_ptr<InMemorySamples<S>> first_;
  std::shared_ptr<Vector<S>> weights_;
  const IcaOptions& options_;
  PilotEstimate<S> pilot_;
  bool whole_;  // p is the rank of K
  Point<S> x_;
  std::unique_ptr<SampledOracle<S>> oracle_;
};

/// Whether n x n numbers, three times and in double precision, fit in half of the memory.
inline bool squares_fit(Index n, std::uint64_t memory) {
  return 6 * sizeof(double) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) <= memory;
}

/// What |c| of a Gaussian component may come to by chance.
double doubt(const ComponentMoments& moments);

/// The weights s_j / (2 max |c|) of f. A sign that is there changes where s_j c_j < -least. At first all are
/// the same: c of a mixture of many sources is mostly noise, its sum over the components less so.
template <class S>
void reweigh(const ComponentMoments& moments, double least, Vector<S>& weights);

#define LANDFALL_ICA_START(EXTERN, S) \
  EXTERN template class IcaStart<S>;  \
  EXTERN template void reweigh<S>(const ComponentMoments&, double, Vector<S>&);
LANDFALL_ICA_START(extern, float)
LANDFALL_ICA_START(extern, double)

}  // namespace landfall
