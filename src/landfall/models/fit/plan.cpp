#include <landfall/data/rows/shuffle.hpp>
#include <landfall/data/rows/statistics.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/fit/defaults.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::uint64_t kProgram = 24 << 20;  // bytes of the program and its libraries
constexpr double kWindow = 16384;             // sparse rows that are shuffled together
// Seconds that the exact answer is worth, even where landing would be done sooner.
constexpr double kPatience = 10;
constexpr Index kMostComplete = 4096,
                kMostLeading = 512;  // columns whose K has a complete basis; rank of the others
constexpr Index kLeastGuard = 2;
constexpr double kBlocks = 30;  // n x p numbers that landing has in memory, about
// Seconds of what does not depend on sizes, and is about the same on any machine that is not old: until the first row,
// of a row that is handed over, of a step.
constexpr double kStart = 6e-3, kRow = 1e-7, kStep = 2e-5;

double total(const std::vector<Index>& features) {
  double sum = 0;
  for (const Index n : features) sum += static_cast<double>(n);
  return sum;
}

/// Bytes of a row of all views.
template <class S>
double row_bytes(const Workload& work) {
  return work.nonzeros ? *work.nonzeros * static_cast<double>(sizeof(S) + sizeof(Index))
                       : total(work.features) * static_cast<double>(sizeof(S));
}

/// Scores of one row: 2 flops for each entry and column.
double score_flops(const Workload& work, double columns) {
  return 2 * work.nonzeros.value_or(total(work.features)) * columns;
}

/// One thread reads, and all of them work where they do not read.
double beside(double reading, double working) {
  return std::max(reading, reading / static_cast<double>(threads()) + working);
}

/// Seconds per row of a reading: of the file, and until its numbers are centred, found finite and handed over, which
/// goes about three times through them.
double reading_of(const Workload& work, const MachineRates& rates) {
  return kRow + work.reading + 3 * work.nonzeros.value_or(total(work.features)) / rates.blocks;
}

/// Seconds of solve_pencil, whose rate grows with n as products get a larger share of it, up to six times that of the
/// size it was measured at.
double eigen_seconds(double n, const MachineRates& rates) {
  return n * n * n / (rates.eigen * std::min(6.0, std::pow(n / MachineRates::eigen_size, 0.75)));
}

std::uint64_t whole(double bytes) {
  return static_cast<std::uint64_t>(bytes);
}

/// What is in memory but not of the method: the program, and what reading takes.
std::uint64_t beside_the_method(const Workload& work) {
  return kProgram + whole(work.held);
}

/// Of a file that MappedFile maps its pages, unless it is large. Of rows that must be read in order about
/// three windows: the open one, and the next, which grows as it is filled.
template <class S>
double held_bytes(const Source<S>& source, Index rows) {
  if (source.sparse()) return 0;  // kWindow
  if (!source.random_access())
    return 3.0 * static_cast<double>(std::min(rows, default_window(source.cols(), false))) *
           static_cast<double>(source.cols()) * sizeof(S);
  std::error_code error;
  const auto size = std::filesystem::file_size(source.name(), error);
  if (error) return 0;
  return static_cast<double>(size > (256u << 20) ? 64u << 20 : size);
}

}  // namespace

template <class S>
void choose_sizes(Workload& work, std::uint64_t memory) {
  const auto most = [](double count) { return static_cast<Index>(std::min(count, 1e9)); };
  const double column = kBlocks * total(work.features) * static_cast<double>(sizeof(S));
  // Guard columns as far as the blocks fit in half of the memory.
  work.columns = std::min(
      work.columns, std::max(work.components + kLeastGuard, most(static_cast<double>(memory) / 2 / column)));
  const bool given = work.batch > 0;
  if (!given) work.batch = default_batch(work.components, work.nonzeros.has_value());
  const double share = static_cast<double>(memory) / 8;
  if (!given)
    work.batch = std::min(work.batch, std::max(most(share / (6 * row_bytes<S>(work))), 8 * work.columns));
  const Index affordable = most(share / (4 * total(work.features) * static_cast<double>(sizeof(S))));
  const Index widest = *std::ranges::max_element(work.features);
  if (work.first_rows == 0) work.first_rows = default_first_rows(widest);
  work.first_rows = std::min(work.first_rows,
                             std::max({most(2 * share / row_bytes<S>(work)), 8 * work.columns, Index{256}}));
  const Index by_hand = work.rank;
  if (work.rank == 0) work.rank = std::clamp<Index>(affordable, 8, std::max<Index>(64, 2 * work.columns));
  for (const Index n : work.features) {
    const bool complete = n <= kMostComplete && n <= 2 * affordable && 4 * n <= 3 * work.first_rows;
    const Index leading = work.nonzeros ? work.rank : std::clamp(affordable, work.rank, kMostLeading);
    work.ranks.push_back(std::min(n, by_hand > 0 ? by_hand : complete ? n : leading));
  }
}

double predicted_passes(const PassForecast& forecast) {
  constexpr double kFirst = 0.8, kRate = 1.5, kFastest = 0.05, kSlowest = 0.3, kLeastValue = 0.05;
  if (forecast.first_rows >= forecast.rows) return 1;
  double share = 1;
  if (forecast.values.size() > 0) {
    const auto values = forecast.values.array().max(kLeastValue).min(1.0);
    share = ((1 - values.square()) / values).sum() / values.sum();
  }
  const double gap = kFirst * share * forecast.noise / forecast.rows;
  if (gap <= forecast.tolerance) return 1;
  const double rate =
      std::clamp(kRate * forecast.noise / std::max(forecast.first_rows, 1.0), kFastest, kSlowest);
  const double more = std::ceil(std::log(gap / std::max(forecast.tolerance, 1e-300)) / -std::log(rate));
  return std::min(1 + more, std::max(forecast.most, 1.0));
}

template <class S>
Cost exact_cost(const Workload& work, const MachineRates* rates) {
  double entries = 0, flops = 0, cubes = 0,
         squares_sum = 0;  // of the covariances; per row, half of each square
  double smallest = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < work.features.size(); ++i)
    for (std::size_t j = i; j < work.features.size(); ++j) {
      const double block = static_cast<double>(work.features[i]) * static_cast<double>(work.features[j]);
      entries += block;
      flops += i == j ? block : 2 * block;
    }
  for (const Index n : work.features) {
    cubes += std::pow(static_cast<double>(n), 3);
    squares_sum += static_cast<double>(n) * static_cast<double>(n);
    smallest = std::min(smallest, static_cast<double>(n));
  }
  const double rows = static_cast<double>(work.rows);

  // With a few batches of 1024 rows, which are made dense.
  const double dense_row = total(work.features) * static_cast<double>(sizeof(S));
  const double squares = work.squares > 0 ? work.squares : 2 * entries * static_cast<double>(sizeof(S));
  Cost cost{.bytes = whole(squares + 1024 * 6 * dense_row) + beside_the_method(work), .passes = 1};
  if (!rates) return cost;
  // Two readings: mean, covariances. Then others, with scores at most.
  const double reading = reading_of(work, *rates);
  const double covariances = beside(rows * reading, rows * flops / rates->products);
  // A pencil; two factors of every square, for its rank and its inverse, which is applied to the columns of the
  // smallest view.
  const double solve =
      eigen_seconds(smallest, *rates) + (2 * cubes + 4 * squares_sum * smallest) / rates->products;
  const double scores =
      beside(rows * reading, rows * score_flops(work, static_cast<double>(work.components)) / rates->thin);
  cost.seconds =
      kStart + rows * (reading + work.statistics) + covariances + solve + work.more_readings * scores;
  return cost;
}

template <class S>
Cost landing_cost(const Workload& work, const MachineRates* rates) {
  const double n = total(work.features), rows = static_cast<double>(work.rows);
  const double c = static_cast<double>(std::max(work.columns, work.components));
  const double r = static_cast<double>(work.batch);
  const double first = std::min(static_cast<double>(work.first_rows), rows);

  // The n x p blocks of the method and its estimator, the sketch with what its making needs, the first
  // rows, five batches that are read ahead or used, and the rows that are shuffled.
  const double blocks = kBlocks * n * c;
  double sketch = 0, inverse = 0, basis = 0;  // entries; flops of K per column; flops of making it
  for (std::size_t i = 0; i < work.features.size(); ++i) {
    const double m = static_cast<double>(work.features[i]);
    const double k = static_cast<double>(i < work.ranks.size() ? work.ranks[i] : work.rank);
    const bool complete = k >= m;
    sketch += 4 * m * (k + 8);
    inverse += complete ? 2 * m * m : 4 * m * k;
    basis += complete ? 4 * first * m * m + 14 * m * m * m : 24 * m * k * k;
  }
  const double k =
      static_cast<double>(work.ranks.empty() ? work.rank : *std::ranges::max_element(work.ranks));
  Cost cost{.bytes = whole((blocks + sketch) * static_cast<double>(sizeof(S)) +
                           (first + 6 * r + (work.nonzeros ? kWindow : 0)) * row_bytes<S>(work)) +
                     beside_the_method(work),
            .passes = work.passes};
  if (!rates) return cost;
  // A [X D] and the size of each row, then the sums of both estimates; K once; about ten n x p by p x p products and forty
  // sums of blocks.
  constexpr double kProbes = 16;
  const auto scores = [&](double size, double columns) {
    return work.nonzeros ? size * *work.nonzeros * columns / rates->sparse
                         : size * score_flops(work, columns) / rates->thin;
  };
  const auto step = [&](double size) {
    return kStep + scores(size, 6 * c + kProbes) + (inverse * c + 20 * n * c * c) / rates->thin +
           40 * n * c / rates->blocks;
  };
  // Leading subspaces: one pass makes steps, the next measures X, D and points of the first, the others D (docs/method.md).
  const double stepping = work.ranks.empty() ? work.passes : std::min(work.passes, 1.0);
  const double measuring = work.passes - stepping, p = static_cast<double>(work.components);
  const double measured =
      scores(rows, std::min(measuring, 1.0) * (6 * c + 12 * p) + std::max(measuring - 1, 0.0) * 3 * c);
  const double steps = std::ceil(rows * stepping / r);
  const double reading = reading_of(work, *rates), again = work.kept ? 0 : reading;
  const double evaluation = beside(rows * again, rows * score_flops(work, c) / rates->thin);
  // K: its basis, then the variance along it; and Rayleigh-Ritz steps over the first rows.
  constexpr double kPilotSteps = 12;
  const double look =
      scores(first, 4 * (k + 8)) + basis / rates->products + kPilotSteps * scores(first, 3 * c);
  cost.seconds = kStart + rows * (reading + (reading - again) + work.statistics) + look +
                 beside(rows * work.passes * again, steps * step(std::min(r, rows)) + measured) +
                 std::max(1, work.more_readings) * evaluation;
  return cost;
}

template <class S>
void require_memory(const Workload& work, std::uint64_t memory, FitMethod method) {
  const Cost cost =
      method == FitMethod::exact ? exact_cost<S>(work, nullptr) : landing_cost<S>(work, nullptr);
  const std::uint64_t needed = cost.bytes - beside_the_method(work);
  if (needed > memory)
    throw UsageError(fmt::format("{} needs {} of memory, expected at most the {} that --memory allows",
                                 to_string(method), memory_text(needed), memory_text(memory)));
}

template <class S>
Plan make_plan(const Workload& work, std::uint64_t memory, const MachineRates* rates) {
  Plan plan{.exact = exact_cost<S>(work, rates), .landing = landing_cost<S>(work, rates)};
  const std::uint64_t others = beside_the_method(work), needed = plan.exact.bytes - others;
  const bool fits = needed <= memory;
  plan.exact_is_chosen = fits && (!rates || plan.exact.seconds <= std::max(kPatience, plan.landing.seconds));
  const std::string size =
      fmt::format("exact covariances need {} of the {} allowed", memory_text(needed), memory_text(memory));
  if (!fits)
    plan.reason = fmt::format("{}, landing {}", size, memory_text(plan.landing.bytes - others));
  else if (!rates)
    plan.reason = size;
  else
    plan.reason = fmt::format("{} and about {}, landing about {}", size, time_text(plan.exact.seconds),
                              time_text(plan.landing.seconds));
  return plan;
}

namespace {

/// Whether landing could be the quicker one where exact fits in the memory: not where exact takes less time than to
/// measure that.
template <class S>
bool rates_matter(const Workload& work, std::uint64_t memory) {
  const MachineRates slow{.products = 5e9, .eigen = 1e8, .thin = 2e9, .sparse = 2e8, .blocks = 1e9};
  Workload solving = work;
  solving.reading = 0;  // as dear for landing
  const Cost exact = exact_cost<S>(solving, &slow);
  return exact.bytes - beside_the_method(work) <= memory && exact.seconds >= kPatience;
}

}  // namespace

template <class S>
Plan make_plan(const Workload& work, std::uint64_t memory) {
  if (!rates_matter<S>(work, memory)) return make_plan<S>(work, memory, nullptr);
  const MachineRates rates = measure_machine<S>();
  return make_plan<S>(work, memory, &rates);
}

template <class S>
Plan shown_plan(const Workload& work, std::uint64_t memory, FitMethod asked) {
  const MachineRates rates = measure_machine<S>();
  Plan plan = make_plan<S>(work, memory, &rates);
  if (asked != FitMethod::automatic) {
    plan.exact_is_chosen = asked == FitMethod::exact;
    plan.reason = "requested";
  } else if (!rates_matter<S>(work, memory)) {
    const Plan by_memory = make_plan<S>(work, memory, nullptr);
    plan.exact_is_chosen = by_memory.exact_is_chosen;
    plan.reason = by_memory.reason;
  }
  return plan;
}

template <class S>
MethodChoice choose_method(FitMethod asked, const Workload& work, std::uint64_t memory) {
  if (asked != FitMethod::automatic) return {.method = asked};
  Plan plan = make_plan<S>(work, memory);
  return {plan.exact_is_chosen ? FitMethod::exact : FitMethod::landing, std::move(plan.reason)};
}

template <class S>
SourceSample sample_source(Source<S>& source) {
  using Clock = std::chrono::steady_clock;
  SourceSample sample;
  Batch<S> batch;
  RunningStatistics<S> statistics(source.cols());
  Clock::duration reading{}, summing{};
  double entries = 0;
  while (sample.rows < 4096 && reading < std::chrono::milliseconds(100)) {
    const auto begin = Clock::now();
    if (source.read(256, batch) == 0) break;
    const auto end = Clock::now();
    statistics.add(batch);
    reading += end - begin;
    summing += Clock::now() - end;
    sample.rows += batch.rows();
    entries += static_cast<double>(batch.values().size());
  }
  const auto rows = static_cast<double>(std::max<Index>(sample.rows, 1));
  sample.reading = std::chrono::duration<double>(reading).count() / rows;
  sample.statistics = std::chrono::duration<double>(summing).count() / rows;
  sample.nonzeros = entries / rows;
  if (source.rows())
    sample.rows = *source.rows();
  else
    while (source.read(1024, batch) > 0) sample.rows += batch.rows();
  source.rewind();
  sample.held = held_bytes(source, sample.rows);
  return sample;
}

std::string memory_text(std::uint64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  if (amount < 0x1p20) return fmt::format("{:.0f} KiB", std::ceil(amount / 0x1p10));
  if (amount < 10 * 0x1p20) return fmt::format("{:.1f} MiB", amount / 0x1p20);
  if (amount < 0x1p30) return fmt::format("{:.0f} MiB", amount / 0x1p20);
  return fmt::format("{:.{}f} GiB", amount / 0x1p30, amount < 10 * 0x1p30 ? 1 : 0);
}

std::string time_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.{}f} s", seconds, seconds < 1 ? 2 : 1);
  const double minutes = std::floor(seconds / 60);
  if (minutes < 1) return fmt::format("{:.0f} s", seconds);
  if (minutes < 60) return fmt::format("{:.0f} min {:.0f} s", minutes, seconds - 60 * minutes);
  return fmt::format("{:.0f} h {:.0f} min", std::floor(minutes / 60),
                     minutes - 60 * std::floor(minutes / 60));
}

LANDFALL_PLAN(, float)
LANDFALL_PLAN(, double)

}  // namespace landfall
