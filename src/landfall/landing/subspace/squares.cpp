#include <landfall/data/rows/rows.hpp>
#include <landfall/landing/subspace/squares.hpp>

namespace landfall {
namespace {

template <class S>
Vector<double> mean_of(const CentredBatch<S>& rows) {
  return rows.mean.size() > 0 ? Vector<double>(rows.mean.template cast<double>())
                              : Vector<double>::Zero(rows.cols());
}

}  // namespace

template <class S>
void add_column_squares(const CentredBatch<S>& rows, Vector<double>& sums) {
  if (rows.rows() == 0) return;
  if (!rows.batch.sparse()) {
    sums += rows.batch.dense().rowwise().squaredNorm().template cast<double>();
    return;
  }
  // sum (x - r m)^2 = sum over the entries of (x - r m)^2 - (r m)^2, and (r m)^2 for every row with the root r of its weight.
  const Vector<double> mean = mean_of(rows), roots = rows.roots().template cast<double>();
  sums += roots.squaredNorm() * mean.cwiseAbs2();
  for (Index i = 0; i < rows.rows(); ++i)
    each_entry(rows.batch, i, [&](Index j, S value) {
      const double x = static_cast<double>(value);
      sums(j) += x * (x - 2 * roots(i) * mean(j));
    });
}

template <class S>
Vector<double> row_squares(const CentredBatch<S>& rows, const Vector<S>& weights) {
  if (!rows.batch.sparse())
    return (rows.batch.dense().cwiseAbs2().transpose() * weights).template cast<double>();
  const Vector<double> mean = mean_of(rows), roots = rows.roots().template cast<double>();
  const Vector<double> weight = weights.template cast<double>();
  Vector<double> squares = mean.cwiseAbs2().dot(weight) * roots.cwiseAbs2();
  for (Index i = 0; i < rows.rows(); ++i)
    each_entry(rows.batch, i, [&](Index j, S value) {
      const double x = static_cast<double>(value);
      squares(i) += x * (x - 2 * roots(i) * mean(j)) * weight(j);
    });
  return squares;
}

LANDFALL_SQUARES(, float)
LANDFALL_SQUARES(, double)

}  // namespace landfall
