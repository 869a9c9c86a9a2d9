#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/scratch.hpp>
#include <landfall/models/canonical.hpp>
#include <landfall/parallel/threads.hpp>

#include <cmath>

#include <Eigen/SVD>
#include <fmt/format.h>

namespace landfall {

template <class S>
CanonicalMoments canonical_moments(DataStream<S>& stream, Part part, In<S> x, In<S> y) {
  CanonicalMoments moments{Matrix<double>::Zero(x.cols(), x.cols()), Matrix<double>::Zero(y.cols(), y.cols()),
                           Matrix<double>::Zero(x.cols(), y.cols())};
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
    moments.rows += rows;
  }
  if (moments.rows > 0) {
    const double scale = 1 / static_cast<double>(moments.rows);
    moments.left *= scale;
    moments.right *= scale;
    moments.cross *= scale;
  }
  return moments;
}

CanonicalRotation canonical_rotation(const CanonicalMoments& moments, Index p) {
  const Matrix<double> u = orthonormalizing_factor<double>(moments.left),
                       v = orthonormalizing_factor<double>(moments.right);
  if (std::min(u.cols(), v.cols()) < p)
    throw NumericalError(
        fmt::format("the views have rank {} and {}, expected at least p = {}", u.cols(), v.cols(), p));
  const Eigen::JacobiSVD<Matrix<double>> svd(u.transpose() * moments.cross * v,
                                             Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.singularValues().head(p), u * svd.matrixU().leftCols(p), v * svd.matrixV().leftCols(p)};
}

Vector<double> paired_correlations(const CanonicalMoments& moments) {
  Vector<double> correlations(moments.cross.cols());
  for (Index j = 0; j < correlations.size(); ++j) {
    const double scale = std::sqrt(moments.left(j, j) * moments.right(j, j));
    correlations(j) = scale > 0 ? moments.cross(j, j) / scale : 0;
  }
  return correlations;
}

LANDFALL_CANONICAL(, float)
LANDFALL_CANONICAL(, double)

}  // namespace landfall
