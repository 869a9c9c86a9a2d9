// Numbers for the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace landfall::app {

/// The numbers with so many significant digits of the largest, their points below each other when they are
/// set to the right: plain decimals, or powers of ten where those would be long or show little.
std::vector<std::string> aligned(const std::vector<double>& numbers, int digits);

/// "1 row", "2 rows".
std::string counted(std::size_t count, std::string_view what);

}  // namespace landfall::app
