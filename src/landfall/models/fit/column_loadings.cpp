#include <landfall/linalg/reduce.hpp>
#include <landfall/models/fit/column_loadings.hpp>

#include <algorithm>
#include <cmath>

namespace landfall {

template <class S>
ColumnSpread column_spread(const DataStream<S>& stream, std::size_t view) {
  const ColumnStatistics& columns = *stream.statistics(view);
  const Transform<S>& transform = stream.transform(view);
  const auto& kept = transform.kept();
  const auto n = static_cast<Index>(kept.size());
  ColumnSpread spread{Vector<double>(n), Vector<double>(n)};
  for (Index k = 0; k < n; ++k) {
    const Index j = kept[static_cast<std::size_t>(k)];
    spread.mean(k) = (columns.mean(j) - transform.mean()(k)) / transform.scale()(k);
    spread.deviation(k) = std::sqrt(columns.variance(j)) / transform.scale()(k);
  }
  return spread;
}

ScoreSpread score_spread(const Matrix<double>& moments, const Vector<double>& mean) {
  ScoreSpread spread{mean.size() > 0 ? mean : Vector<double>::Zero(moments.rows()), {}};
  spread.deviation = (moments.diagonal() - spread.mean.cwiseAbs2()).cwiseMax(0).cwiseSqrt();
  return spread;
}

Matrix<double> column_loadings(const Matrix<double>& products, const ColumnSpread& columns,
                               const ScoreSpread& scores) {
  Matrix<double> loadings = products - columns.mean * scores.mean.transpose();
  for (Index k = 0; k < loadings.cols(); ++k)
    for (Index j = 0; j < loadings.rows(); ++j) {
      const double scale = columns.deviation(j) * scores.deviation(k);
      loadings(j, k) = scale > 0 ? std::clamp(loadings(j, k) / scale, -1.0, 1.0) : 0;
    }
  return loadings;
}

Vector<double> mean_square(const Matrix<double>& loadings) {
  if (loadings.rows() == 0) return Vector<double>::Zero(loadings.cols());
  return loadings.colwise().squaredNorm().transpose() / static_cast<double>(loadings.rows());
}

template <class S>
Matrix<double> with_dropped_columns(const DataStream<S>& stream, std::size_t view,
                                    const Matrix<double>& rows) {
  const auto& kept = stream.transform(view).kept();
  Matrix<double> all = Matrix<double>::Zero(stream.source(view).cols(), rows.cols());
  for (std::size_t k = 0; k < kept.size(); ++k) all.row(kept[k]) = rows.row(static_cast<Index>(k));
  return all;
}

template <class S>
void set_mixing_loadings(const DataStream<S>& stream, const Matrix<double>& mixing, FittedView<S>& view) {
  const Vector<double> deviation =
      column_spread(stream, 0).deviation.cwiseProduct(stream.transform(0).scale());
  const ColumnSpread columns{Vector<double>::Zero(mixing.rows()), deviation};
  const ScoreSpread sources{Vector<double>::Zero(mixing.cols()), Vector<double>::Ones(mixing.cols())};
  view.loadings = with_dropped_columns(stream, 0, column_loadings(mixing, columns, sources));
  view.explained = mixing.colwise().squaredNorm().transpose() / deviation.squaredNorm();
}

template <class S>
void ProductSums<S>::add(const CentredBatch<S>& rows, In<S> scores) {
  constexpr int kBatches = 16;
  rows.transpose_times(scores, few_, 1, 1);
  if (++batches_ == kBatches) move();
}

template <class S>
void ProductSums<S>::move() {
  all_ += few_.template cast<double>();
  few_.setZero();
  batches_ = 0;
}

template <class S>
Matrix<double> ProductSums<S>::mean(Communicator& communicator, double weight) {
  move();
  few_.resize(0, 0);
  reduce(communicator, all_);
  if (weight > 0) all_ /= weight;
  return std::move(all_);
}

LANDFALL_COLUMN_LOADINGS(, float)
LANDFALL_COLUMN_LOADINGS(, double)

}  // namespace landfall
