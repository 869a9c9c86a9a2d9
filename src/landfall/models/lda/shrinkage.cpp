#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/lda/shrinkage.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {

template <class S>
ShrinkageChoice cross_validate_shrinkage(SourcePtr<S> data, const Labels& labels, const LdaOptions& given,
                                         std::vector<double> ridges) {
  if (ridges.empty()) ridges = {0, 0.001, 0.01, 0.03, 0.1, 0.3, 1};
  std::ranges::sort(ridges);
  LdaOptions options = given;
  options.folds = given.folds.value_or(5);
  if (*options.folds < 2) throw UsageError(fmt::format("folds must be at least 2, got {}", *options.folds));
  options.ridge.reset();
  options.observer = {};
  options.checkpoints = {};
  ShrinkageChoice choice{.folds = *options.folds,
                         .ridges = ridges,
                         .accuracy = Vector<double>::Zero(static_cast<Index>(ridges.size())),
                         .errors = Vector<double>::Zero(static_cast<Index>(ridges.size()))};
  for (std::size_t r = 0; r < ridges.size(); ++r) {
    options.relative_ridge = ridges[r];
    Vector<double> shares = Vector<double>::Zero(choice.folds);
    for (options.fold = 0; options.fold < choice.folds; ++options.fold) {
      data->rewind();
      try {
        const auto fitted = fit_lda<S>(std::make_unique<BorrowedSource<S>>(*data), labels, options);
        shares(options.fold) = fitted.held_out_accuracy.value_or(0);
      } catch (const NumericalError&) {
        break;  // singular without a ridge: as good as no answer
      }
    }
    const auto at = static_cast<Index>(r);
    const double k = static_cast<double>(choice.folds);
    choice.accuracy(at) = shares.mean();
    choice.errors(at) = std::sqrt((shares.array() - shares.mean()).square().sum() / (k - 1) / k);
  }
  Index best = 0;
  const double largest = choice.accuracy.maxCoeff(&best);
  choice.best = choice.chosen = static_cast<std::size_t>(best);
  for (std::size_t r = 0; r < ridges.size(); ++r)
    if (ridges[r] < ridges[choice.chosen] &&
        choice.accuracy(static_cast<Index>(r)) >= largest - choice.errors(best))
      choice.chosen = r;
  return choice;
}

template ShrinkageChoice cross_validate_shrinkage<float>(SourcePtr<float>, const Labels&, const LdaOptions&,
                                                         std::vector<double>);
template ShrinkageChoice cross_validate_shrinkage<double>(SourcePtr<double>, const Labels&, const LdaOptions&,
                                                          std::vector<double>);

}  // namespace landfall
