#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/models/cca/grid.hpp>
#include <landfall/models/fit/plan.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kMostByDefault = 10;

/// Sums of the first 1, 2, ... correlations in each fold: their mean and its standard error.
struct Totals {
  Vector<double> mean, error;
  Index pairs;  // that are real; at least one

  explicit Totals(const CrossValidated& tested) : pairs(std::max<Index>(1, real_pairs(tested))) {
    Matrix<double> sums = tested.by_fold;
    for (Index j = 1; j < sums.rows(); ++j) sums.row(j) += sums.row(j - 1);
    const double k = static_cast<double>(sums.cols());
    mean = sums.rowwise().mean();
    error = ((sums.colwise() - mean).cwiseAbs2().rowwise().sum() / (k - 1) / k).cwiseSqrt();
  }
};

}  // namespace

template <class S>
void keep_pairs(CcaResult<S>& result, Index p) {
  if (p >= result.correlations.size()) return;
  const auto shorten = [p](Vector<double>& v) {
    if (v.size() > p) v.conservativeResize(p);
  };
  const auto narrow = [p](auto& m) {
    if (m.cols() > p) m.conservativeResize(Eigen::NoChange, p);
  };
  for (auto* v : {&result.correlations, &result.regularized, &result.held_out,
                  &result.cross_validated.correlations, &result.cross_validated.errors, &result.permutation.p,
                  &result.bootstrap.lower, &result.bootstrap.upper, &result.bootstrap.errors})
    shorten(*v);
  if (result.cross_validated.by_fold.rows() > p)
    result.cross_validated.by_fold.conservativeResize(p, Eigen::NoChange);
  if (static_cast<Index>(result.wilks.size()) > p) result.wilks.resize(static_cast<std::size_t>(p));
  for (auto& view : result.views) {
    narrow(view.weights);
    narrow(view.loadings);
    narrow(view.cross_loadings);
    shorten(view.explained);
    shorten(view.redundancy);
  }
  for (auto& view : result.bootstrap.loadings)
    for (auto* m : {&view.loadings, &view.lower, &view.upper}) narrow(*m);
  // E a s' of fewer scores, over E s s' of these: where there is a ridge, scores correlate.
  for (std::size_t v = 0; v < 2; ++v) {
    const auto fewer = [p](Matrix<double>& regression, const Matrix<double>& moments) {
      if (regression.cols() > p)
        regression = regression * moments.leftCols(p) * inverse(Matrix<double>(moments.topLeftCorner(p, p)));
    };
    fewer(result.regression[v], result.score_moments[v]);
    fewer(result.prediction[v], result.score_moments[1 - v]);
  }
  for (auto& moments : result.score_moments)
    if (moments.cols() > p) moments = Matrix<double>(moments.topLeftCorner(p, p));
  warn_of_overfitting(result);
}

template <class S>
void keep_real_pairs(CcaResult<S>& result) {
  const CrossValidated& tested = result.cross_validated;
  if (tested.folds == 0) {
    result.warnings.push_back(
        fmt::format("{} rows are too few to choose the number of pairs by cross-validation", result.samples));
    return;
  }
  const Index p = real_pairs(tested);
  if (p == 0) result.warnings.emplace_back("no pair stands out from chance in cross-validation");
  keep_pairs(result, std::max<Index>(1, p));
}

template <class S>
CcaGridResult cross_validate_grid(SourcePtr<S> left, SourcePtr<S> right, const FitOptions& options,
                                  const CcaGrid& grid) {
  validate(options);
  if (grid.folds < 2) throw UsageError(fmt::format("folds must be at least 2, got {}", grid.folds));
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::move(left));
  sources.push_back(std::move(right));
  TransformOptions transform = options.transform;
  transform.scaling = Scaling::deviation;
  DataStream<S> stream(std::move(sources), {.batch = 1024,
                                            .shuffle = {.seed = options.seed, .held_out = options.held_out},
                                            .transform = transform,
                                            .weights = options.weights,
                                            .cancel = options.cancel});
  const auto columns = [&](std::size_t view) {
    return static_cast<double>(stream.transform(view).kept().size());
  };
  const double squares = columns(0) * columns(0) + columns(1) * columns(1) + columns(0) * columns(1),
               bytes = 8 * squares * (grid.folds + 3);
  if (bytes > static_cast<double>(options.memory))
    throw UsageError(fmt::format(
        "the covariances of {} folds need {} of the {} allowed; expected fewer columns or more memory",
        grid.folds, memory_text(static_cast<std::uint64_t>(bytes)), memory_text(options.memory)));

  CcaGridResult result;
  result.rows = stream.statistics(0)->rows;
  const Index smaller = static_cast<Index>(std::min(columns(0), columns(1)));
  const Index most =
      grid.components > 0 ? std::min(grid.components, smaller) : std::min(kMostByDefault, smaller);
  if (most < 1) throw DataError(fmt::format("{}: no columns that vary", stream.source(0).name()));
  if (!has_rows_for_folds(result.rows, grid.folds, most))
    throw DataError(fmt::format("{}: {} rows are too few for {} folds", stream.source(0).name(), result.rows,
                                grid.folds));
  const auto folds = fold_covariances<S>(stream, grid.folds, options.seed);
  for (const double ridge : grid.ridges)
    if (ridge > 0 ||
        static_cast<double>(result.rows) * (grid.folds - 1) / grid.folds > columns(0) + columns(1))
      result.ridges.push_back(ridge);
  std::ranges::sort(result.ridges);
  if (result.ridges.empty())
    throw UsageError("a ridge of 0 for fewer rows than columns, expected a positive ridge");
  result.totals.resize(most, static_cast<Index>(result.ridges.size()));
  result.errors = result.totals;
  Vector<double> value(result.totals.cols()), error = value;  // of the pairs that are real with each ridge
  for (std::size_t r = 0; r < result.ridges.size(); ++r) {
    const CrossValidated tested =
        cross_validate_cca(folds, {.components = most, .ridge = result.ridges[r], .cancel = options.cancel});
    result.folds = tested.folds;
    const Totals totals(tested);
    const auto column = static_cast<Index>(r);
    result.totals.col(column) = totals.mean;
    result.errors.col(column) = totals.error;
    result.pairs.push_back(totals.pairs);
    result.any_real |= real_pairs(tested) > 0;
    value(column) = totals.mean(totals.pairs - 1);
    error(column) = totals.error(totals.pairs - 1);
  }
  Index best = 0, chosen = 0;
  const double least = value.maxCoeff(&best) - error(best);
  while (value(chosen) < least) ++chosen;
  result.best_ridge = static_cast<std::size_t>(best);
  result.ridge = static_cast<std::size_t>(chosen);
  result.components = result.pairs[result.ridge];
  return result;
}

template void keep_pairs<float>(CcaResult<float>&, Index);
template void keep_pairs<double>(CcaResult<double>&, Index);
template void keep_real_pairs<float>(CcaResult<float>&);
template void keep_real_pairs<double>(CcaResult<double>&);
template CcaGridResult cross_validate_grid<float>(SourcePtr<float>, SourcePtr<float>, const FitOptions&,
                                                  const CcaGrid&);
template CcaGridResult cross_validate_grid<double>(SourcePtr<double>, SourcePtr<double>, const FitOptions&,
                                                   const CcaGrid&);

}  // namespace landfall
