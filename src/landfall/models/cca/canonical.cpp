#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/scratch.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/parallel/threads.hpp>

#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

/// m x in double precision, without a copy of m in it.
template <class S>
Matrix<double> precise_product(const Matrix<S>& m, const Matrix<double>& x) {
  constexpr Index width = 256;
  Matrix<double> product = Matrix<double>::Zero(m.rows(), x.cols());
  for (Index first = 0; first < m.cols(); first += width) {
    const Index count = std::min(width, m.cols() - first);
    product.noalias() += m.middleCols(first, count).template cast<double>() * x.middleRows(first, count);
  }
  return product;
}

}  // namespace

template <class S>
CanonicalMoments canonical_moments(DataStream<S>& stream, Part part, In<S> x, In<S> y) {
  CanonicalMoments moments{Matrix<double>::Zero(x.cols(), x.cols()), Matrix<double>::Zero(y.cols(), y.cols()),
                           Matrix<double>::Zero(x.cols(), y.cols()), 0,
                           Vector<double>::Zero(x.cols()),           Vector<double>::Zero(y.cols())};
  const SerialBlas serial;  // the same result with any number of threads
  Scratch<S> alpha, beta;
  Matrix<S> left(x.cols(), x.cols()), right(y.cols(), y.cols()), cross(x.cols(), y.cols());
  stream.begin_pass(in_file_order, part);
  while (stream.next()) {
    const Index rows = stream.view(0).rows();
    auto &a = alpha.resize(rows, x.cols()), &b = beta.resize(rows, y.cols());
    stream.view(0).times(x, a);
    stream.view(1).times(y, b);
    multiply_at<S>(a, a, left);
    multiply_at<S>(b, b, right);
    multiply_at<S>(a, b, cross);
    moments.left += left.template cast<double>();
    moments.right += right.template cast<double>();
    moments.cross += cross.template cast<double>();
    moments.left_mean += a.colwise().sum().transpose().template cast<double>();
    moments.right_mean += b.colwise().sum().transpose().template cast<double>();
    moments.rows += rows;
  }
  reduce(stream.communicator(), moments.left, moments.right, moments.cross, moments.left_mean,
         moments.right_mean, moments.rows);
  if (moments.rows > 0) {
    const double scale = 1 / static_cast<double>(moments.rows);
    moments.left *= scale;
    moments.right *= scale;
    moments.cross *= scale;
    moments.left_mean *= scale;
    moments.right_mean *= scale;
  }
  return moments;
}

template <class S>
CanonicalMoments canonical_moments(const Covariances<S>& covariances, const Point<S>& x) {
  const Matrix<double> left = x[0].template cast<double>(), right = x[1].template cast<double>();
  return {left.transpose() * precise_product(covariances.within[0], left),
          right.transpose() * precise_product(covariances.within[1], right),
          left.transpose() * precise_product(covariances.cross(0, 1), right), covariances.rows};
}

CanonicalRotation canonical_rotation(const CanonicalMoments& moments, Index p) {
  const Matrix<double> u = orthonormalizing_factor<double>(moments.left),
                       v = orthonormalizing_factor<double>(moments.right);
  if (std::min(u.cols(), v.cols()) < p)
    throw NumericalError(
        fmt::format("the views have rank {} and {}, expected at least p = {}", u.cols(), v.cols(), p));
  const Svd<double> parts = svd<double>(u.transpose() * moments.cross * v);
  return {parts.values.head(p), u * parts.u.leftCols(p), v * parts.v.leftCols(p)};
}

Vector<double> paired_correlations(const CanonicalMoments& moments) {
  const Index p = moments.cross.cols();
  const Vector<double> a = moments.left_mean.size() ? moments.left_mean : Vector<double>::Zero(p),
                       b = moments.right_mean.size() ? moments.right_mean : Vector<double>::Zero(p);
  Vector<double> correlations(p);
  for (Index j = 0; j < p; ++j) {
    const double left = moments.left(j, j) - a(j) * a(j), right = moments.right(j, j) - b(j) * b(j);
    const double scale = std::sqrt(std::max(left, 0.0) * std::max(right, 0.0));
    correlations(j) = scale > 0 ? (moments.cross(j, j) - a(j) * b(j)) / scale : 0;
  }
  return correlations;
}

LANDFALL_CANONICAL(, float)
LANDFALL_CANONICAL(, double)

}  // namespace landfall
