#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/landing/subspace/squares.hpp>
#include <landfall/linalg/add_square.hpp>

namespace landfall {
namespace {

// Sparse rows are squared entry by entry where they have fewer entries than one in so many columns, and where the square of a mean is at
// most so many variances: sums of squares about 0 would round away what is left of larger ones.
constexpr Index kSparse = 8;
constexpr double kLargestMean = 100;

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

template <class S>
void add_squares(const CentredBatch<S>& rows, const Vector<S>& scale, Matrix<S>& sum) {
  if (rows.rows() == 0) return;
  const Vector<S> mean = scale.cwiseProduct(mean_of(rows).template cast<S>());
  const bool sparse = rows.batch.sparse() &&
                      kSparse * static_cast<Index>(rows.batch.values().size()) < rows.rows() * rows.cols() &&
                      static_cast<double>(mean.cwiseAbs2().maxCoeff()) < kLargestMean;
  if (!sparse) {
    const Matrix<S> scaled = scale.asDiagonal() * DenseRows<S>()(rows);
    return add_square<S>(scaled, sum);
  }
  // sum (x - r m)(x - r m)' = sum xx' - m s' - s m' + (sum r^2) m m' with s = sum r x, r the root of the weight of a row.
  const Vector<S> roots = rows.roots();
  Vector<S> sums = Vector<S>::Zero(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i)
    each_entry(rows.batch, i, [&](Index j, S value) {
      const S x = scale(j) * value;
      sums(j) += roots(i) * x;
      each_entry(rows.batch, i, [&](Index k, S other) {
        if (k >= j) sum(k, j) += scale(k) * other * x;
      });
    });
  const Vector<S> shift = sums - roots.squaredNorm() / 2 * mean;
  for (Index j = 0; j < rows.cols(); ++j) {
    const Index below = rows.cols() - j;
    sum.col(j).tail(below) -= mean(j) * shift.tail(below) + shift(j) * mean.tail(below);
  }
}

LANDFALL_SQUARES(, float)
LANDFALL_SQUARES(, double)

}  // namespace landfall
