#include <landfall/errors.hpp>
#include <landfall/landing/estimators/averaged.hpp>
#include <landfall/landing/estimators/recursive.hpp>
#include <landfall/landing/estimators/shared.hpp>
#include <landfall/landing/estimators/split.hpp>
#include <landfall/landing/estimators/svrg.hpp>
#include <landfall/landing/estimators/ustat.hpp>

#include <array>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::array<std::pair<Estimator, std::string_view>, 6> kEstimators{
    {{Estimator::shared, "shared"},
     {Estimator::split, "split"},
     {Estimator::ustat, "ustat"},
     {Estimator::svrg, "svrg"},
     {Estimator::averaged, "averaged"},
     {Estimator::recursive, "recursive"}}};

}  // namespace

std::string_view to_string(Estimator estimator) {
  for (const auto& [value, name] : kEstimators)
    if (value == estimator) return name;
  return "unknown";
}

Estimator parse_estimator(std::string_view name) {
  for (const auto& [value, known] : kEstimators)
    if (known == name) return value;
  throw UsageError(fmt::format(
      "unknown estimator '{}'; expected shared, split, ustat, svrg, averaged or recursive", name));
}

template <class S>
std::unique_ptr<FieldEstimator<S>> make_estimator(Estimator estimator) {
  switch (estimator) {
    case Estimator::shared:
      return std::make_unique<SharedEstimator<S>>();
    case Estimator::split:
      return std::make_unique<SplitEstimator<S>>();
    case Estimator::ustat:
      return std::make_unique<UStatisticEstimator<S>>();
    case Estimator::svrg:
      return std::make_unique<SvrgEstimator<S>>();
    case Estimator::averaged:
      return std::make_unique<AveragedEstimator<S>>();
    case Estimator::recursive:
      return std::make_unique<RecursiveEstimator<S>>();
  }
  throw UsageError(fmt::format("estimator {} does not exist", static_cast<int>(estimator)));
}

template <class S>
LinearSamples<S>& require_linear(Samples<S>& samples, Estimator estimator) {
  if (LinearSamples<S>* linear = samples.linear()) return *linear;
  throw UsageError(fmt::format(
      "the {} estimator needs linear samples: B_i = a_i a_i' and grad f_i = a_i b_i'", to_string(estimator)));
}

LANDFALL_ESTIMATOR(, float)
LANDFALL_ESTIMATOR(, double)

}  // namespace landfall
