#include <landfall/data/rows/batch.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/models/fit/machine_rates.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace landfall {
namespace {

/// Work per second over two hundredths of a second, with what other programs take of the machine; the first run is left out.
template <class F>
double rate(double work, F run) {
  using Clock = std::chrono::steady_clock;
  run();
  const auto begin = Clock::now();
  double done = 0, seconds = 0;
  while (seconds < 0.02) {
    run();
    done += work;
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return done / seconds;
}

/// Numbers to multiply, which cost less than random ones.
template <class S>
Matrix<S> numbers(Index rows, Index cols) {
  Matrix<S> m(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) m(i, j) = static_cast<S>((i + 7 * j) % 13 - 6);
  return m;
}

}  // namespace

template <class S>
MachineRates measure_machine() {
  std::optional<ThreadPool> pool;  // landing uses one
  std::optional<ThreadPool::Use> use;
  if (!ThreadPool::current()) use.emplace(pool.emplace(threads()));
  MachineRates rates;
  {
    constexpr Index n = 512, r = 1024;
    const Matrix<S> a = numbers<S>(n, r);
    Matrix<S> c = Matrix<S>::Zero(n, n);
    rates.products = rate(2.0 * n * n * r, [&] { multiply_bt<S>(a, a, c, S(1e-3), S(0.5)); });
  }
  {
    constexpr auto n = static_cast<Index>(MachineRates::eigen_size);
    Matrix<S> a = gaussian<S>(n, n, {2});
    a = (a + a.transpose()).eval();
    const Matrix<S> b = Matrix<S>::Identity(n, n);
    rates.eigen = rate(double(n) * n * n, [&] { (void)solve_pencil<S>(a, b, 8); });
  }
  const SerialBlas serial;
  constexpr Index n = 1 << 15, p = 40;
  {
    constexpr Index features = 512, batch = 512, batches = 4;
    const Matrix<S> rows = numbers<S>(features, batch * batches), x = numbers<S>(features, p);
    Matrix<S> scores(batch, p), y(features, p);
    rates.thin = rate(4.0 * features * batch * batches * p, [&] {
      for (Index i = 0; i < batches; ++i) {
        multiply_at<S>(rows.middleCols(i * batch, batch), x, scores);
        multiply<S>(rows.middleCols(i * batch, batch), scores, y);
      }
    });
  }
  const Matrix<S> x = numbers<S>(n, p);
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
    const Matrix<S> a = numbers<S>(n, many);
    Matrix<S> y = Matrix<S>::Zero(n, many);
    rates.blocks = rate(1.0 * n * many, [&] { y += S(0.5) * a; });
  }
  return rates;
}

template MachineRates measure_machine<float>();
template MachineRates measure_machine<double>();

}  // namespace landfall
