// The names every other file uses for matrices.
//
//   landfall::Matrix<double> x = landfall::Matrix<double>::Random(100, 5);    // 5 columns of length 100
//   landfall::Point<double> point{x};                                         // one block; CCA has two
#pragma once

#include <vector>

#include <Eigen/Core>

namespace landfall {

using Eigen::Index;

template <class S>
using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
/// Data: samples as rows, one after the other in memory.
template <class S>
using RowMatrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Arguments that are read and written; columns are contiguous, blocks of columns need no copy.
template <class S>
using In = const Eigen::Ref<const Matrix<S>>&;
template <class S>
using Out = Eigen::Ref<Matrix<S>>;

/// A point of a product of manifolds: one matrix per block.
template <class S>
using Point = std::vector<Matrix<S>>;

struct Shape {
  Index rows = 0;
  Index cols = 0;
  bool operator==(const Shape&) const = default;
};

/// Gives the blocks of a point these shapes; nothing is allocated when they have them already.
template <class S>
void resize(Point<S>& point, const std::vector<Shape>& shapes) {
  point.resize(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) point[i].resize(shapes[i].rows, shapes[i].cols);
}

/// <a, b> = sum of a_ij b_ij over every block.
template <class S>
S inner(const Point<S>& a, const Point<S>& b) {
  S sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].cwiseProduct(b[i]).sum();
  return sum;
}

template <class S>
S norm(const Point<S>& a) {
  S sum = 0;
  for (const auto& block : a) sum += block.squaredNorm();
  return std::sqrt(sum);
}

}  // namespace landfall
