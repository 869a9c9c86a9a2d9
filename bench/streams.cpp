// How fast rows come out of files that the page cache holds. `bench/streams.py` runs this and sets other
// readers beside it.
//
//   bench_streams make FOLDER     the files, the same each time: about 600 MB
//   bench_streams npy FOLDER      .npy batches against memcpy
//   bench_streams wait FOLDER     how long a solver waits for its batches
//   bench_streams text            a line "csv|svmlight single|double PATH THREADS" in, one reading, a line
//                                 "seconds seconds-of-processor rows sum" out; and so on
#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/npy_source.hpp>
#include <landfall/data/formats/svmlight_source.hpp>
#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <cmath>
#include <cstring>
#include <iostream>
#include <string>

#include "timing.hpp"

namespace {

using namespace landfall;

constexpr Index rows = 60000, cols = 784;

void make_text(const std::filesystem::path& folder) {
  write_csv<float>(folder / "single.csv", gaussian<float>(50000, 100, {1, 0}));
  write_csv<double>(folder / "double.csv", gaussian<double>(25000, 100, {1, 1}));

  // 100 of 10000 columns, the indices a random walk.
  constexpr Index entries = 100, block = 1000;
  SvmlightWriter<float> out(folder / "rows.svm");
  for (Index first = 0; first < 60000; first += block) {
    const auto values = gaussian<float>(entries, block, {2, static_cast<std::uint64_t>(first)});
    Batch<float> batch;
    batch.start_sparse(100 * entries);
    for (Index i = 0; i < block; ++i) {
      batch.add_sparse_row(first + i);
      for (Index k = 0; k < entries; ++k) {
        const auto at = static_cast<std::uint64_t>((first + i) * entries + k);
        batch.add_entry(100 * k + static_cast<Index>(100 * uniform({2, 1}, at)), values(k, i));
      }
    }
    std::vector<double> labels(block);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i % 2 == 0 ? 1 : -1;
    out.write(batch, labels);
  }
  out.commit();
}

void make(const std::filesystem::path& folder) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(rows * cols));
  for (std::size_t i = 0; i < pixels.size(); i += 16) {
    const auto words = random_words({0, 0}, i);
    std::memcpy(pixels.data() + i, words.data(), sizeof words);
  }
  Matrix<float> scaled(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      scaled(i, j) = static_cast<float>(pixels[static_cast<std::size_t>(i * cols + j)]) / 255;
  write_npy<float>(folder / "f4.npy", scaled);
  write_npy<float>(folder / "left.npy", scaled.leftCols(cols / 2));
  write_npy<float>(folder / "right.npy", scaled.rightCols(cols / 2));

  const std::string dictionary =
      fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
  AtomicFile file(folder / "u1.npy");
  file.write(std::string("\x93NUMPY\x01\0\x76\0", 10) + dictionary +
             std::string(117 - dictionary.size(), ' ') + '\n');
  file.write(std::as_bytes(std::span(pixels)));
  file.commit();
  make_text(folder);
}

/// One pass in the order of the file, or a shuffled one.
struct Reading {
  SourcePtr<float> source;
  ShuffledReader<float> reader;
  Batch<float> batch{};
  std::uint64_t pass = 0;
  double sum = 0;  // of a number per batch: something must be done with them

  explicit Reading(const std::filesystem::path& path) : source(open_npy<float>(path)), reader(*source, {}) {}
  void in_order(Index size) {
    source->rewind();
    while (source->read(size, batch) > 0) sum += static_cast<double>(batch.dense()(0, 0));
  }
  void shuffled(Index size) {
    reader.begin_pass(pass++);
    while (reader.read(size, batch) > 0) sum += static_cast<double>(batch.dense()(0, 0));
  }
};

/// Shares of the limit's rate: of paired rounds, of the best rounds, and of the processor's time.
void report_share(const std::string& key, const bench::Times& limit, const bench::Times& ours) {
  fmt::print("{:<24} {:6.2f} of the limit ({:.2f} by the best, {:.2f} by the processor's time)\n", key,
             bench::ratio(limit, ours), limit.best / ours.best, bench::busy_ratio(limit, ours));
  bench::report(key, bench::ratio(limit, ours));
  bench::report(key + ".best", limit.best / ours.best);
  bench::report(key + ".busy", bench::busy_ratio(limit, ours));
}

void npy(const std::filesystem::path& folder) {
  Reading f4(folder / "f4.npy"), u1(folder / "u1.npy");
  const auto length = static_cast<std::size_t>(cols);
  std::vector<float> numbers(static_cast<std::size_t>(rows) * length);
  std::vector<std::uint8_t> bytes(numbers.size());
  Batch<float> batch;
  for (Index at = 0; f4.source->read(1000, batch) > 0; at += batch.rows())
    std::ranges::copy(batch.values(), numbers.begin() + at * cols);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(numbers[i] * 255);
  const Permutation order(rows, {0, 0});

  for (const Index size : {Index{128}, Index{1024}}) {
    std::vector<float> buffer(static_cast<std::size_t>(size) * length);
    double sum = 0;
    const auto each_batch = [&](auto&& fill) {
      for (Index first = 0; first < rows; first += size) {
        fill(static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(size, rows - first)));
        sum += static_cast<double>(buffer[0]);
      }
    };
    const auto copy = [&](std::size_t first, std::size_t count) {
      std::memcpy(buffer.data(), numbers.data() + first * length, count * length * sizeof(float));
    };
    const auto gather = [&](std::size_t first, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(buffer.data() + i * length,
                    numbers.data() + static_cast<std::size_t>(order(static_cast<Index>(first + i))) * length,
                    length * sizeof(float));
    };
    const auto convert = [&](std::size_t first, std::size_t count) {
      for (std::size_t i = 0; i < count * length; ++i) buffer[i] = bytes[first * length + i];
    };
    const auto times = bench::interleave({.rounds = 21, .seconds = 15}, {{[&] { each_batch(copy); }},
                                                                         {[&] { f4.in_order(size); }},
                                                                         {[&] { f4.shuffled(size); }},
                                                                         {[&] { each_batch(gather); }},
                                                                         {[&] { each_batch(convert); }},
                                                                         {[&] { u1.in_order(size); }},
                                                                         {[&] { u1.shuffled(size); }}});
    fmt::print("batches of {}: memcpy {:.1f} GB/s, conversion of bytes {:.1f} GB/s of numbers (best)\n", size,
               4e-9 * rows * cols / times[0].best, 4e-9 * rows * cols / times[4].best);
    const std::string of = fmt::format(".{}", size);
    report_share("npy_in_order" + of, times[0], times[1]);
    report_share("npy_shuffled" + of, times[0], times[2]);
    report_share("npy_gather" + of, times[0], times[3]);
    report_share("npy_u1_in_order" + of, times[4], times[5]);
    report_share("npy_u1_shuffled" + of, times[4], times[6]);
    if (!std::isfinite(sum + f4.sum + u1.sum)) fmt::print("not finite\n");
  }
}

/// The rows of a stream, and the seconds that a solver spent on getting them.
class TimedSamples final : public Samples<float> {
 public:
  explicit TimedSamples(StreamSamples<float> samples) : samples_(std::move(samples)) {}
  double waiting = 0, busy = 0;  // the second of the processor's time
  std::chrono::steady_clock::time_point begin{};

  const std::vector<Shape>& shapes() const override { return samples_.shapes(); }
  Index count() const override { return samples_.count(); }
  void begin_pass(std::uint64_t pass) override {
    if (begin == std::chrono::steady_clock::time_point{}) begin = std::chrono::steady_clock::now();
    timed([&] { samples_.begin_pass(pass); });
  }
  Index draw(Index size) override {
    Index drawn = 0;
    timed([&] { drawn = samples_.draw(size); });
    return drawn;
  }
  double evaluate_impl(Index from, Index last, const Point<float>& x, Point<float>* gradient,
                       Point<float>* bx) override {
    return samples_.evaluate(from, last, x, gradient, bx);
  }

 private:
  template <class F>
  void timed(F f) {
    const auto start = std::chrono::steady_clock::now();
    const double busy_start = bench::busy_seconds();
    f();
    busy += bench::busy_seconds() - busy_start;
    waiting += bench::seconds_since(start);
  }

  StreamSamples<float> samples_;
};

struct Waiting {
  double waiting = 0, making = 0;  // shares of the passes of a solver
};

/// CCA by landing, p = 5, over two views of 392 columns, as `landfall cca` runs it.
Waiting solver_waits(const std::filesystem::path& folder, bool ahead, std::uint64_t seed) {
  std::vector<SourcePtr<float>> views;
  for (const char* name : {"left.npy", "right.npy"}) views.push_back(open_npy<float>(folder / name));
  DataStream<float> stream(std::move(views), {.batch = 128, .shuffle = {.seed = seed}, .read_ahead = ahead});
  const std::vector<Index> columns{9, 9};
  const std::vector<float> ridge{1e-3f, 1e-3f};
  const auto objective = correlation_objective<float>();
  auto first =
      std::make_shared<InMemorySamples<float>>(read_into_memory(stream, 4096), columns, ridge, objective);
  auto all = std::make_shared<TimedSamples>(StreamSamples<float>(stream, columns, ridge, objective, rows));
  solve_adaptively<float>(first, all, {.passes = 2, .seed = seed});
  const double seconds = bench::seconds_since(all->begin);
  return {all->waiting / seconds, all->busy / seconds};
}

void wait(const std::filesystem::path& folder) {
  std::vector<double> waiting, making;
  for (std::uint64_t round = 0; round < 5; ++round) {
    waiting.push_back(solver_waits(folder, true, round).waiting);
    making.push_back(solver_waits(folder, false, round).making);
  }
  fmt::print(
      "of its passes with read-ahead the solver waits {:.3f} (best {:.3f}); without, making batches takes "
      "{:.3f}\n",
      bench::median(waiting), *std::ranges::min_element(waiting), bench::median(making));
  bench::report("stream_waiting", bench::median(waiting));
  bench::report("stream_waiting.best", *std::ranges::min_element(waiting));
  bench::report("stream_making", bench::median(making));
}

template <class S>
void read_text(const std::string& format, const std::string& path, int threads) {
  const auto begin = std::chrono::steady_clock::now();
  const double busy = bench::busy_seconds();
  ThreadPool pool(threads);
  const ThreadPool::Use use(pool);
  SourcePtr<S> source;
  if (format == "csv")
    source = std::make_unique<CsvSource<S>>(path);
  else
    source = std::make_unique<SvmlightSource<S>>(path);
  Batch<S> batch;
  Index count = 0;
  double sum = 0;
  while (source->read(1024, batch) > 0) {
    count += batch.rows();
    sum += static_cast<double>(batch.values().front());
  }
  fmt::print("{} {} {} {}\n", bench::seconds_since(begin), bench::busy_seconds() - busy, count, sum);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 2 && words[0] == "make") {
    make(words[1]);
  } else if (words.size() == 2 && words[0] == "npy") {
    npy(words[1]);
  } else if (words.size() == 2 && words[0] == "wait") {
    wait(words[1]);
  } else if (words.size() == 1 && words[0] == "text") {
    int threads = 1;
    for (std::string format, scalar, path; std::cin >> format >> scalar >> path >> threads;)
      scalar == "single" ? read_text<float>(format, path, threads) : read_text<double>(format, path, threads);
  } else {
    fmt::print(stderr, "usage: bench_streams make|npy|wait FOLDER, or bench_streams text\n");
    return 2;
  }
}
