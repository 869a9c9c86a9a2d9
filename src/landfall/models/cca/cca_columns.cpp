#include <landfall/linalg/rank.hpp>
#include <landfall/models/cca/cca_columns.ipp>

namespace landfall {
namespace {

/// E s s' of the scores of one view, and their mean.
std::pair<const Matrix<double>&, const Vector<double>&> moments_of(const CanonicalMoments& scores,
                                                                   std::size_t view) {
  if (view == 0) return {scores.left, scores.left_mean};
  return {scores.right, scores.right_mean};
}

}  // namespace

template <class S>
void set_columns(const DataStream<S>& stream, const CanonicalColumns& columns, const CanonicalMoments& scores,
                 CcaResult<S>& result) {
  if (columns.own[0].size() == 0) return;
  for (std::size_t i = 0; i < 2; ++i) {
    FittedView<S>& view = result.views[i];
    const auto [own_moments, own_mean] = moments_of(scores, i);
    const auto [other_moments, other_mean] = moments_of(scores, 1 - i);
    const Matrix<double> own = column_loadings(columns.own[i], columns.spread[i],
                                               score_spread(own_moments, own_mean)),
                         cross = column_loadings(columns.cross[i], columns.spread[i],
                                                 score_spread(other_moments, other_mean));
    view.explained = mean_square(own);
    view.redundancy = mean_square(cross);
    view.loadings = with_dropped_columns(stream, i, own);
    view.cross_loadings = with_dropped_columns(stream, i, cross);
    // The regressions E a s' (E s s')^-1 on the scores of either view, in the units of the file.
    const auto regression = [&](const Matrix<double>& products, const Matrix<double>& moments) {
      const Matrix<double> t = orthonormalizing_factor<double>(moments);
      return with_dropped_columns(
          stream, i,
          Matrix<double>(stream.transform(i).scale().asDiagonal() * (products * t) * t.transpose()));
    };
    result.regression[i] = regression(columns.own[i], own_moments);
    result.prediction[i] = regression(columns.cross[i], other_moments);
    result.score_moments[i] = own_moments;
  }
}

template <class S>
void set_prediction_r2(const DataStream<S>& stream, const CanonicalColumns& columns,
                       const CanonicalMoments& scores, CcaResult<S>& result) {
  if (columns.own[0].size() == 0 || scores.rows < 2) return;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& kept = stream.transform(i).kept();
    const Vector<double>& scale = stream.transform(i).scale();
    const ColumnSpread& spread = columns.spread[i];
    const Matrix<double>& moments = moments_of(scores, 1 - i).first;
    result.prediction_r2[i].setZero(stream.source(i).cols());
    for (Index k = 0; k < static_cast<Index>(kept.size()); ++k) {
      const Index j = kept[static_cast<std::size_t>(k)];
      const Vector<double> b = result.prediction[i].row(j).transpose() / scale(k);
      const double variance = spread.deviation(k) * spread.deviation(k);
      // E (a - b's)^2
      const double error = variance + spread.mean(k) * spread.mean(k) - 2 * columns.cross[i].row(k).dot(b) +
                           b.dot(moments * b);
      result.prediction_r2[i](j) = variance > 0 ? 1 - error / variance : 0;
    }
  }
}

#define LANDFALL_CCA_COLUMNS(S)                                                                              \
  template void set_columns<S>(const DataStream<S>&, const CanonicalColumns&, const CanonicalMoments&,       \
                               CcaResult<S>&);                                                               \
  template void set_prediction_r2<S>(const DataStream<S>&, const CanonicalColumns&, const CanonicalMoments&, \
                                     CcaResult<S>&);
LANDFALL_CCA_COLUMNS(float)
LANDFALL_CCA_COLUMNS(double)

}  // namespace landfall
