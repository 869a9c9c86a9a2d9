// How many ranks are worth having: the steps of one rank of P, measured, with messages that take as long as on a network of a
// given latency and bandwidth. The time of messages is added up, not waited for, and steps are measured in processor time, so
// that other programs do not matter. Beside it the model of docs/mpi.md,
//   t(P) = a r/P + f + messages(P),
// a: seconds per row, f: of a step without rows, from two batch sizes on one rank; messages: 2 log2(P) latencies each, and
// 2 (P-1)/P of the bytes over the bandwidth (an all-reduce by halves).
//
//   bench_ranks [--quick] [--columns N] [--latency SECONDS] [--bandwidth BYTES_PER_SECOND]
//
// --columns: only 1000, 10000 or 100000.
#include <landfall/data/formats/csr_source.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/parallel/threads.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "timing.hpp"

namespace {

using namespace landfall;

struct Network {
  double latency = 20e-6, bandwidth = 1.25e9;  // 10 GbE
};

/// Rank 0 of P that all have the same rows: sums are P times its own.
class SimulatedRank final : public Communicator {
 public:
  SimulatedRank(int ranks, const Network& network) : ranks_(ranks), network_(network) {}

  int rank() const override { return 0; }
  int size() const override { return ranks_; }
  void sum(std::span<float> values) override { multiply(values); }
  void sum(std::span<double> values) override { multiply(values); }
  void sum(std::span<std::ptrdiff_t> counts) override { multiply(counts); }
  void largest(std::span<double> values) override { message(values.size_bytes()); }
  void broadcast(std::span<std::byte> bytes) override { message(bytes.size()); }
  std::vector<std::string> gather(const std::string& text) override {
    message(text.size() * static_cast<std::size_t>(ranks_));
    return std::vector<std::string>(static_cast<std::size_t>(ranks_), text);
  }

  double seconds() const { return seconds_; }
  double calls() const { return calls_; }
  double bytes() const { return bytes_; }

 private:
  template <class T>
  void multiply(std::span<T> values) {
    for (T& value : values) value *= static_cast<T>(ranks_);
    message(values.size_bytes());
  }
  void message(std::size_t bytes) {
    const double p = ranks_;
    seconds_ += 2 * std::ceil(std::log2(p)) * network_.latency +
                2 * (p - 1) / p * static_cast<double>(bytes) / network_.bandwidth;
    calls_ += 1;
    bytes_ += static_cast<double>(bytes);
  }

  int ranks_;
  Network network_;
  double seconds_ = 0, calls_ = 0, bytes_ = 0;
};

struct Data {
  Index n = 0;
  RowMatrix<float> left, right;
  std::vector<float> values;
  std::vector<std::int64_t> columns, starts;  // of sparse rows
  bool sparse() const { return !values.empty(); }

  SourcePtr<float> source(bool second) const {
    if (!sparse()) {
      const auto& rows = second ? right : left;
      return std::make_unique<MemorySource<float>>(rows.data(), rows.rows(), rows.cols(), rows.cols());
    }
    return std::make_unique<CsrSource<float>>(CsrArray{.values = values.data(),
                                                       .type = NpyType::f4,
                                                       .columns = columns.data(),
                                                       .starts = starts.data(),
                                                       .wide_columns = true,
                                                       .wide_starts = true,
                                                       .rows = static_cast<Index>(starts.size()) - 1,
                                                       .cols = n});
  }
};

Data dense_rows(Index rows, Index n) {
  Data data;
  data.n = n;
  data.left = gaussian<float>(rows, n, {1, 0});
  data.right = gaussian<float>(rows, n, {2, 0});
  data.right.leftCols(8) += 2 * data.left.leftCols(8);
  return data;
}

/// Any n / nonzeros rows that follow each other have an entry in every column: to the one rank that is simulated, a column without
/// any would be constant, and left out. The step of 70001 scatters the columns of a row.
Data sparse_rows(Index rows, Index n, Index nonzeros) {
  Data data;
  data.n = n;
  data.starts.push_back(0);
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < nonzeros; ++k) {
      const auto words = random_words({7, static_cast<std::uint64_t>(i)}, static_cast<std::uint64_t>(k));
      data.columns.push_back((i * nonzeros + k) * 70001 % n);
      data.values.push_back(1.0f + static_cast<float>(words[0] % 7));
    }
    data.starts.push_back(static_cast<std::int64_t>(data.values.size()));
  }
  return data;
}

struct Step {
  double work = 0, messages = 0;  // seconds
  double calls = 0, bytes = 0;
};

/// The mean over the steps after the first.
Step measure(const Data& data, Index batch, int ranks, const Network& network) {
  const auto rank = std::make_shared<SimulatedRank>(ranks, network);
  Step first, last;
  double steps = 0;
  CcaOptions options{.components = 5,
                     .method = FitMethod::landing,
                     .ridge = 1.0,
                     .passes = 2,
                     .batch = batch,
                     .first_rows = std::max<Index>(512, 16 * ranks),  // all ranks have the same share of them
                     .memory = std::uint64_t{16} << 30};
  options.landing.rank = 32;
  options.observer = [&](const Progress& at) {
    last = {bench::busy_seconds(), rank->seconds(), rank->calls(), rank->bytes()};
    if (at.iteration == 1) first = last;
    steps = static_cast<double>(at.iteration) - 1;
    return steps < 12;
  };
  if (ranks > 1) options.communicator = rank;
  fit_cca<float>(data.source(false), data.source(true), options);
  return {(last.work - first.work) / steps, (last.messages - first.messages) / steps,
          (last.calls - first.calls) / steps, (last.bytes - first.bytes) / steps};
}

void table(const Data& data, Index batch, const std::vector<int>& ranks, const Network& network) {
  const Step one = measure(data, batch, 1, network), quarter = measure(data, batch / 4, 1, network);
  const double row = (one.work - quarter.work) / (0.75 * static_cast<double>(batch));
  const double field = std::max(0.0, one.work - row * static_cast<double>(batch));
  fmt::print("\nn = {}{}, batches of {}: {:.3g} us a row, {:.3g} ms a step without rows\n", data.n,
             data.sparse() ? ", sparse" : "", batch, 1e6 * row, 1e3 * field);
  fmt::print("{:>6} {:>10} {:>10} {:>10} {:>9} {:>9}\n", "ranks", "work ms", "messages", "KB", "speed-up",
             "model");
  for (const int p : ranks) {
    const Step step = measure(data, batch, p, network);
    const double model = row * static_cast<double>(batch) / p + field + step.messages;
    fmt::print("{:>6} {:>10.3f} {:>10.3f} {:>10.0f} {:>9.2f} {:>9.2f}\n", p, 1e3 * step.work,
               1e3 * step.messages, step.bytes / 1e3, one.work / (step.work + step.messages),
               one.work / model);
    std::fflush(stdout);
    fmt::print("measured ranks.{}.{}.{} {:.4f}\n", data.n, batch, p, one.work / (step.work + step.messages));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Network network;
  bool quick = false;
  Index columns = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) quick = true;
    if (std::strcmp(argv[i], "--columns") == 0 && i + 1 < argc) columns = std::atoi(argv[++i]);
    if (std::strcmp(argv[i], "--latency") == 0 && i + 1 < argc) network.latency = std::atof(argv[++i]);
    if (std::strcmp(argv[i], "--bandwidth") == 0 && i + 1 < argc) network.bandwidth = std::atof(argv[++i]);
  }
  set_threads(1);
  fmt::print("latency {:g} us, {:g} GB/s\n", 1e6 * network.latency, 1e-9 * network.bandwidth);
  const std::vector<int> ranks = quick ? std::vector{2, 16} : std::vector{2, 4, 8, 16, 32, 64, 128, 256};
  const auto wanted = [&](Index n) { return columns == n || (columns == 0 && (!quick || n == 1000)); };
  if (wanted(1000)) {
    const Data data = dense_rows(quick ? 4096 : 32768, 1000);
    for (const Index batch : quick ? std::vector<Index>{1024} : std::vector<Index>{1024, 8192})
      table(data, batch, ranks, network);
  }
  if (wanted(10'000)) table(dense_rows(8192, 10'000), 2048, ranks, network);
  if (wanted(100'000)) table(sparse_rows(262'144, 100'000, 100), 8192, ranks, network);
}
