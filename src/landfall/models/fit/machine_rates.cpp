#include <landfall/data/rows/batch.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/models/fit/machine_rates.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <chrono>

namespace landfall {
namespace {

/// Work per second over a few hundredths of a second, with what other programs take of the machine; the first
/// run is left out.
template <class F>
double rate(double work, F run) {
  using Clock = std::chrono::steady_clock;
  run();
  const auto begin = Clock::now();
  double done = 0, seconds = 0;
  while (seconds < 0.05) {
    run();
    done += work;
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return done / seconds;
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
    constexpr auto n = static_cast<Index>(MachineRates::eigen_size);
    Matrix<S> a = gaussian<S>(n, n, {2});
    a = (a + a.transpose()).eval();
    const Matrix<S> b = Matrix<S>::Identity(n, n);
    rates.eigen = rate(double(n) * n * n, [&] { (void)solve_pencil<S>(a, b, 8); });
  }
  const SerialBlas serial;
  constexpr Index n = 1 << 15, p = 12;
  {
    constexpr Index features = 512, batch = 128, batches = 8;
    const Matrix<S> rows = gaussian<S>(features, batch * batches, {3}), x = gaussian<S>(features, p, {4});
    Matrix<S> scores(batch, p), y(features, p);
    rates.thin = rate(4.0 * features * batch * batches * p, [&] {
      for (Index i = 0; i < batches; ++i) {
        multiply_at<S>(rows.middleCols(i * batch, batch), x, scores);
        multiply<S>(rows.middleCols(i * batch, batch), scores, y);
      }
    });
  }
  const Matrix<S> x = gaussian<S>(n, p, {4});
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
