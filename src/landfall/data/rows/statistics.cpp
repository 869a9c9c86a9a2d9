#include <landfall/data/rows/rows.hpp>
#include <landfall/data/rows/statistics.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/reduce.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

// Rows that are summed without compensation, so their number is what the rounding grows with.
constexpr Index kFew = 64;

// Rows without a missing value. The two loops become vector instructions (see CMakeLists.txt).

template <class S>
Index add_row(const S* __restrict row, Index n, const double* __restrict origin, double* __restrict sum,
              double* __restrict min, double* __restrict max) {
  Index nonzeros = 0;
  for (Index j = 0; j < n; ++j) {
    const auto value = static_cast<double>(row[j]);
    sum[j] += value - origin[j];
    min[j] = value < min[j] ? value : min[j];
    max[j] = value > max[j] ? value : max[j];
    nonzeros += value != 0;
  }
  return nonzeros;
}

template <class S>
void add_squares(const S* __restrict row, Index n, const double* __restrict origin,
                 const double* __restrict mean, double* __restrict rest, double* __restrict squares) {
  for (Index j = 0; j < n; ++j) {
    const double d = (static_cast<double>(row[j]) - origin[j]) - mean[j];
    rest[j] += d;
    squares[j] += d * d;
  }
}

}  // namespace

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

/// With means m, m' of n, n' entries: sum (a - mean)^2 = q + q' + (m - m')^2 n n' / (n + n').
template <class S>
void RunningStatistics<S>::Column::merge(Index other_count, double other_sum, double other_squares) {
  if (other_count == 0) return;
  const auto n = static_cast<double>(count), m = static_cast<double>(other_count);
  squares.add(other_squares);
  if (count > 0) {
    const double difference = other_sum / m - sum.value() / n;
    squares.add(difference * difference * (n / (n + m)) * m);
  }
  sum.add(other_sum);
  count += other_count;
}

template <class S>
RunningStatistics<S>::RunningStatistics(Index cols) : columns_(static_cast<std::size_t>(cols)) {}

template <class S>
void RunningStatistics<S>::add(const Batch<S>& batch) {
  if (batch.cols() != cols())
    throw UsageError(fmt::format("a batch of {} columns, expected {}", batch.cols(), cols()));
  if (batch.sparse())
    add_sparse(batch);
  else
    for (Index first = 0; first < batch.rows(); first += kFew)
      add_dense(batch, first, std::min(first + kFew, batch.rows()));
  rows_ += batch.rows();
}

template <class S>
void RunningStatistics<S>::add_dense(const Batch<S>& batch, Index first, Index last) {
  const Index n = cols();
  const auto rows = batch.dense();
  const auto column = [&](Index j) -> Column& { return columns_[static_cast<std::size_t>(j)]; };
  origin_.resize(n);
  missing_.assign(static_cast<std::size_t>(n), 0);

  std::array<bool, kFew> whole{};
  for (Index i = first; i < last; ++i) {
    const bool finite = whole[static_cast<std::size_t>(i - first)] = all_finite(rows.col(i));
    if (!finite)
      for (Index j = 0; j < n; ++j) missing_[static_cast<std::size_t>(j)] += !std::isfinite(rows(j, i));
  }
  for (Index j = 0; j < n; ++j) {
    Column& c = column(j);
    if (c.count == 0)
      for (Index i = first; i < last; ++i)
        if (std::isfinite(rows(j, i))) {
          c.start(static_cast<double>(rows(j, i)));
          break;
        }
    origin_(j) = c.origin;
  }
  const auto each_row = [&](auto&& whole_row, auto&& one) {
    for (Index i = first; i < last; ++i)
      if (whole[static_cast<std::size_t>(i - first)])
        whole_row(rows.col(i).data());
      else
        for (Index j = 0; j < n; ++j)
          if (std::isfinite(rows(j, i))) one(j, static_cast<double>(rows(j, i)));
  };

  sum_.setZero(n);
  min_ = max_ = origin_;
  each_row(
      [&](const S* row) {
        nonzeros_ += add_row(row, n, origin_.data(), sum_.data(), min_.data(), max_.data());
      },
      [&](Index j, double value) {
        sum_(j) += value - origin_(j);
        min_(j) = std::min(min_(j), value);
        max_(j) = std::max(max_(j), value);
        nonzeros_ += value != 0;
      });

  // The same rows again, with d = a - c: sum (d - mean)^2 - (sum (d - mean))^2 / count.
  const auto count = [&](Index j) {
    return static_cast<double>(last - first - missing_[static_cast<std::size_t>(j)]);
  };
  rest_.setZero(n);
  squares_.setZero(n);
  mean_.resize(n);
  for (Index j = 0; j < n; ++j) mean_(j) = sum_(j) / std::max(count(j), 1.0);
  each_row(
      [&](const S* row) { add_squares(row, n, origin_.data(), mean_.data(), rest_.data(), squares_.data()); },
      [&](Index j, double value) {
        const double d = (value - origin_(j)) - mean_(j);
        rest_(j) += d;
        squares_(j) += d * d;
      });

  for (Index j = 0; j < n; ++j) {
    Column& c = column(j);
    c.missing += missing_[static_cast<std::size_t>(j)];
    c.min = std::min(c.min, min_(j));
    c.max = std::max(c.max, max_(j));
    const Index present = last - first - missing_[static_cast<std::size_t>(j)];
    if (present > 0)
      c.merge(present, sum_(j), squares_(j) - rest_(j) * rest_(j) / static_cast<double>(present));
  }
}

template <class S>
void RunningStatistics<S>::add_sparse(const Batch<S>& batch) {
  for (std::size_t k = 0; k < batch.values().size(); ++k) {
    Column& c = columns_[static_cast<std::size_t>(batch.columns()[k])];
    const auto value = static_cast<double>(batch.values()[k]);
    if (!std::isfinite(value)) {
      ++c.missing;
      continue;
    }
    nonzeros_ += value != 0;
    if (c.count == 0) c.start(value);
    c.min = std::min(c.min, value);
    c.max = std::max(c.max, value);
    c.merge(1, value - c.origin, 0);
  }
}

/// Sums about a common origin c, then q = sum over the ranks of q_k + n_k (m_k - m)^2.
template <class S>
void RunningStatistics<S>::merge_ranks(Communicator& communicator) {
  if (communicator.size() == 1) return;
  constexpr double none = -std::numeric_limits<double>::infinity();
  const auto n = columns_.size();
  std::vector<double> origin(n, none), low(n, none), high(n, none), own(n, 0.0);
  std::vector<Index> count(n, 0), missing(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    const Column& c = columns_[j];
    missing[j] = c.missing;
    if ((count[j] = c.count) == 0) continue;
    origin[j] = c.origin;
    low[j] = -c.min;
    high[j] = c.max;
  }
  for (auto* values : {&origin, &low, &high}) communicator.largest(*values);
  for (std::size_t j = 0; j < n; ++j)
    if (const Column& c = columns_[j]; c.count > 0)
      own[j] = c.sum.value() + (c.origin - origin[j]) * static_cast<double>(c.count);
  std::vector<double> sum = own, squares(n, 0.0);
  communicator.sum(std::span(sum));
  communicator.sum(std::span(count));
  communicator.sum(std::span(missing));
  for (std::size_t j = 0; j < n; ++j)
    if (const Column& c = columns_[j]; c.count > 0) {
      const auto rows = static_cast<double>(c.count);
      const double shift = own[j] / rows - sum[j] / static_cast<double>(count[j]);
      squares[j] = c.squares.value() + rows * shift * shift;
    }
  communicator.sum(std::span(squares));
  for (std::size_t j = 0; j < n; ++j) {
    Column& c = columns_[j] = Column();
    c.missing = missing[j];
    if (count[j] == 0) continue;
    c.count = count[j];
    c.origin = origin[j];
    c.sum = {sum[j], 0};
    c.squares = {squares[j], 0};
    c.min = -low[j];
    c.max = high[j];
  }
  reduce(communicator, rows_, nonzeros_);
}

template <class S>
ColumnStatistics RunningStatistics<S>::summary() const {
  ColumnStatistics result;
  result.rows = rows_;
  result.nonzeros = nonzeros_;
  const Index n = cols();
  for (Vector<double>* v : {&result.mean, &result.variance, &result.min, &result.max}) v->setZero(n);
  for (Index j = 0; j < n; ++j) {
    Column c = columns_[static_cast<std::size_t>(j)];
    const Index zeros = rows_ - c.count - c.missing;  // what sparse rows do not store
    if (zeros > 0) {
      if (c.count == 0) c.start(0);
      c.min = std::min(c.min, 0.0);
      c.max = std::max(c.max, 0.0);
      c.merge(zeros, -c.origin * static_cast<double>(zeros), 0);
    }
    result.missing.push_back(c.missing);
    if (c.count > 0) {
      const auto count = static_cast<double>(c.count);
      result.mean(j) = c.origin + c.sum.value() / count;
      const double variance = c.squares.value() / count;  // NaN: infinite terms cancelled
      result.variance(j) =
          std::isnan(variance) ? std::numeric_limits<double>::infinity() : std::max(0.0, variance);
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

LANDFALL_STATISTICS(, float)
LANDFALL_STATISTICS(, double)

}  // namespace landfall
