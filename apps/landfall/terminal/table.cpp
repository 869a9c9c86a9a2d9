#include "terminal/table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall::app {

std::vector<std::string> aligned(const std::vector<double>& numbers, int digits) {
  double largest = 0, smallest = HUGE_VAL;
  for (const double number : numbers) {
    largest = std::max(largest, std::abs(number));
    if (number != 0) smallest = std::min(smallest, std::abs(number));
  }
  const bool plain = largest == 0 || (largest < 1e6 && smallest >= 1e-3);
  const int whole = largest >= 1 ? static_cast<int>(std::log10(largest)) + 1 : 1;
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const double number : numbers)
    texts.push_back(plain ? fmt::format("{:.{}f}", number, std::max(digits - whole, 0))
                          : fmt::format("{:.{}e}", number, digits - 1));
  return texts;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace landfall::app
