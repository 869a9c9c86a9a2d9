#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/ica/whitening.hpp>

#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

/// Rows of a batch as the columns of a matrix, centred and scaled whatever the batch is.
template <class S>
Matrix<double> dense_columns(const CentredBatch<S>& rows) {
  if (!rows.batch.sparse()) return rows.batch.dense().template cast<double>();
  Matrix<S> columns(rows.cols(), rows.rows());
  rows.transpose_times(Matrix<S>::Identity(rows.rows(), rows.rows()), columns, 1, 0);
  return columns.template cast<double>();
}

}  // namespace

template <class S>
PilotEstimate<S> whiten(const InMemorySamples<S>& first, std::uint64_t seed) {
  const Index n = first.shapes().front().rows, p = first.shapes().front().cols;
  Matrix<double> covariance = Matrix<double>::Zero(n, n);
  for (const auto& batch : first.batches()) {
    const Matrix<double> columns = dense_columns(batch.front());
    multiply_bt<double>(columns, columns, covariance, 1, 1);
  }
  reduce(first.communicator(), covariance);
  covariance /= static_cast<double>(first.count());
  const Vector<double> scale =
      covariance.diagonal().unaryExpr([](double v) { return v > 0 ? 1 / std::sqrt(v) : 0; });
  SymmetricEigen<double> eigen;
  eigen.compute(scale.asDiagonal() * covariance * scale.asDiagonal());

  const Index rank = (eigen.values().array() > rank_tolerance<double>(n)).count();
  if (rank < p)
    throw NumericalError(
        fmt::format("the first {} rows have rank {}, expected at least p = {}", first.count(), rank, p));

  // With F'(S + ridge)F = I on the range, K = F F' and its pseudo-inverse is U U' with U = (S + ridge) F.
  const Vector<double> values = eigen.values().tail(rank);
  const Matrix<double> basis =
      scale.asDiagonal() * eigen.vectors().rightCols(rank) * values.cwiseSqrt().cwiseInverse().asDiagonal();
  covariance.diagonal().array() += static_cast<double>(first.ridge(0));
  Matrix<double> gram = basis.transpose() * covariance * basis;
  symmetrize<double>(gram);
  eigen.compute(gram);
  const Matrix<double> whitened = basis * eigen.inverse_root();
  const auto factor = std::make_shared<const Matrix<S>>(whitened.template cast<S>());
  const auto dual = std::make_shared<const Matrix<S>>((covariance * whitened).template cast<S>());

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
  pilot.start.push_back((whitened * random_orthonormal(rank, p, {seed, 0x57a27})).template cast<S>());

  double squares = 0, fourths = 0;
  Scratch<S> scratch;
  for (const auto& batch : first.batches()) {
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
