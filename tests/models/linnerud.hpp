// Linnerud's fitness club: chins, situps, jumps; weight, waist, pulse of twenty men. The example of SAS PROC CANCORR and a data
// set of scikit-learn.
#pragma once

#include <landfall/linalg/types.hpp>

#include <array>

namespace landfall::test {

inline constexpr std::array<std::array<double, 6>, 20> kLinnerud{{
    {5, 162, 60, 191, 36, 50},   {2, 110, 60, 189, 37, 52},  {12, 101, 101, 193, 38, 58},
    {12, 105, 37, 162, 35, 62},  {13, 155, 58, 189, 35, 46}, {4, 101, 42, 182, 36, 56},
    {8, 101, 38, 211, 38, 56},   {6, 125, 40, 167, 34, 60},  {15, 200, 40, 176, 31, 74},
    {17, 251, 250, 154, 33, 56}, {17, 120, 38, 169, 34, 50}, {13, 210, 115, 166, 33, 52},
    {14, 215, 105, 154, 34, 64}, {1, 50, 50, 247, 46, 50},   {6, 70, 31, 193, 36, 46},
    {12, 210, 120, 202, 37, 62}, {4, 60, 25, 176, 37, 54},   {11, 230, 80, 157, 32, 52},
    {15, 225, 73, 156, 33, 54},  {2, 110, 43, 138, 33, 68},
}};

/// Three columns from `first` on.
inline RowMatrix<double> linnerud(Index first) {
  return RowMatrix<double>::NullaryExpr(20, 3, [first](Index i, Index j) {
    return kLinnerud[static_cast<std::size_t>(i)][static_cast<std::size_t>(first + j)];
  });
}

}  // namespace landfall::test
