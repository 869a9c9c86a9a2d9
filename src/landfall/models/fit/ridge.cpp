#include <landfall/models/fit/ridge.hpp>

namespace landfall {

std::string_view to_string(RidgeKind kind) {
  return kind == RidgeKind::absolute ? "absolute" : kind == RidgeKind::relative ? "relative" : "auto";
}

namespace {

RidgeKind kind_of(bool absolute, bool relative) {
  return absolute ? RidgeKind::absolute : relative ? RidgeKind::relative : RidgeKind::automatic;
}

}  // namespace

RidgeKind ridge_kind(const FitOptions& options) {
  return kind_of(options.ridge.has_value(), options.relative_ridge.has_value());
}

RidgeKind ridge_kind(const OnlineOptions& options) {
  return kind_of(options.ridge.has_value(), options.relative_ridge.has_value());
}

Scaling ridge_scaling(const FitOptions& options, Scaling automatic) {
  const Scaling asked = options.transform.scaling;
  const bool none = options.ridge.value_or(options.relative_ridge.value_or(1)) == 0;
  switch (ridge_kind(options)) {
    case RidgeKind::absolute:
      if (!none) return asked == Scaling::automatic ? Scaling::none : asked;
      break;
    case RidgeKind::relative:
      if (!none) return Scaling::deviation;
      break;
    case RidgeKind::automatic:
      break;
  }
  return automatic == Scaling::row_size || asked == Scaling::automatic ? automatic : asked;
}

}  // namespace landfall
