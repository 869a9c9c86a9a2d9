#include <landfall/data/batch.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/models/machine_rates.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

namespace landfall {
namespace {

/// Work per second: the best of the runs that fit in a few hundredths of a second, the first left out.
template <class F>
double rate(double work, F run) {
  using Clock = std::chrono::steady_clock;
  run();
  const auto begin = Clock::now();
  double best = std::numeric_limits<double>::infinity();
  for (auto start = begin; start - begin < std::chrono::milliseconds(40);) {
    run();
    const auto end = Clock::now();
    best = std::min(best, std::chrono::duration<double>(end - start).count());
    start = end;
  }
  return work / std::max(best, 1e-9);
}

}  // namespace

template <class S>
MachineRates measure_machine() {
  MachineRates rates;
  {
    constexpr Index n = 512, r = 1024;
    const Matrix<S> a = gaussian<S>(n, r, {1});
    Matrix<S> c = Matrix<S>::Zero(n, n);
    rates.products = rate(2.0 * n * n * r, [&] { multiply_bt<S>(a, a, c, S(1e-3), S(0.5)); });
  }
  {
    constexpr Index n = 192;
    Matrix<S> a = gaussian<S>(n, n, {2});
    a = (a + a.transpose()).eval();
    const Matrix<S> b = Matrix<S>::Identity(n, n);
    rates.eigen = rate(double(n) * n * n, [&] { (void)solve_pencil<S>(a, b, 8); });
  }
  const SerialBlas serial;
  constexpr Index n = 1 << 15, k = 64, p = 12;
  const Matrix<S> tall = gaussian<S>(n, k, {3}), x = gaussian<S>(n, p, {4});
  {
    Matrix<S> small(k, p), y(n, p);
    rates.thin = rate(4.0 * n * k * p, [&] {
      multiply_at<S>(tall, x, small);
      multiply<S>(tall, small, y);
    });
  }
  {
    constexpr Index rows = 256, entries = 50;
    const Permutation place(n, {5});
    Batch<S> batch;
    batch.start_sparse(n);
    std::vector<Index> columns(entries);
    for (Index i = 0; i < rows; ++i) {
      batch.add_sparse_row(i);
      for (Index j = 0; j < entries; ++j) columns[static_cast<std::size_t>(j)] = place(i * entries + j);
      std::sort(columns.begin(), columns.end());
      for (const Index column : columns) batch.add_entry(column, S(1));
    }
    Matrix<S> scores(rows, p), y = Matrix<S>::Zero(n, p);
    rates.sparse = rate(2.0 * rows * entries * p, [&] {
      batch.times(x, scores);
      batch.transpose_times(scores, y, S(0.5), 1);
    });
  }
  {
    constexpr Index many = 64;  // columns: more than a cache holds
    const Matrix<S> a = gaussian<S>(n, many, {6});
    Matrix<S> y = Matrix<S>::Zero(n, many);
    rates.blocks = rate(1.0 * n * many, [&] { y += S(0.5) * a; });
  }
  return rates;
}

template MachineRates measure_machine<float>();
template MachineRates measure_machine<double>();

}  // namespace landfall
