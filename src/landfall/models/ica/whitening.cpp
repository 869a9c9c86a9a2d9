#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/fit/defaults.hpp>
#include <landfall/models/ica/whitening.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr int kSubspacePasses = 8;     // of the subspace iteration
constexpr double kSettled = 1e-3;      // relative change of the p-th variance
constexpr Index kMoreDirections = 10;  // beside the p wanted ones, at least

/// Rows of a batch as the columns of a matrix, centred and scaled whatever the batch is.
template <class S>
Matrix<double> dense_columns(const CentredBatch<S>& rows) {
  if (!rows.batch.sparse()) return rows.batch.dense().template cast<double>();
  Matrix<S> columns(rows.cols(), rows.rows());
  rows.transpose_times(Matrix<S>::Identity(rows.rows(), rows.rows()), columns, 1, 0);
  return columns.template cast<double>();
}

/// Eigenvectors with fixed signs: the start depends on them, and must not on rounding.
Matrix<double> with_fixed_signs(const Matrix<double>& vectors) {
  return vectors * signs_of_largest(vectors).asDiagonal();
}

/// F = basis (basis' (S + ridge) basis)^-1/2 from `product` = (S + ridge) basis; the small matrix is scaled
/// to a diagonal of ones first, since variances may be far apart. No columns where it is singular.
Whitening whitened(const Matrix<double>& basis, const Matrix<double>& product) {
  Matrix<double> gram = basis.transpose() * product;
  symmetrize<double>(gram);
  const Vector<double> scale =
      gram.diagonal().unaryExpr([](double v) { return v > 0 ? 1 / std::sqrt(v) : 0; });
  SymmetricEigen<double> eigen;
  eigen.compute(scale.asDiagonal() * gram * scale.asDiagonal());
  if (!(eigen.values()(0) > rank_tolerance<double>(gram.cols()))) return {};
  const Matrix<double> factor = scale.asDiagonal() * eigen.inverse_root();
  return {.factor = basis * factor, .dual = product * factor};
}

}  // namespace

template <class S>
Matrix<double> covariance_of(const InMemoryBatches<S>& batches, Index n, Communicator& communicator) {
  Matrix<double> covariance = Matrix<double>::Zero(n, n);
  Index rows = 0;
  for (const auto& batch : batches) {
    if (batch.front().rows() == 0) continue;
    const Matrix<double> columns = dense_columns(batch.front());
    multiply_bt<double>(columns, columns, covariance, 1, 1);
    rows += columns.cols();
  }
  reduce(communicator, covariance, rows);
  return covariance / static_cast<double>(std::max<Index>(rows, 1));
}

Whitening whiten(Matrix<double> covariance, double ridge, double tolerance) {
  const Vector<double> scale =
      covariance.diagonal().unaryExpr([](double v) { return v > 0 ? 1 / std::sqrt(v) : 0; });
  SymmetricEigen<double> eigen;
  eigen.compute(scale.asDiagonal() * covariance * scale.asDiagonal());
  const Index rank = (eigen.values().array() > tolerance).count();
  if (rank == 0) return {};
  const Vector<double> values = eigen.values().tail(rank);
  const Matrix<double> basis = scale.asDiagonal() * with_fixed_signs(eigen.vectors().rightCols(rank)) *
                               values.cwiseSqrt().cwiseInverse().asDiagonal();
  covariance.diagonal().array() += ridge;
  Matrix<double> gram = basis.transpose() * covariance * basis;
  symmetrize<double>(gram);
  eigen.compute(gram);
  Whitening all{.factor = basis * eigen.inverse_root(), .dual = {}};
  all.dual = covariance * all.factor;
  return all;
}

template <class S>
double variance_tolerance(Index n, double offset) {
  const double eps = std::numeric_limits<S>::epsilon();
  return std::max(rank_tolerance<double>(n), 4 * eps * eps * (1 + offset * offset));
}

template <class S>
double mean_offset(const DataStream<S>& stream) {
  const ColumnStatistics* columns = stream.statistics(0);
  double largest = 0;
  if (columns)
    for (const Index j : stream.transform(0).kept())
      if (columns->variance(j) > 0)
        largest = std::max(largest, std::abs(columns->mean(j)) / std::sqrt(columns->variance(j)));
  return largest;
}

Whitening principal_components(Matrix<double> covariance, const Vector<double>& scale, Index p,
                               double ridge) {
  // Variances as fractions of the largest, so that their squares neither overflow nor vanish.
  const double largest = (scale.array().square() * covariance.diagonal().array()).maxCoeff();
  const Vector<double> units = scale / std::sqrt(largest);
  SymmetricEigen<double> eigen;
  eigen.compute(units.asDiagonal() * covariance * units.asDiagonal());
  const double total = eigen.values().sum();
  const Matrix<double> basis =
      units.asDiagonal() * with_fixed_signs(eigen.vectors().rightCols(p).rowwise().reverse());
  covariance.diagonal().array() += ridge;
  Whitening leading = whitened(basis, covariance * basis);
  if (leading.rank() < p)
    throw NumericalError(
        fmt::format("the scales of its columns are too far apart for {} principal components", p));
  leading.explained = std::min(1.0, eigen.values().tail(p).sum() / total);
  leading.shares = eigen.values().tail(p).reverse() / total;
  leading.least = eigen.values()(eigen.values().size() - p) / eigen.values().maxCoeff();
  return leading;
}

template <class S>
Whitening streamed_components(DataStream<S>& stream, Index p, double ridge, std::uint64_t seed, int& passes) {
  const Vector<double>& scale = stream.transform(0).scale();
  const Index n = scale.size(), columns = std::min(n, p + std::max(p, kMoreDirections));
  Matrix<double> basis = random_orthonormal(n, columns, {seed, 0x9ca}), product(n, columns);
  SymmetricEigen<double> eigen;
  double total = 0, before = 0;
  for (passes = 0; passes < kSubspacePasses;) {
    // D S D Q for the rows a = D^-1 (row - mean) of the stream; the basis Q is orthonormal in the file's units.
    const Matrix<S> directions = (scale.asDiagonal() * basis).template cast<S>();
    product.setZero();
    Matrix<S> scores, sum(n, columns);
    Index rows = 0;
    stream.begin_pass(0);
    while (stream.next()) {
      if (stream.view(0).rows() == 0) continue;
      scores.resize(stream.view(0).rows(), columns);
      stream.view(0).times(directions, scores);
      stream.view(0).transpose_times(scores, sum, 1, 0);
      product += sum.template cast<double>();
      rows += scores.rows();
    }
    reduce(stream.communicator(), product, rows);
    product /= static_cast<double>(std::max<Index>(rows, 1));  // S D Q
    ++passes;
    Matrix<double> image = scale.asDiagonal() * product;
    Matrix<double> gram = basis.transpose() * image;
    symmetrize<double>(gram);
    eigen.compute(gram);
    const double now = eigen.values()(columns - p);  // the p-th largest
    const Matrix<double> ritz = eigen.vectors().rowwise().reverse();
    if (std::abs(now - before) <= kSettled * std::abs(now) || passes == kSubspacePasses) {
      const double least = static_cast<double>(rank_tolerance<S>(n)) * eigen.values()(columns - 1);
      const Index found = (eigen.values().tail(p).array() > least).count();
      if (found < p) return {.factor = Matrix<double>::Zero(n, found), .dual = {}};
      const Matrix<double> leading = scale.asDiagonal() * (basis * ritz.leftCols(p));
      Whitening result = whitened(leading, product * ritz.leftCols(p) + ridge * leading);
      const ColumnStatistics* known = stream.statistics(0);
      if (known != nullptr) total = known->variance.sum();
      result.explained = total > 0 ? std::min(1.0, eigen.values().tail(p).sum() / total) : 1;
      return result;
    }
    before = now;
    const double size = image.cwiseAbs().maxCoeff();
    basis = orthonormal_basis<double>(size > 0 ? Matrix<double>(image * ritz / size) : image);
  }
  return {};
}

template <class S>
PilotEstimate<S> pilot_of(const Whitening& whitening, const InMemorySamples<S>& first, Index p,
                          std::uint64_t seed) {
  const Index n = whitening.factor.rows(), rank = whitening.rank();
  const auto factor = std::make_shared<const Matrix<S>>(whitening.factor.template cast<S>());
  const auto dual = std::make_shared<const Matrix<S>>(whitening.dual.template cast<S>());
  PilotEstimate<S> pilot;
  const auto twice = [](std::shared_ptr<const Matrix<S>> f) {
    return [f = std::move(f), inner = std::make_shared<Matrix<S>>()](In<S> x, Out<S> y) {
      inner->resize(f->cols(), x.cols());
      multiply_at<S>(*f, x, *inner);
      multiply<S>(*f, *inner, y);
    };
  };
  pilot.metric.push_back(std::make_shared<CallbackPreconditioner<S>>(n, twice(factor), twice(dual)));
  pilot.rank.push_back(rank);
  pilot.start.push_back((whitening.factor * random_orthonormal(rank, p, {seed, 0x57a27})).template cast<S>());

  double squares = 0, fourths = 0;
  Scratch<S> scratch;
  for (const auto& batch : first.batches()) {
    if (batch.front().rows() == 0) continue;
    auto& y = scratch.resize(batch.front().rows(), rank);
    batch.front().times(*factor, y);
    const Vector<double> sizes = y.rowwise().squaredNorm().template cast<double>();
    squares += sizes.sum();
    fourths += sizes.squaredNorm();
  }
  reduce(first.communicator(), squares, fourths);
  pilot.noise = squares > 0 ? fourths / squares : 0;
  return pilot;
}

LANDFALL_WHITENING(, float)
LANDFALL_WHITENING(, double)

}  // namespace landfall
