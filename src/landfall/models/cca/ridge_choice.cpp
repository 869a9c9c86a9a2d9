#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/kept_rows.hpp>
#include <landfall/models/cca/ridge_choice.hpp>
#include <landfall/models/fit/defaults.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kRows = 4096, kRowsOfWide = 1024;  // that are kept; where a view has more columns than rows
constexpr double kNone = 1e-3;                     // stands for c = 0, and keeps singular folds solvable
constexpr std::array kCoarse{0.1, 1.0, 10.0, 100.0, 1000.0};
constexpr std::array kFine{0.3, 3.0};         // times the best of these
constexpr Index kFewRows = 10, kSmall = 500;  // of a rare column; of a small table
constexpr double kHeavy = 30;                 // kurtosis below which no column is rare
constexpr double kFewFirst =
    100;  // first rows over the mean kurtosis: about how many of them make up the variance of a column

using Pair = std::array<Matrix<double>, 2>;

Matrix<double> solve(const Preconditioner<double>& inverse, const Matrix<double>& b) {
  Matrix<double> result(b.rows(), b.cols());
  inverse.apply(b, result);
  return result;
}

void orthonormalize(Matrix<double>& w, const Matrix<double>& metric) {
  w *= orthonormalizing_factor<double>(product_at<double>(w, product<double>(metric, w)));
}

/// One split into rows to fit and rows to test on.
struct Fold {
  Pair within, test;     // sums of squares over the rows to fit; the rows to test on
  Vector<double> roots;  // of the latter
  Matrix<double> cross;
  Pair start;  // weights that a nearby ridge ended with

  /// The sum of the correlations on the test rows, of p pairs fitted with c rows of ridge.
  double total(double c, Index p) {
    std::array<PreconditionerPtr<double>, 2> inverse;
    Pair metric;
    for (std::size_t i = 0; i < 2; ++i) {
      metric[i] = within[i];
      metric[i].diagonal().array() += c;
      inverse[i] = inverse_preconditioner<double>(metric[i]);
    }
    Pair& w = start;
    const int iterations = w[0].size() == 0 ? 8 : 3;  // a nearby ridge has nearby weights
    for (int k = 0; k < iterations; ++k) {
      w[0] = solve(*inverse[0], product<double>(cross, w[1]));
      orthonormalize(w[0], metric[0]);
      w[1] = solve(*inverse[1], product_at<double>(cross, w[0]));
      orthonormalize(w[1], metric[1]);
    }
    const CanonicalMoments moments{product_at<double>(w[0], product<double>(metric[0], w[0])),
                                   product_at<double>(w[1], product<double>(metric[1], w[1])),
                                   product_at<double>(w[0], product<double>(cross, w[1]))};
    const Index pairs = std::min({p, w[0].cols(), w[1].cols()});
    const auto rotation = canonical_rotation(moments, pairs);
    Matrix<double> a = test[0] * (w[0] * rotation.left), b = test[1] * (w[1] * rotation.right);
    centre_rows(a, roots);
    centre_rows(b, roots);
    return paired_correlations({product_at<double>(a, a), product_at<double>(b, b), product_at<double>(a, b)})
        .sum();
  }
};

class CrossValidation {
 public:
  CrossValidation(const Pair& rows, const Vector<double>& roots, Index p) : p_(p) {
    const Index m = rows[0].rows(), wide = std::max(rows[0].cols(), rows[1].cols()),
                count = wide >= m  ? 4
                        : m < 1000 ? 10
                                   : 5;
    const Pair all{product_at<double>(rows[0], rows[0]), product_at<double>(rows[1], rows[1])};
    const Matrix<double> cross = product_at<double>(rows[0], rows[1]);
    const Index columns = std::min({p + 4, rows[0].cols(), rows[1].cols()});
    const Matrix<double> start = random_orthonormal(rows[1].cols(), columns, {0x71d6e, 0});
    folds_.resize(static_cast<std::size_t>(count));
    parallel_for(count, [&](Index f) {
      const Index first = m * f / count, last = m * (f + 1) / count;
      const Pair test{rows[0].middleRows(first, last - first), rows[1].middleRows(first, last - first)};
      folds_[static_cast<std::size_t>(f)] = {
          .within = {all[0] - product_at<double>(test[0], test[0]),
                     all[1] - product_at<double>(test[1], test[1])},
          .test = test,
          .roots = roots.size() > 0 ? Vector<double>(roots.segment(first, last - first)) : Vector<double>(),
          .cross = cross - product_at<double>(test[0], test[1]),
          .start = {Matrix<double>(), start}};
    });
  }

  /// Of each fold.
  const Vector<double>& totals(double c) {
    auto [at, is_new] = known_.try_emplace(c);
    if (is_new) {
      at->second.resize(static_cast<Index>(folds_.size()));
      Vector<double>& sums = at->second;
      parallel_for(sums.size(), [&](Index f) { sums(f) = folds_[static_cast<std::size_t>(f)].total(c, p_); });
    }
    return at->second;
  }

  double best() {
    const auto better = [&](double a, double b) { return totals(a).mean() < totals(b).mean(); };
    const double coarse = *std::ranges::max_element(kCoarse, better);
    return std::max({coarse, kFine[0] * coarse, kFine[1] * coarse}, better);
  }

  /// Whether c predicts better than no ridge, by so many standard errors and a share that matters.
  bool is_better(double c, double errors) {
    const Vector<double> d = totals(c) - totals(kNone);
    const auto k = static_cast<double>(d.size());
    const double error = std::sqrt((d.array() - d.mean()).square().sum() / (k - 1) / k);
    return d.mean() >= errors * error && d.mean() >= 0.005 * totals(c).mean();
  }

 private:
  Index p_;
  std::vector<Fold> folds_;
  std::map<double, Vector<double>> known_;
};

/// The best c by cross-validation, and whether it is better than 0 by so many standard errors.
struct BestRidge {
  double rows = 0;
  bool better = false;
};

/// On at most so many rows, of which `memory` holds the squares of every fold.
template <class S>
BestRidge best_ridge(const CcaColumns& columns, Index p, Index rows, std::uint64_t memory,
                     const std::function<InMemoryBatches<S>(Index)>& read, Communicator& communicator) {
  const SerialBlas serial;  // the same choice with any number of threads
  const double bytes = static_cast<double>(memory) / 4;
  while (rows > 64 &&
         8.0 * static_cast<double>(rows) * 24 * static_cast<double>(std::min(rows, columns.widest)) > bytes)
    rows /= 2;
  const auto batches = gather_batches(read(rows), communicator);
  BestRidge best;
  Index kept = 0;
  for (const auto& batch : batches) kept += batch[0].rows();
  if (communicator.rank() == 0 && kept >= 20) {  // fewer are too few to test on
    CrossValidation folds({kept_columns<S>(batches, 0, kept), kept_columns<S>(batches, 1, kept)},
                          kept_roots<S>(batches), p);
    best.rows = folds.best();
    best.better = folds.is_better(best.rows, columns.rare > 0 ? 1 : 2);
  }
  communicator.broadcast(std::as_writable_bytes(std::span(&best, 1)));
  return best;
}

template <class S>
CcaColumns columns_of(const DataStream<S>& stream) {
  CcaColumns columns;
  for (std::size_t i = 0; i < 2; ++i) columns.add(*stream.statistics(i), stream.centring() != Centring::none);
  return columns;
}

}  // namespace

void CcaColumns::add(const ColumnStatistics& columns, bool centred) {
  std::vector<char> constant(static_cast<std::size_t>(columns.mean.size()));
  for (const Index j : columns.constant) constant[static_cast<std::size_t>(j)] = 1;
  Index varying = 0;
  for (Index j = 0; j < columns.mean.size(); ++j) {
    if (constant[static_cast<std::size_t>(j)] && (centred || columns.mean(j) == 0)) continue;
    ++varying;
    const double ratio = row_size(columns, j, centred) / deviation(columns, j, centred), own = ratio * ratio;
    kurtosis += own;
    rare += own > kHeavy && static_cast<double>(columns.rows) < static_cast<double>(kFewRows) * own;
  }
  rows = columns.rows;
  all += varying;
  widest = std::max(widest, varying);
}

template <class S>
RidgeChoice choose_cca_ridge(const CcaColumns& columns, Index p, std::uint64_t memory,
                             const std::function<InMemoryBatches<S>(Index)>& read,
                             Communicator& communicator) {
  const Index rows = columns.rows, n = columns.all;
  const bool short_of_rows = 2 * rows < 3 * n;
  if (rows < kSmall && !short_of_rows) return {};
  if (rows >= 5 * n && columns.rare == 0) return {};
  const Index most = std::min(rows, kRows);
  const auto best = best_ridge<S>(columns, p, columns.widest > most ? std::min(rows, kRowsOfWide) : most,
                                  memory, read, communicator);
  if (best.rows == 0 || !(short_of_rows || best.better)) return {};
  if (columns.rare == 0 || short_of_rows)
    return {best.rows, fmt::format("{} rows are few for {} columns", rows, n)};
  return {best.rows, fmt::format("{} of {} columns vary in fewer than {} rows", columns.rare, n, kFewRows)};
}

template <class S>
RidgeChoice choose_cca_ridge(DataStream<S>& stream, Index p, std::uint64_t memory) {
  return choose_cca_ridge<S>(
      columns_of(stream), p, memory, [&](Index rows) { return read_into_memory(stream, rows); },
      stream.communicator());
}

template <class S>
double choose_fading_ridge(const CcaColumns& columns, Index p, std::uint64_t memory,
                           const std::function<InMemoryBatches<S>(Index)>& read, Communicator& communicator) {
  const Index rows = columns.rows, n = columns.all,
              first = std::min(rows, default_first_rows(columns.widest));
  const bool mostly_zero = static_cast<double>(first) * static_cast<double>(n) < kFewFirst * columns.kurtosis;
  if (first == rows || !(few_first_rows(rows, n, columns.widest) || mostly_zero)) return 0;
  const Index most = columns.widest > kRowsOfWide ? kRowsOfWide : kRows;
  return best_ridge<S>(columns, p, std::min(rows, most), memory, read, communicator).rows;
}

template <class S>
double choose_fading_ridge(DataStream<S>& stream, Index p, std::uint64_t memory) {
  return choose_fading_ridge<S>(
      columns_of(stream), p, memory, [&](Index rows) { return read_into_memory(stream, rows); },
      stream.communicator());
}

LANDFALL_CCA_RIDGE(, float)
LANDFALL_CCA_RIDGE(, double)

}  // namespace landfall
