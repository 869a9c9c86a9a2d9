#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/fit/fit_together.hpp>
#include <landfall/models/lda/fold_discriminants.hpp>
#include <landfall/models/lda/shrinkage.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kFoldBatch = 1024;

/// Covariances of the folds, their sum, what is left without one, and the vectors of that.
bool fold_covariances_fit(Index n, int folds, std::uint64_t memory) {
  const double bytes = 8. * static_cast<double>(n) * static_cast<double>(n) * (folds + 4);
  return bytes <= static_cast<double>(memory);
}

/// By number of directions: a row for each fold, a column for each ridge.
template <class S>
std::vector<Matrix<double>> from_covariances(SourcePtr<S> data, const Labels& labels,
                                             const LdaOptions& options, const std::vector<double>& ridges) {
  TransformOptions transform = options.transform;
  transform.scaling = Scaling::deviation;
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::move(data));
  DataStream<S> stream(std::move(sources), {.batch = kFoldBatch,
                                            .shuffle = {.seed = options.seed, .held_out = options.held_out},
                                            .transform = transform,
                                            .weights = options.weights,
                                            .cancel = options.cancel});
  const Source<S>& source = stream.source(0);
  if (source.rows()) labels.expect_rows(source.name(), *source.rows());  // a text file has been read now
  auto accuracy = fold_accuracy<S>(
      stream, labels,
      {.ridges = ridges, .folds = *options.folds, .seed = options.seed, .components = options.components});
  if (accuracy.empty())
    throw DataError(fmt::format("{}: one class among the labels, expected at least 2", source.name()));
  if (accuracy.front().rows() < 2)
    throw DataError(fmt::format("{}: {} rows are too few for {} folds", source.name(),
                                stream.statistics(0)->rows, *options.folds));
  return accuracy;
}

/// One fit for each fold and ridge, of all directions or as many as were asked for. The folds of a ridge share the reading as far as they fit in memory.
template <class S>
std::vector<Matrix<double>> from_fits(Source<S>& data, const Labels& labels, const LdaOptions& options,
                                      const std::vector<double>& ridges) {
  const int folds = *options.folds;
  const int at_once =
      options.communicator ? 1 : fits_in_memory(folds, plan_lda(data, labels, options), options.memory);
  Matrix<double> accuracy = Matrix<double>::Zero(folds, static_cast<Index>(ridges.size()));
  for (std::size_t r = 0; r < ridges.size(); ++r) {
    auto column = accuracy.col(static_cast<Index>(r));
    const auto fit = [&](int k, std::vector<SourcePtr<S>> sources) {
      LdaOptions one = options;
      one.relative_ridge = ridges[r];
      one.fold = k;
      column(k) = fit_lda<S>(std::move(sources[0]), labels, one).held_out_accuracy.value_or(0);
    };
    try {
      fit_together<S>({&data}, folds, at_once, fit);
    } catch (const NumericalError&) {  // singular without a ridge: as good as no answer
      column.setZero();
    }
  }
  return {accuracy};
}

}  // namespace

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
  validate(options);
  if (!data->rewindable())
    throw UsageError(fmt::format("{}: can be read only once, but LDA reads it several times; expected a file",
                                 data->name()));
  if (data->rows()) labels.expect_rows(data->name(), *data->rows());
  const Index most = std::min(labels.classes() - 1, data->cols());
  if (options.components > most)
    throw NumericalError(fmt::format("p = {}, expected at most {}: {} classes and {} columns",
                                     options.components, most, labels.classes(), data->cols()));
  const bool direct = options.method != FitMethod::landing &&
                      fold_covariances_fit(data->cols(), *options.folds, options.memory);
  const auto by_number = direct ? from_covariances<S>(std::move(data), labels, options, ridges)
                                : from_fits<S>(*data, labels, options, ridges);
  const Index numbers = static_cast<Index>(by_number.size()), columns = static_cast<Index>(ridges.size());
  ShrinkageChoice choice{.folds = static_cast<int>(by_number.front().rows()),
                         .ridges = ridges,
                         .components = {},
                         .accuracy = Matrix<double>(numbers, columns),
                         .errors = Matrix<double>(numbers, columns)};
  const double k = choice.folds;
  for (Index j = 0; j < numbers; ++j) {
    const Matrix<double>& shares = by_number[static_cast<std::size_t>(j)];
    choice.components.push_back(direct ? j + 1 : options.components > 0 ? options.components : most);
    choice.accuracy.row(j) = shares.colwise().mean();
    choice.errors.row(j) =
        ((shares.rowwise() - choice.accuracy.row(j)).colwise().squaredNorm() / (k - 1) / k).cwiseSqrt();
  }
  Index best = 0, chosen = 0, number = 0, fewest = 0;
  const auto last = choice.accuracy.row(numbers - 1);
  const double least = last.maxCoeff(&best) - choice.errors(numbers - 1, best);
  while (last(chosen) < least) ++chosen;  // ridges ascend
  const double enough = choice.accuracy.col(chosen).maxCoeff(&number) - choice.errors(number, chosen);
  while (choice.accuracy(fewest, chosen) < enough) ++fewest;
  choice.best = static_cast<std::size_t>(best);
  choice.chosen = static_cast<std::size_t>(chosen);
  choice.directions = static_cast<std::size_t>(fewest);
  return choice;
}

template <class S>
Index real_directions(Source<S>& data, const Labels& labels, const LdaOptions& options) {
  LdaOptions most = options;
  most.components = 0;
  std::vector<double> ridges;
  if (options.relative_ridge) ridges.push_back(*options.relative_ridge);
  const auto choice =
      cross_validate_shrinkage<S>(std::make_unique<BorrowedSource<S>>(data), labels, most, std::move(ridges));
  return choice.components[choice.directions];
}

template Index real_directions<float>(Source<float>&, const Labels&, const LdaOptions&);
template Index real_directions<double>(Source<double>&, const Labels&, const LdaOptions&);
template ShrinkageChoice cross_validate_shrinkage<float>(SourcePtr<float>, const Labels&, const LdaOptions&,
                                                         std::vector<double>);
template ShrinkageChoice cross_validate_shrinkage<double>(SourcePtr<double>, const Labels&, const LdaOptions&,
                                                          std::vector<double>);

}  // namespace landfall
