// Preprocessing of rows: missing values, constant columns, centring, scaling.
//
//   landfall::Transform<float> transform(source.name(), source.cols(), {.scaling = landfall::Scaling::deviation});
//   transform.learn(landfall::column_statistics<float>(source));     // drops constant columns
//   landfall::CentredBatch<float> centred;
//   transform.apply(batch, centred);
//   centred.times(weights, scores);                                  // (A - 1 m') W, sparse or not
//   landfall::Matrix<float> all = transform.restore_rows(weights);   // zero rows for the columns dropped
#pragma once

#include <landfall/data/rows/batch.hpp>
#include <landfall/data/rows/statistics.hpp>
#include <landfall/linalg/scratch.hpp>

#include <string>

namespace landfall {

enum class Centring {
  automatic,  // exact where the data can be read twice, else running
  none,
  exact,    // by the mean of all training rows, which requires an extra pass
  running,  // by the mean of the rows up to and with the batch: for data that can be read once only
};

enum class Scaling {
  automatic,  // for a model to choose; a stream does not scale
  none,
  deviation,  // columns are divided by their standard deviation
  row_size,   // columns are divided by the usual size of their entries (row_size() of statistics.hpp)
};

enum class Missing {
  error,  // DataError with file, row and column
  drop,   // the row
  mean,   // of the column takes its place
};

struct TransformOptions {
  Centring centring = Centring::automatic;
  Scaling scaling = Scaling::automatic;
  Missing missing = Missing::error;

  bool scaled() const { return scaling == Scaling::deviation || scaling == Scaling::row_size; }
  /// Whether all rows must be read before the first can be used; for automatic centring, if they can be.
  bool needs_statistics() const {
    return centring == Centring::exact || centring == Centring::automatic ||
           (centring == Centring::none && (scaled() || missing == Missing::mean));
  }
};

/// Rows A - 1 m', or A - r m' where rows have been multiplied by roots r of their weights (Batch::roots()). All have been scaled
/// already and dense ones also centred; sparse ones stay sparse, and their products are corrected by a term of rank one.
template <class S>
class CentredBatch {
 public:
  Batch<S> batch;  // A
  Vector<S> mean;  // m, of scaled columns; empty: 0

  Index rows() const { return batch.rows(); }
  Index cols() const { return batch.cols(); }

  /// The roots, or ones where there are none.
  Vector<S> roots() const;

  /// out = A x - 1 (m'x).
  void times(In<S> x, Out<S> out) const;
  /// out = scale (A'w - m (1'w)) + beta out.
  void transpose_times(In<S> w, Out<S> out, S scale, S beta) const;

 private:
  mutable Scratch<S> row_;
};

template <class S>
class Transform {
 public:
  /// The name is the source's, for messages.
  Transform(std::string name, Index cols, const TransformOptions& options);

  /// Names of the columns, which may be empty, for messages to someone who can choose a rule for missing values.
  void name_columns(const std::vector<std::string>& names) {
    names_ = names;
    rule_can_change_ = true;
  }

  /// Takes mean and deviation from here. Columns that would be zero are dropped: constant ones, or, where
  /// nothing is centred, columns of zeros.
  void learn(const ColumnStatistics& columns);
  /// The same for the running mean, where no column is dropped since the next row may differ.
  void follow(const ColumnStatistics& columns);

  /// Marks the rows with missing values if they are to be dropped, throws if they are an error. Rows that are marked already
  /// are not looked at.
  void check(const Batch<S>& batch, std::vector<char>& drop) const;

  /// Fills `out` from rows that have passed check(); what is in `batch` afterwards is unspecified.
  void apply(Batch<S>& batch, CentredBatch<S>& out) const;

  const std::vector<Index>& kept() const { return kept_; }
  const std::vector<Index>& dropped() const { return dropped_; }
  /// Of the columns that are kept; 0 and 1 where nothing is centred or scaled.
  const Vector<double>& mean() const { return mean_; }
  const Vector<double>& scale() const { return scale_; }

  /// Weights for all columns of the source from those for the columns that are kept.
  Matrix<S> restore_rows(In<S> weights) const;

 private:
  std::string name_;
  Index cols_;
  TransformOptions options_;
  std::vector<Index> kept_, dropped_;
  std::vector<Index> place_;  // of a column of the source among those kept; -1: dropped
  Vector<double> mean_, scale_;
  Vector<double> replacement_;  // for missing values
  std::vector<std::string> names_;
  bool rule_can_change_ = false;
};

#define LANDFALL_TRANSFORM(EXTERN, S)    \
  EXTERN template class CentredBatch<S>; \
  EXTERN template class Transform<S>;
LANDFALL_TRANSFORM(extern, float)
LANDFALL_TRANSFORM(extern, double)

}  // namespace landfall
