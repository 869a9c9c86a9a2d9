#include <landfall/errors.hpp>
#include <landfall/models/fit/options.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class Options>
void validate_common(const Options& options) {
  if (options.components < 0)
    throw UsageError(fmt::format("p must not be negative, got {}", options.components));
  if (options.ridge && !(*options.ridge >= 0))
    throw UsageError(fmt::format("a ridge must not be negative, got {}", *options.ridge));
  if (options.relative_ridge && !(*options.relative_ridge >= 0))
    throw UsageError(fmt::format("a relative ridge must not be negative, got {}", *options.relative_ridge));
  if (options.first_rows < 0)
    throw UsageError(fmt::format("first_rows must not be negative, got {}", options.first_rows));
  if (options.batch < 0) throw UsageError(fmt::format("batch must not be negative, got {}", options.batch));
}

}  // namespace

void validate(const FitOptions& options) {
  validate_common(options);
  if (options.passes && !(*options.passes > 0))
    throw UsageError(fmt::format("passes must be positive, got {}", *options.passes));
  if (!(options.tolerance > 0))
    throw UsageError(fmt::format("tolerance must be positive, got {}", options.tolerance));
  if (!(options.most_passes >= 1))
    throw UsageError(fmt::format("most_passes must be at least 1, got {}", options.most_passes));
  if (options.folds && (*options.folds < 0 || *options.folds == 1))
    throw UsageError(fmt::format("folds must be 0 or at least 2, got {}", *options.folds));
  if (options.fold >= 0 && options.fold >= options.folds.value_or(0))
    throw UsageError(fmt::format("fold must be below folds, got {}", options.fold));
  if (options.permutations < 0)
    throw UsageError(fmt::format("permutations must not be negative, got {}", options.permutations));
  if (options.bootstrap < 0)
    throw UsageError(fmt::format("bootstrap must not be negative, got {}", options.bootstrap));
}

void validate(const OnlineOptions& options) {
  validate_common(options);
}

}  // namespace landfall
