// Loadings: Pearson's correlations of the columns of a view with scores, which say what a component is made of.
//
//   std::vector<landfall::SourcePtr<float>> views;
//   landfall::DataStream<float> stream(std::move(views), {.batch = 1024});
//   const landfall::ColumnSpread columns = landfall::column_spread<float>(stream, 0);
//   landfall::Matrix<double> products = landfall::Matrix<double>::Zero(5, 2);    // E a s', 5 columns and 2 scores
//   const landfall::ScoreSpread scores{landfall::Vector<double>::Zero(2), landfall::Vector<double>::Ones(2)};
//   const auto loadings = landfall::column_loadings(products, columns, scores);
//   use(landfall::mean_square(loadings));    // the share of the columns' variance that each score has
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/models/fit/result.hpp>

namespace landfall {

/// Of the columns that the stream hands out, as it hands them out: centred, scaled, constant ones left out.
struct ColumnSpread {
  Vector<double> mean, deviation;
};

/// Of scores.
struct ScoreSpread {
  Vector<double> mean, deviation;
};

/// From the statistics of the stream, which must have them.
template <class S>
ColumnSpread column_spread(const DataStream<S>& stream, std::size_t view);

/// The diagonal of E s s' less the squared means; an empty mean is 0.
ScoreSpread score_spread(const Matrix<double>& moments, const Vector<double>& mean);

/// (E a s' - mean mean') / (deviation deviation'), at most 1; 0 where a deviation is.
Matrix<double> column_loadings(const Matrix<double>& products, const ColumnSpread& columns,
                               const ScoreSpread& scores);

/// Of the entries of each column.
Vector<double> mean_square(const Matrix<double>& loadings);

/// Rows of zeros for the columns of the file that the stream leaves out.
template <class S>
Matrix<double> with_dropped_columns(const DataStream<S>& stream, std::size_t view,
                                    const Matrix<double>& rows);

/// Loadings and shares of the variance from the mixing matrix, in the units of the file, of uncorrelated sources of unit
/// variance: it has their covariances with the columns.
template <class S>
void set_mixing_loadings(const DataStream<S>& stream, const Matrix<double>& mixing, FittedView<S>& view);

/// E a s' over the rows of a stream, summed in double precision every few batches: the sum of two n x k matrices
/// would otherwise cost as much as the product.
template <class S>
class ProductSums {
 public:
  ProductSums(Index columns, Index scores)
      : few_(Matrix<S>::Zero(columns, scores)), all_(Matrix<double>::Zero(columns, scores)) {}

  void add(const CentredBatch<S>& rows, In<S> scores);
  /// Over the rows of all ranks, whose weights have this sum. Afterwards the sums are gone.
  Matrix<double> mean(Communicator& communicator, double weight);

 private:
  void move();

  Matrix<S> few_;
  Matrix<double> all_;
  int batches_ = 0;
};

#define LANDFALL_COLUMN_LOADINGS(EXTERN, S)                                                                 \
  EXTERN template ColumnSpread column_spread<S>(const DataStream<S>&, std::size_t);                         \
  EXTERN template Matrix<double> with_dropped_columns<S>(const DataStream<S>&, std::size_t,                 \
                                                         const Matrix<double>&);                            \
  EXTERN template void set_mixing_loadings<S>(const DataStream<S>&, const Matrix<double>&, FittedView<S>&); \
  EXTERN template class ProductSums<S>;
LANDFALL_COLUMN_LOADINGS(extern, float)
LANDFALL_COLUMN_LOADINGS(extern, double)

}  // namespace landfall
