#include <landfall/data/synthetic/planted_view.ipp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace landfall {
namespace {

enum SparsePurpose : std::uint64_t {
  sparse_places = 0x70637330,
  sparse_signs = 0x70637332,
  sparse_noise = 0x70637334
};  // + side

constexpr double most_frequent = 0.5;  // a column has an entry in at most so many rows

/// Where a decreasing function, above the goal at `low`, reaches it.
template <class F>
double solve_decreasing(F f, double goal, double low, double high) {
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (f(middle) > goal ? low : high) = middle;
  }
  return high;
}

/// Zipf's law: q_j = min(C / (j + 1), 1/2), C such that they add up to the nonzeros of a row.
std::vector<double> frequencies(Index cols, double nonzeros) {
  const auto frequency = [](double c, Index j) {
    return std::min(most_frequent, c / static_cast<double>(j + 1));
  };
  const auto shortfall = [&](double c) {
    double sum = 0;
    for (Index j = 0; j < cols; ++j) sum += frequency(c, j);
    return -sum;
  };
  const double c = solve_decreasing(shortfall, -nonzeros, 0, most_frequent * static_cast<double>(cols));
  std::vector<double> q(static_cast<std::size_t>(cols));
  for (Index j = 0; j < cols; ++j) q[static_cast<std::size_t>(j)] = frequency(c, j);
  return q;
}

/// Column j belongs to one pair k and is x_j = m_j (c_j z_k + s_k e_j): m_j is 1 with probability q_j and 0
/// otherwise, c_j = +-1, all independent. With a_j = q_j c_j, x_j is a_j z_k plus noise that is correlated
/// with neither z_k nor that of another column, of variance d_j = q_j (1 - q_j) + q_j s_k^2. So cov(x) is
/// D + a a' within the columns of a pair and 0 between those of two. By Sherman and Morrison w = D^-1 a is
/// the direction most correlated with z_k, with corr^2 = t / (1 + t), t = a' D^-1 a = sum of
/// q_j / (1 - q_j + s_k^2), and variance t + t^2. Views that both have t_k = rho_k / (1 - rho_k) have the
/// canonical correlations rho_k; s_k is chosen for that.
template <class S>
class SparseView final : public PlantedView<S> {
 public:
  explicit SparseView(const PlantedViewOptions& options)
      : noise_{options.seed, sparse_noise + options.side}, deviation_(options.correlations.size()) {
    const std::vector<double> q = frequencies(options.cols, options.nonzeros);
    const Permutation place(options.cols, {options.seed, sparse_places + options.side});
    const Stream sign{options.seed, sparse_signs + options.side};
    for (Index j = 0; j < options.cols; ++j)
      columns_.push_back({.frequency = q[static_cast<std::size_t>(j)],
                          .log_absent = std::log1p(-q[static_cast<std::size_t>(j)]),
                          .place = place(j),
                          .sign = uniform(sign, static_cast<std::uint64_t>(j)) < 0.5 ? -1.0 : 1.0});
    const Vector<double> goals = options.correlations.array() / (1 - options.correlations.array());
    share_out(options, goals);
    this->weights_ = Matrix<double>::Zero(options.cols, goals.size());
    for (Index k = 0; k < goals.size(); ++k) plant(k, goals[k]);
  }

  void start(Batch<S>& batch) const override { batch.start_sparse(static_cast<Index>(columns_.size())); }

  void add_row(Index row, const Vector<double>& shared, Batch<S>& batch) override {
    Draws draws(noise_, row);
    entries_.clear();
    each_present(draws, [&](const Column& column) {
      const double value = column.sign * shared[column.pair] + deviation_[column.pair] * draws.normal();
      entries_.emplace_back(column.place, static_cast<S>(value));
    });
    std::sort(entries_.begin(), entries_.end());
    batch.add_sparse_row(row);
    for (const auto& [place, value] : entries_) batch.add_entry(place, value);
  }

 private:
  struct Column {
    double frequency = 0;   // q_j
    double log_absent = 0;  // log(1 - q_j)
    Index place = 0;        // in the file, where frequent columns are anywhere
    Index pair = 0;
    double sign = 1;  // c_j
  };

  /// Columns go, most frequent first, to the pair that has least of what it needs without noise.
  void share_out(const PlantedViewOptions& options, const Vector<double>& goals) {
    Vector<double> reach = Vector<double>::Zero(goals.size());
    for (Column& column : columns_) {
      (reach.array() / goals.array()).minCoeff(&column.pair);
      reach[column.pair] += column.frequency / (1 - column.frequency);
    }
    for (Index k = 0; k < goals.size(); ++k)
      if (reach[k] < goals[k])
        throw UsageError(
            fmt::format("PlantedCcaOptions: correlations of {} columns with {} nonzeros in a row: {} of {} "
                        "can be at most {:.3f} "
                        "most, found {}; give more nonzeros, or fewer or smaller correlations",
                        options.cols, options.nonzeros, k + 1, goals.size(), reach[k] / (1 + reach[k]),
                        options.correlations[k]));
  }

  /// The noise s_k of pair k for t_k = goal, and the weights.
  void plant(Index k, double goal) {
    double total = 0;
    for (const Column& column : columns_)
      if (column.pair == k) total += column.frequency;
    const auto t = [&](double variance) {
      double sum = 0;
      for (const Column& column : columns_)
        if (column.pair == k) sum += column.frequency / (1 - column.frequency + variance);
      return sum;
    };
    const double variance = solve_decreasing(t, goal, 0, total / goal);
    deviation_[k] = std::sqrt(variance);
    for (const Column& column : columns_)
      if (column.pair == k)
        this->weights_(column.place, k) =
            column.sign / (1 - column.frequency + variance) / std::sqrt(goal + goal * goal);
  }

  /// Each column with its frequency, in time that grows with those present: the next candidate is as far as
  /// if all had the frequency p of the last one, which none exceeds, and is taken with probability q_j / p.
  template <class F>
  void each_present(Draws& draws, F use) const {
    std::size_t j = 0, last = 0;
    while (true) {
      const double skip = std::floor(std::log(draws.uniform()) / columns_[last].log_absent);
      if (skip >= static_cast<double>(columns_.size() - j)) return;
      j += static_cast<std::size_t>(skip);
      if (draws.uniform() * columns_[last].frequency < columns_[j].frequency) use(columns_[j]);
      last = j++;
    }
  }

  Stream noise_;
  std::vector<Column> columns_;  // most frequent first
  Vector<double> deviation_;     // s_k
  std::vector<std::pair<Index, S>> entries_;
};

}  // namespace

template <class S>
std::unique_ptr<PlantedView<S>> make_sparse_view(const PlantedViewOptions& options) {
  return std::make_unique<SparseView<S>>(options);
}

template std::unique_ptr<PlantedView<float>> make_sparse_view<float>(const PlantedViewOptions&);
template std::unique_ptr<PlantedView<double>> make_sparse_view<double>(const PlantedViewOptions&);

}  // namespace landfall
