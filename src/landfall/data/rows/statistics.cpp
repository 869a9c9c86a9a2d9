#include <landfall/data/rows/row_loops.hpp>
#include <landfall/data/rows/statistics.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace landfall {
namespace {

// Rows that are summed without compensation, so their number is what the rounding grows with.
constexpr Index kFew = 64;

// Columns that a thread takes at once.
constexpr Index kColumns = 256;

/// E a^2 and E a^4 about the mean or 0.
struct Moments {
  double second, fourth, largest;
};

Moments moments_of(const ColumnStatistics& columns, Index j, bool centred) {
  const double m = columns.mean(j), v = columns.variance(j);
  if (centred) return {v, columns.fourth(j), std::max(columns.max(j) - m, m - columns.min(j))};
  return {v + m * m, columns.fourth(j) + 4 * m * columns.third(j) + 6 * m * m * v + m * m * m * m,
          std::max(std::abs(columns.max(j)), std::abs(columns.min(j)))};
}

}  // namespace

double deviation(const ColumnStatistics& columns, Index j, bool centred) {
  return std::sqrt(moments_of(columns, j, centred).second);
}

double row_size(const ColumnStatistics& columns, Index j, bool centred) {
  const auto [second, fourth, largest] = moments_of(columns, j, centred);
  const double least = std::sqrt(second), size = std::sqrt(fourth / second);
  if (!std::isfinite(size)) return std::isfinite(least) ? std::max(least, largest) : least;
  return std::clamp(size, least, std::max(least, largest));
}

/// Neumaier's summation.
template <class S>
void RunningStatistics<S>::Sum::add(double term) {
  const double next = high + term;
  low += std::abs(high) >= std::abs(term) ? (high - next) + term : (term - next) + high;
  high = next;
}

template <class S>
void RunningStatistics<S>::Column::start(double value) {
  origin = min = max = value;
}

/// With d the difference of the means of entries that weigh n and m in all and q, c the sums of squares and cubes about them:
/// squares d^2 nm/(n+m), cubes d^3 nm(n-m)/(n+m)^2 + 3d (n q' - m q)/(n+m), fourths d^4 nm(n^2-nm+m^2)/(n+m)^3 +
/// 6d^2 (n^2 q' + m^2 q)/(n+m)^2 + 4d (n c' - m c)/(n+m) are added.
template <class S>
void RunningStatistics<S>::Column::merge(const Column& other) {
  if (other.count == 0) return;
  const double n = weight, m = other.weight;
  if (count > 0) {
    const double d = other.sum.value() / m - sum.value() / n, a = n / (n + m), b = m / (n + m);
    const double q = squares.value(), q2 = other.squares.value();
    fourths += d * d * (d * d * a * m * (a * a - a * b + b * b) + 6 * (a * a * q2 + b * b * q)) +
               4 * d * (a * other.cubes - b * cubes);
    cubes += d * (d * d * a * m * (a - b) + 3 * (a * q2 - b * q));
    squares.add(d * d * a * m);
  }
  squares.add(other.squares.value());
  cubes += other.cubes;
  fourths += other.fourths;
  sum.add(other.sum.value());
  count += other.count;
  weight += other.weight;
}

template <class S>
RunningStatistics<S>::RunningStatistics(Index cols) : columns_(static_cast<std::size_t>(cols)) {}

template <class S>
void RunningStatistics<S>::add(const Batch<S>& batch, std::span<const double> weights) {
  if (batch.cols() != cols())
    throw UsageError(fmt::format("a batch of {} columns, expected {}", batch.cols(), cols()));
  if (batch.sparse())
    add_sparse(batch, weights);
  else if (batch.rows() > 0)
    add_dense(batch, weights);
  rows_ += batch.rows();
  weight_ += weights.empty() ? static_cast<double>(batch.rows())
                             : std::accumulate(weights.begin(), weights.end(), 0.0);
}

/// Columns have nothing to do with each other, so that threads share them.
template <class S>
void RunningStatistics<S>::add_dense(const Batch<S>& batch, std::span<const double> weights) {
  const auto rows = batch.dense();
  const Index n = cols();
  for (auto* numbers :
       {&origin_, &sum_, &mean_, &rest_, &squares_, &cubes_, &fourths_, &min_, &max_, &missing_weight_})
    numbers->resize(n);
  missing_.resize(static_cast<std::size_t>(n));
  const InstructionSet set = instruction_set();
  const auto column = [&](Index j) -> Column& { return columns_[static_cast<std::size_t>(j)]; };
  const auto missing = [&](Index j) -> Index& { return missing_[static_cast<std::size_t>(j)]; };
  const auto weight_of = [&](Index i) {
    return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
  };

  // Rows [first, last) of columns [begin, end); returns how many entries are neither zero nor missing.
  const auto add_few = [&](Index first, Index last, Index begin, Index end) {
    const Index width = end - begin;
    const auto row_at = [&](Index i) { return rows.col(i).data() + begin; };

    std::array<bool, kFew> whole{};
    double few_weight = 0;
    for (Index j = begin; j < end; ++j) missing(j) = 0, missing_weight_(j) = 0;
    for (Index i = first; i < last; ++i) {
      const bool finite = whole[static_cast<std::size_t>(i - first)] = all_finite(row_at(i), width, set);
      few_weight += weight_of(i);
      if (!finite)
        for (Index j = begin; j < end; ++j)
          if (!std::isfinite(rows(j, i))) missing(j) += 1, missing_weight_(j) += weight_of(i);
    }
    for (Index j = begin; j < end; ++j) {
      Column& c = column(j);
      if (c.count == 0)
        for (Index i = first; i < last; ++i)
          if (std::isfinite(rows(j, i))) {
            c.start(static_cast<double>(rows(j, i)));
            break;
          }
      origin_(j) = min_(j) = max_(j) = c.origin;
      sum_(j) = rest_(j) = squares_(j) = cubes_(j) = fourths_(j) = 0;
    }
    const auto each_row = [&](auto&& whole_row, auto&& one) {
      for (Index i = first; i < last; ++i)
        if (whole[static_cast<std::size_t>(i - first)])
          whole_row(row_at(i), weight_of(i));
        else
          for (Index j = begin; j < end; ++j)
            if (std::isfinite(rows(j, i))) one(j, static_cast<double>(rows(j, i)), weight_of(i));
    };

    Index found = 0;
    const auto at = [&](Eigen::ArrayXd& numbers) { return numbers.data() + begin; };
    ColumnSums sums{at(origin_), at(sum_),     at(min_),   at(max_),    at(mean_),
                    at(rest_),   at(squares_), at(cubes_), at(fourths_)};
    each_row(
        [&](const S* row, double weight) {
          sums.weight = weight;
          found += add_to_sums(row, width, sums, set);
        },
        [&](Index j, double value, double weight) {
          sum_(j) += weight * (value - origin_(j));
          min_(j) = std::min(min_(j), value);
          max_(j) = std::max(max_(j), value);
          found += value != 0;
        });

    // The same rows again, with d = a - c: sum (d - mean)^2 - (sum (d - mean))^2 / count, each with its weight.
    const auto present = [&](Index j) { return last - first - missing(j); };
    const auto count = [&](Index j) { return few_weight - missing_weight_(j); };
    const auto divisor = [&](Index j) { return present(j) > 0 ? count(j) : 1.0; };
    for (Index j = begin; j < end; ++j) mean_(j) = sum_(j) / divisor(j);
    each_row(
        [&](const S* row, double weight) {
          sums.weight = weight;
          add_to_powers(row, width, sums, set);
        },
        [&](Index j, double value, double weight) {
          const double d = (value - origin_(j)) - mean_(j);
          rest_(j) += weight * d;
          squares_(j) += weight * d * d;
          cubes_(j) += weight * d * d * d;
          fourths_(j) += weight * d * d * d * d;
        });

    for (Index j = begin; j < end; ++j) {
      Column& c = column(j);
      c.missing += missing(j);
      c.missing_weight += missing_weight_(j);
      c.min = std::min(c.min, min_(j));
      c.max = std::max(c.max, max_(j));
      Column few;
      few.count = present(j);
      few.weight = count(j);
      few.sum.high = sum_(j);
      few.squares.high = squares_(j) - rest_(j) * rest_(j) / divisor(j);
      few.cubes = cubes_(j);
      few.fourths = fourths_(j);
      c.merge(few);
    }
    return found;
  };

  std::atomic<Index> nonzeros = 0;
  parallel_for((n + kColumns - 1) / kColumns, [&](Index block) {
    const Index begin = block * kColumns, end = std::min(n, begin + kColumns);
    for (Index first = 0; first < batch.rows(); first += kFew)
      nonzeros += add_few(first, std::min(first + kFew, batch.rows()), begin, end);
  });
  nonzeros_ += nonzeros;
}

template <class S>
void RunningStatistics<S>::add_sparse(const Batch<S>& batch, std::span<const double> weights) {
  std::size_t row = 0;
  for (std::size_t k = 0; k < batch.values().size(); ++k) {
    while (static_cast<std::size_t>(batch.starts()[row + 1]) <= k) ++row;
    const double weight = weights.empty() ? 1.0 : weights[row];
    Column& c = columns_[static_cast<std::size_t>(batch.columns()[k])];
    const auto value = static_cast<double>(batch.values()[k]);
    if (!std::isfinite(value)) {
      ++c.missing;
      c.missing_weight += weight;
      continue;
    }
    nonzeros_ += value != 0;
    if (c.count == 0) c.start(value);
    c.min = std::min(c.min, value);
    c.max = std::max(c.max, value);
    Column one;
    one.count = 1;
    one.weight = weight;
    one.sum.high = weight * (value - c.origin);
    c.merge(one);
  }
}

/// Sums about a common origin c, then sum (a - m)^k over the ranks, from those about each rank's own mean.
template <class S>
void RunningStatistics<S>::merge_ranks(Communicator& communicator) {
  if (communicator.size() == 1) return;
  constexpr double none = -std::numeric_limits<double>::infinity();
  const auto n = columns_.size();
  std::vector<double> origin(n, none), low(n, none), high(n, none), own(n, 0.0);
  std::vector<double> weight(n, 0.0), missing_weight(n, 0.0);
  std::vector<Index> count(n, 0), missing(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    const Column& c = columns_[j];
    missing[j] = c.missing;
    missing_weight[j] = c.missing_weight;
    weight[j] = c.weight;
    if ((count[j] = c.count) == 0) continue;
    origin[j] = c.origin;
    low[j] = -c.min;
    high[j] = c.max;
  }
  for (auto* values : {&origin, &low, &high}) communicator.largest(*values);
  for (std::size_t j = 0; j < n; ++j)
    if (const Column& c = columns_[j]; c.count > 0)
      own[j] = c.sum.value() + (c.origin - origin[j]) * c.weight;
  std::vector<double> sum = own, squares(n, 0.0), cubes(n, 0.0), fourths(n, 0.0);
  communicator.sum(std::span(sum));
  communicator.sum(std::span(count));
  communicator.sum(std::span(missing));
  communicator.sum(std::span(weight));
  communicator.sum(std::span(missing_weight));
  for (std::size_t j = 0; j < n; ++j)
    if (const Column& c = columns_[j]; c.count > 0) {
      const double rows = c.weight;
      const double s = own[j] / rows - sum[j] / weight[j], q = c.squares.value();
      squares[j] = q + rows * s * s;
      cubes[j] = c.cubes + s * (3 * q + rows * s * s);
      fourths[j] = c.fourths + s * (4 * c.cubes + s * (6 * q + rows * s * s));
    }
  for (auto* sums : {&squares, &cubes, &fourths}) communicator.sum(std::span(*sums));
  for (std::size_t j = 0; j < n; ++j) {
    Column& c = columns_[j] = Column();
    c.missing = missing[j];
    c.missing_weight = missing_weight[j];
    if (count[j] == 0) continue;
    c.count = count[j];
    c.weight = weight[j];
    c.origin = origin[j];
    c.sum = {sum[j], 0};
    c.squares = {squares[j], 0};
    c.cubes = cubes[j];
    c.fourths = fourths[j];
    c.min = -low[j];
    c.max = high[j];
  }
  reduce(communicator, rows_, nonzeros_, weight_);
}

template <class S>
ColumnStatistics RunningStatistics<S>::summary() const {
  ColumnStatistics result;
  result.rows = rows_;
  result.nonzeros = nonzeros_;
  const Index n = cols();
  for (Vector<double>* v :
       {&result.mean, &result.variance, &result.third, &result.fourth, &result.min, &result.max})
    v->setZero(n);
  for (Index j = 0; j < n; ++j) {
    Column c = columns_[static_cast<std::size_t>(j)];
    const Index zeros = rows_ - c.count - c.missing;  // what sparse rows do not store
    if (zeros > 0) {
      if (c.count == 0) c.start(0);
      c.min = std::min(c.min, 0.0);
      c.max = std::max(c.max, 0.0);
      Column none;
      none.count = zeros;
      none.weight = std::max(weight_ - c.weight - c.missing_weight, std::numeric_limits<double>::min());
      none.sum.high = -c.origin * none.weight;
      c.merge(none);
    }
    result.missing.push_back(c.missing);
    if (c.count > 0) {
      const double count = c.weight;
      result.mean(j) = c.origin + c.sum.value() / count;
      const double variance = c.squares.value() / count;  // NaN: infinite terms cancelled
      result.variance(j) =
          std::isnan(variance) ? std::numeric_limits<double>::infinity() : std::max(0.0, variance);
      result.third(j) = c.cubes / count;
      result.fourth(j) = c.fourths / count;
      result.min(j) = c.min;
      result.max(j) = c.max;
    }
    if (c.min == c.max) result.constant.push_back(j);
  }
  return result;
}

template <class S>
ColumnStatistics column_statistics(Source<S>& source) {
  RunningStatistics<S> running(source.cols());
  Batch<S> batch;
  while (source.read(1024, batch) > 0) running.add(batch);
  return running.summary();
}

template <class S>
void RunningStatistics<S>::state(State& state) {
  state(rows_, nonzeros_, weight_, columns_);
}

LANDFALL_STATISTICS(, float)
LANDFALL_STATISTICS(, double)

}  // namespace landfall
