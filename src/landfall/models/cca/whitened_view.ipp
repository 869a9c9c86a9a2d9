// Rows of a view in coordinates in which its covariance is near the identity, and work shared among threads; for the
// .cpp files of resampling.
#pragma once

#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/models/cca/kept_rows.hpp>
#include <landfall/parallel/cancel.hpp>
#include <landfall/parallel/threads.hpp>

#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace landfall {

/// U = F T / sqrt(m) with T'(F'F/m + ridge I)T = I, so that U'U = I without a ridge. F = sqrt(m) U D.
struct WhitenedView {
  Matrix<double> scores, basis, back;  // U (m x r), T (k x r), D (r x k)

  WhitenedView(const Matrix<double>& rows, double ridge) {
    const auto m = static_cast<double>(rows.rows());
    Matrix<double> metric(rows.cols(), rows.cols());
    gram<double>(rows, metric);
    metric /= m;
    metric.diagonal().array() += ridge;
    basis = orthonormalizing_factor<double>(metric);
    back = basis.transpose() * metric;
    scores.resize(rows.rows(), basis.cols());
    multiply<double>(rows, basis, scores, 1 / std::sqrt(m));
  }

  Index rank() const { return basis.cols(); }
};

/// Calls work(i) for 0 <= i < count in as many threads as BLAS has; each makes its own workspace by make().
template <class Make>
void share_among_threads(int count, const CancelFlag& cancel, const Make& make) {
  const SerialBlas serial;
  std::atomic<int> next = 0;
  std::exception_ptr error;
  std::mutex mutex;
  const auto run = [&] {
    try {
      auto work = make();
      for (int i = next++; i < count; i = next++) {
        cancel.throw_if_requested();
        work(i);
      }
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < std::min(threads(), count); ++i) others.emplace_back(run);
    run();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace landfall
