#include <landfall/errors.hpp>
#include <landfall/models/fit/method.hpp>

#include <array>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::array<std::pair<FitMethod, std::string_view>, 3> kMethods{
    {{FitMethod::automatic, "auto"}, {FitMethod::exact, "exact"}, {FitMethod::landing, "landing"}}};

}  // namespace

std::string_view to_string(FitMethod method) {
  for (const auto& [value, name] : kMethods)
    if (value == method) return name;
  return "unknown";
}

FitMethod parse_fit_method(std::string_view name) {
  for (const auto& [value, known] : kMethods)
    if (known == name) return value;
  throw UsageError(fmt::format("unknown method '{}'; expected auto, exact or landing", name));
}

}  // namespace landfall
