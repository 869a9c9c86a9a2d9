#include <landfall/data/io/checksum.hpp>
#include <landfall/data/rows/row_weights.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace landfall {

RowWeights::RowWeights(std::string name, std::vector<double> weights)
    : name_(std::move(name)), weights_(std::move(weights)) {
  double largest = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double weight = weights_[i];
    if (!(weight >= 0) || !std::isfinite(weight))
      throw DataError(
          fmt::format("{}: row {} has the weight {}, expected a finite number that is not negative", name_,
                      i + 1, weight));
    if (weight > 0 && largest > 0) equal_ = equal_ && weight == largest;
    has_zeros_ = has_zeros_ || weight == 0;
    largest = std::max(largest, weight);
  }
  if (largest == 0)
    throw DataError(fmt::format("{}: {}", name_,
                                weights_.empty() ? "no weights, expected one per row"
                                                 : "all weights are 0, expected a positive one"));
  unit_ = largest;
  if (!equal_) {  // relative to the largest, so that no sum overflows
    double sum = 0;
    Index count = 0;
    for (const double weight : weights_) {
      sum += weight / largest;
      count += weight > 0;
    }
    unit_ = std::ldexp(1.0, std::ilogb(largest * (sum / static_cast<double>(count))));
  }
  for (double& weight : weights_) weight /= unit_;
}

double RowWeights::operator[](Index row) const {
  if (row < 0 || row >= rows())
    throw DataError(fmt::format("{}: {} weights, but the data has a row {}", name_, rows(), row + 1));
  return weights_[static_cast<std::size_t>(row)];
}

void RowWeights::expect_rows(const std::string& data, Index rows) const {
  if (rows != this->rows())
    throw DataError(fmt::format("{} has {} weights and {} has {} rows; expected the same number", name_,
                                this->rows(), data, rows));
}

std::uint64_t RowWeights::mark() const {
  Checksum sum;
  sum.add(std::as_bytes(std::span(weights_)));
  return sum.value();
}

}  // namespace landfall
