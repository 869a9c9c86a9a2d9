// Working space whose shape changes from call to call (a last short batch, a part of a
// batch) without allocating again.
//
//   landfall::Scratch<double> scratch;
//   scratch.resize(100, 5);    // allocates
//   scratch.resize(20, 5);     // does not
//   scratch.view().setZero();
#pragma once

#include <landfall/linalg/types.hpp>

#include <new>

namespace landfall {

/// A matrix in memory that somebody else owns.
template <class S>
using View = Eigen::Map<Matrix<S>>;

template <class S>
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch& other) { *this = other; }
  Scratch& operator=(const Scratch& other) {
    storage_ = other.storage_;
    reseat(other.view_.rows(), other.view_.cols());
    return *this;
  }

  /// The contents are undefined afterwards.
  View<S>& resize(Index rows, Index cols) {
    if (static_cast<std::size_t>(rows * cols) > storage_.size())
      storage_.resize(static_cast<std::size_t>(rows * cols));
    reseat(rows, cols);
    return view_;
  }

  View<S>& view() { return view_; }
  const View<S>& view() const { return view_; }

 private:
  /// Eigen's way to move a Map.
  void reseat(Index rows, Index cols) { new (&view_) View<S>(storage_.data(), rows, cols); }

  std::vector<S> storage_;
  View<S> view_{nullptr, 0, 0};
};

}  // namespace landfall
