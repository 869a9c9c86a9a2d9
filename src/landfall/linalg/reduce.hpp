// Sums of matrices and numbers over the ranks of a communicator, in place.
//
//   #include <landfall/parallel/communicator.hpp>
//   landfall::Communicator& communicator = landfall::serial_communicator();
//   landfall::Matrix<double> sum = landfall::Matrix<double>::Zero(100, 100);
//   landfall::Index rows = 0;
//   // ... each rank adds its rows ...
//   landfall::reduce(communicator, sum, rows);    // now those of all ranks
//   sum /= static_cast<double>(rows);
#pragma once

#include <landfall/linalg/types.hpp>
#include <landfall/parallel/communicator.hpp>

#include <algorithm>
#include <concepts>
#include <vector>

namespace landfall {

template <class T>
requires std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, Index>
void reduce_one(Communicator& communicator, T& value) {
  communicator.sum(std::span<T>(&value, 1));
}

/// Matrices, vectors and arrays, and Refs whose columns (rows, where these come first) are contiguous.
template <class Derived>
void reduce_one(Communicator& communicator, Eigen::DenseBase<Derived>& values) {
  using T = typename Derived::Scalar;
  Derived& m = values.derived();
  if (m.outerStride() == m.innerSize())
    return communicator.sum(std::span<T>(m.data(), static_cast<std::size_t>(m.size())));
  for (Index j = 0; j < m.outerSize(); ++j)
    communicator.sum(std::span<T>(m.data() + j * m.outerStride(), static_cast<std::size_t>(m.innerSize())));
}

template <class T>
void reduce_one(Communicator& communicator, std::vector<T>& values) {
  for (T& value : values) reduce_one(communicator, value);
}

/// Small matrices travel together: what they cost is the number of messages.
template <class S>
void reduce_one(Communicator& communicator, std::vector<Matrix<S>>& values) {
  constexpr std::size_t small = 256 << 10;  // bytes
  std::size_t size = 0;
  for (const auto& m : values) size += static_cast<std::size_t>(m.size());
  if (values.size() < 2 || size * sizeof(S) > small) {
    for (auto& m : values) reduce_one(communicator, m);
    return;
  }
  std::vector<S> all;
  all.reserve(size);
  for (const auto& m : values) all.insert(all.end(), m.data(), m.data() + m.size());
  communicator.sum(std::span(all));
  const S* from = all.data();
  for (auto& m : values) {
    std::copy_n(from, m.size(), m.data());
    from += m.size();
  }
}

/// Sums each argument over the ranks: float, double, Index, Eigen's matrices, vectors and arrays, and vectors
/// of these (Point). Sizes must be the same on all ranks. With one rank nothing happens.
template <class... T>
void reduce(Communicator& communicator, T&&... values) {
  if (communicator.size() > 1) (reduce_one(communicator, values), ...);
}

}  // namespace landfall
