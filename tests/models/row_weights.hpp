// Weights of rows, and rows whose answers depend on them.
#pragma once

#include <landfall/data/rows/row_weights.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace landfall::test {

using Weights = std::shared_ptr<const RowWeights>;

inline Weights weights_of(std::vector<double> values) {
  return std::make_shared<const RowWeights>("w.csv", std::move(values));
}

/// 0, 1, 2 or 3, in no order.
inline std::vector<double> whole_weights(Index rows) {
  std::vector<double> weights;
  for (Index i = 0; i < rows; ++i) weights.push_back(static_cast<double>((i * i + i / 3) % 4));
  return weights;
}

inline std::vector<double> uneven_weights(Index rows) {
  const Matrix<double> z = gaussian<double>(rows, 1, {77, 0});
  std::vector<double> weights;
  for (Index i = 0; i < rows; ++i) weights.push_back(std::exp(z(i, 0)));
  return weights;
}

inline std::vector<double> times(double factor, std::vector<double> weights) {
  for (double& weight : weights) weight *= factor;
  return weights;
}

inline Index count_positive(const std::vector<double>& weights) {
  return std::ranges::count_if(weights, [](double weight) { return weight > 0; });
}

/// Which rows a table has where each is repeated as often as it weighs.
inline std::vector<Index> repeated(const std::vector<double>& weights) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < weights.size(); ++i)
    rows.insert(rows.end(), static_cast<std::size_t>(weights[i]), static_cast<Index>(i));
  return rows;
}

inline double distance(const Matrix<double>& a, const Matrix<double>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::infinity();
  return a.size() == 0 ? 0 : (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

/// Independent columns with heavy tails.
inline RowMatrix<double> sources(Index rows, Index n, std::uint64_t seed) {
  const Matrix<double> z = gaussian<double>(rows, n, {seed, 0});
  return z.array() * z.array().square();  // super-Gaussian
}

}  // namespace landfall::test
