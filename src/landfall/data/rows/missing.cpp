#include <landfall/data/rows/missing.hpp>
#include <landfall/errors.hpp>

#include <array>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::array<std::pair<Missing, std::string_view>, 3> kMissing{
    {{Missing::error, "error"}, {Missing::drop, "drop"}, {Missing::mean, "mean"}}};

}  // namespace

Missing parse_missing(std::string_view name) {
  for (const auto& [value, known] : kMissing)
    if (name == known) return value;
  throw UsageError(fmt::format("unknown rule '{}' for missing values; expected error, drop or mean", name));
}

std::string_view to_string(Missing missing) {
  for (const auto& [value, name] : kMissing)
    if (value == missing) return name;
  return "";
}

}  // namespace landfall
