#include <landfall/errors.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/fit/online_landing.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/parallel/threads.hpp>

#include <fmt/format.h>

namespace landfall {

Scaling online_scaling(const OnlineOptions& options) {
  if (options.ridge.value_or(0) > 0) return Scaling::none;
  return options.relative_ridge.value_or(0) > 0 ? Scaling::deviation : Scaling::row_size;
}

std::optional<OnlineRidge> given_ridge(const OnlineOptions& options) {
  if (options.ridge) return OnlineRidge{.value = *options.ridge};
  if (options.relative_ridge) return OnlineRidge{.value = *options.relative_ridge};
  return std::nullopt;
}

template <class S>
std::unique_ptr<SubspaceLanding<S>> start_online(const OnlineRows<S>& rows, const OnlineOptions& options,
                                                 const OnlineStart<S>& start) {
  const SerialBlas serial;  // the same result with any number of threads
  const auto batches = rows.first();
  const std::size_t views = batches.front().size();
  const Index count = rows.rows(), p = start.components;
  Workload work{.rows = count, .components = p, .batch = rows.batch(), .rank = 0, .first_rows = count};
  std::vector<Vector<S>> variance;
  for (std::size_t i = 0; i < views; ++i) {
    work.features.push_back(rows.cols(i));
    if (batches.front()[i].batch.sparse()) work.nonzeros = 0;
    variance.push_back(rows.expected_variance(i).template cast<S>());
  }
  const double fading = start.more ? start.ridge.rows : 0;
  const double ridge =
      start.more || start.ridge.rows == 0 ? start.ridge.value : start.ridge.rows / static_cast<double>(count);
  for (Index columns = start.columns;;) {
    work.columns = columns;
    work.ranks.clear();
    choose_sizes<S>(work, options.memory);
    auto first = std::make_shared<InMemorySamples<S>>(batches, std::vector<Index>(views, columns),
                                                      std::vector<S>(views, static_cast<S>(ridge)),
                                                      start.objective, options.seed);
    try {
      return std::make_unique<SubspaceLanding<S>>(
          std::move(first),
          SubspaceOptions{.wanted = p,
                          .ridge = std::vector<double>(views, ridge),
                          .rows = start.more ? 0 : static_cast<double>(count),
                          .fading_rows = fading,
                          .rank = work.ranks,
                          .seed = options.seed},
          start.more ? variance : std::vector<Vector<S>>{});
    } catch (const LowRank& low) {
      if (low.rank < p)
        throw NumericalError(fmt::format("{}: rank {} in {} rows so far, expected at least p = {}",
                                         rows.name(low.view), low.rank, count, p));
      columns = low.rank;  // without so many guard columns
    }
  }
}

template <class S>
void step_online(SubspaceLanding<S>& landing, OnlineRows<S>& rows) {
  const SerialBlas serial;
  std::vector<const CentredBatch<S>*> views;
  for (const auto& view : rows.centred()) views.push_back(&view);
  landing.step(views);
  if (rows.replay()) landing.step(views, true);
  if (landing.diverged())
    throw NumericalError(fmt::format("landing failed after {} steps: its numbers are no longer finite",
                                     landing.progress().iteration));
}

Matrix<double> plausible_metric(const Matrix<double>& estimate) {
  SymmetricEigen<double> eigen;
  Matrix<double> metric = estimate;
  symmetrize<double>(metric);
  eigen.compute(metric);
  return eigen.vectors() * eigen.values().cwiseMax(0.25).asDiagonal() * eigen.vectors().transpose();
}

template <class S>
void require_online_rank(std::string_view name, const Matrix<double>& weights, double ridge, Index rows) {
  SymmetricEigen<double> eigen;
  eigen.compute(ridge * weights.transpose() * weights);  // 1: nothing but the ridge
  // Rounding of the largest variance reaches x through the ridge, so 100 tolerances instead of one.
  const double tolerance = 100 * static_cast<double>(rank_tolerance<S>(weights.cols()));
  const auto rank = (eigen.values().array() < 1 - tolerance).count();
  if (rank < weights.cols())
    throw NumericalError(fmt::format("{}: rank {} in {} rows so far, expected at least p = {}", name, rank,
                                     rows, weights.cols()));
}

LANDFALL_ONLINE_LANDING(, float)
LANDFALL_ONLINE_LANDING(, double)

}  // namespace landfall
