// Mean, central moments, range and missing values of every column, in one pass.
//
//   landfall::ColumnStatistics columns = landfall::column_statistics<float>(source);
//   use(columns.mean, columns.variance, columns.constant);
//
//   landfall::RunningStatistics<float> running(source.cols());    // the same, batch by batch
//   running.add(batch);
//   columns = running.summary();
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/parallel/communicator.hpp>

namespace landfall {

/// NaN and infinite entries count as missing and enter nothing else. A column without any number has zeros.
struct ColumnStatistics {
  Index rows = 0;
  Index nonzeros = 0;  // entries that are neither zero nor missing, of all columns
  Vector<double> mean;
  Vector<double> variance;       // mean of (a - mean)^2; infinite if that is too large a number
  Vector<double> third, fourth;  // means of (a - mean)^3 and (a - mean)^4; any number where these overflow
  Vector<double> min, max;
  std::vector<Index> missing;   // how many, per column
  std::vector<Index> constant;  // columns with one value only, or none: min = max
};

/// The usual size of an entry that matters for the variance of column j: sqrt(E a^4 / E a^2), about the mean or,
/// where nothing is centred, about 0. Between the deviation and the largest entry: 1.3 deviations for uniform
/// columns, 1.7 for Gaussian ones, the largest entry for an indicator of something rare.
double row_size(const ColumnStatistics& columns, Index j, bool centred);
/// sqrt(E a^2), about the same.
double deviation(const ColumnStatistics& columns, Index j, bool centred);

/// Sums are kept of a - c, where c is the first number of the column, so that a large mean costs no digits;
/// powers about the mean are merged as Chan, Golub and LeVeque do (Pebay for the
/// third and fourth); sums and squares are compensated. Sparse rows are not filled in: their zeros are merged at the end.
template <class S>
class RunningStatistics {
 public:
  explicit RunningStatistics(Index cols);

  /// Weights: one for each row, none of them 0; none: all 1. The means of the summary are weighted then.
  void add(const Batch<S>& batch, std::span<const double> weights = {});
  /// Adds the rows that the other ranks have: afterwards all ranks hold the statistics of all rows.
  void merge_ranks(Communicator& communicator);
  ColumnStatistics summary() const;

  void state(State& state);

  Index rows() const { return rows_; }
  Index cols() const { return static_cast<Index>(columns_.size()); }

 private:
  /// A sum and what was lost of it to rounding.
  struct Sum {
    double high = 0, low = 0;
    void add(double term);
    double value() const { return high + low; }
  };
  struct Column {
    Index count = 0, missing = 0;
    double weight = 0, missing_weight = 0;  // of these; count and missing where rows have no weights
    double origin = 0;                      // c
    Sum sum;                                // of a - c
    Sum squares;                            // of (a - mean)^2
    double cubes = 0, fourths = 0;
    double min = 0, max = 0;
    void start(double value);
    void merge(const Column& other);
  };

  void add_dense(const Batch<S>& batch, std::span<const double> weights);
  void add_sparse(const Batch<S>& batch, std::span<const double> weights);

  Index rows_ = 0, nonzeros_ = 0;
  double weight_ = 0;  // of all rows
  std::vector<Column> columns_;
  Eigen::ArrayXd origin_, sum_, mean_, rest_, squares_, cubes_, fourths_, min_, max_,
      missing_weight_;  // of a few rows
  std::vector<Index> missing_;
};

/// Reads the source from where it is to its end.
template <class S>
ColumnStatistics column_statistics(Source<S>& source);

#define LANDFALL_STATISTICS(EXTERN, S)        \
  EXTERN template class RunningStatistics<S>; \
  EXTERN template ColumnStatistics column_statistics<S>(Source<S>&);
LANDFALL_STATISTICS(extern, float)
LANDFALL_STATISTICS(extern, double)

}  // namespace landfall
