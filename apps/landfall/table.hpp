// Columns of numbers for the terminal.
#pragma once

#include <string>
#include <vector>

namespace landfall::app {

/// The numbers with so many significant digits of the largest, their points below each other when they are
/// set to the right: plain decimals, or powers of ten where those would be long or show little.
std::vector<std::string> aligned(const std::vector<double>& numbers, int digits);

}  // namespace landfall::app
