// The slope of log y against log x by least squares: the exponent of a power law.
#pragma once

#include <cmath>
#include <vector>

namespace landfall::app {

/// Over the points from `first` on.
inline double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y,
                              std::size_t first = 0) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, count = 0;
  for (std::size_t i = first; i < x.size(); ++i) {
    const double u = std::log(x[i]), v = std::log(y[i]);
    sx += u, sy += v, sxx += u * u, sxy += u * v, count += 1;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

}  // namespace landfall::app
