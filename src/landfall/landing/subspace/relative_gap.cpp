#include <landfall/landing/subspace/relative_gap.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace landfall {

double relative_gap(const Vector<double>& values, const Vector<double>& squares, Index wanted,
                    double margin) {
  const Index c = values.size(), p = std::min(wanted, c);
  Vector<double> reach = values;
  for (Index j = 0; j < c; ++j) {
    const double distance = c > p ? values(j) - values(c - 1) : values(j) / 20;
    reach(j) += std::min(std::sqrt(squares(j)), squares(j) / std::max(distance, 1e-300));
  }
  std::ranges::partial_sort(reach, reach.begin() + p, std::greater{});
  const double total = values.head(p).sum();
  const double error = margin * (reach.head(p).sum() - total) / std::max(total, 1e-300);
  return error / (1 + error);
}

}  // namespace landfall
