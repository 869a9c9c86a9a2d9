#include <landfall/errors.hpp>
#include <landfall/landing/subspace/squares.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/scratch.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/parallel/threads.hpp>

#include <cmath>
#include <optional>

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

/// Weighted means and variances of columns as the stream hands them out. They are centred about the mean of the training rows, so
/// that the sum of squares loses nothing.
class WeightedSpread {
 public:
  explicit WeightedSpread(Index columns)
      : sums_(Matrix<double>::Zero(columns, 1)), squares_(Vector<double>::Zero(columns)) {}

  template <class S>
  void add(const CentredBatch<S>& rows) {
    Matrix<S> sum(rows.cols(), 1);
    rows.transpose_times(rows.roots(), sum, 1, 0);
    sums_ += sum.template cast<double>();
    add_column_squares(rows, squares_);
  }

  ColumnSpread finish(Communicator& communicator, double weight) {
    reduce(communicator, sums_, squares_);
    const Vector<double> mean = sums_.col(0) / weight;
    return {mean, (squares_ / weight - mean.cwiseAbs2()).cwiseMax(0).cwiseSqrt()};
  }

 private:
  Matrix<double> sums_;
  Vector<double> squares_;
};

/// Sums of the columns of both views with all scores, and the spread of the columns in these rows where the stream does not know it.
template <class S>
class ColumnSums {
 public:
  ColumnSums(const DataStream<S>& stream, Part part, Index scores) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto columns = static_cast<Index>(stream.transform(i).kept().size());
      products_.emplace_back(columns, scores);
      if (stream.statistics(i) && part == Part::training) continue;
      if (stream.weighted())
        weighted_.emplace_back(columns);
      else
        running_.emplace_back(columns);
    }
  }

  void add(const DataStream<S>& stream, In<S> scores) {
    for (std::size_t i = 0; i < 2; ++i) {
      products_[i].add(stream.view(i), scores);
      if (!running_.empty()) running_[i].add(stream.view(i).batch);
      if (!weighted_.empty()) weighted_[i].add(stream.view(i));
    }
  }

  void finish(const DataStream<S>& stream, double weight, Index left, CanonicalColumns& columns) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Matrix<double> all = products_[i].mean(stream.communicator(), weight);
      const Matrix<double> with_left = all.leftCols(left), with_right = all.rightCols(all.cols() - left);
      columns.own[i] = i == 0 ? with_left : with_right;
      columns.cross[i] = i == 0 ? with_right : with_left;
      if (!weighted_.empty()) {
        columns.spread[i] = weighted_[i].finish(stream.communicator(), weight > 0 ? weight : 1);
      } else if (running_.empty()) {
        columns.spread[i] = column_spread(stream, i);
      } else {
        running_[i].merge_ranks(stream.communicator());
        const ColumnStatistics statistics = running_[i].summary();
        columns.spread[i] = {statistics.mean, statistics.variance.cwiseSqrt()};
        if (!stream.source(i).sparse()) continue;  // dense rows have been centred, sparse ones only scaled
        const Transform<S>& transform = stream.transform(i);
        columns.spread[i].mean -= transform.mean().cwiseQuotient(transform.scale());
      }
    }
  }

 private:
  std::vector<ProductSums<S>> products_;
  std::vector<RunningStatistics<S>> running_;
  std::vector<WeightedSpread> weighted_;
};

}  // namespace

void CanonicalColumns::rotate(const Matrix<double>& left, const Matrix<double>& right) {
  if (own[0].size() == 0) return;
  own = {own[0] * left, own[1] * right};
  cross = {cross[0] * right, cross[1] * left};
}

template <class S>
CanonicalMoments canonical_moments(DataStream<S>& stream, Part part, In<S> x, In<S> y,
                                   CanonicalColumns* columns) {
  CanonicalMoments moments{Matrix<double>::Zero(x.cols(), x.cols()), Matrix<double>::Zero(y.cols(), y.cols()),
                           Matrix<double>::Zero(x.cols(), y.cols()), 0,
                           Vector<double>::Zero(x.cols()),           Vector<double>::Zero(y.cols())};
  const SerialBlas serial;  // the same result with any number of threads
  Scratch<S> scores;
  std::optional<ColumnSums<S>> sums;
  if (columns) sums.emplace(stream, part, x.cols() + y.cols());
  Matrix<S> left(x.cols(), x.cols()), right(y.cols(), y.cols()), cross(x.cols(), y.cols());
  stream.begin_pass(in_file_order, part);
  while (stream.next()) {
    const Index rows = stream.view(0).rows();
    auto& both = scores.resize(rows, x.cols() + y.cols());
    auto a = both.leftCols(x.cols()), b = both.rightCols(y.cols());
    stream.view(0).times(x, a);
    stream.view(1).times(y, b);
    multiply_at<S>(a, a, left);
    multiply_at<S>(b, b, right);
    multiply_at<S>(a, b, cross);
    moments.left += left.template cast<double>();
    moments.right += right.template cast<double>();
    moments.cross += cross.template cast<double>();
    if (stream.weighted()) {
      const Vector<S> roots = stream.view(0).roots();
      moments.left_mean += (a.transpose() * roots).template cast<double>();
      moments.right_mean += (b.transpose() * roots).template cast<double>();
      moments.weight += roots.template cast<double>().squaredNorm();
    } else {
      moments.left_mean += a.colwise().sum().transpose().template cast<double>();
      moments.right_mean += b.colwise().sum().transpose().template cast<double>();
      moments.weight += static_cast<double>(rows);
    }
    moments.rows += rows;
    if (sums) sums->add(stream, both);
  }
  reduce(stream.communicator(), moments.left, moments.right, moments.cross, moments.left_mean,
         moments.right_mean, moments.rows, moments.weight);
  if (sums) sums->finish(stream, moments.weight, x.cols(), *columns);
  if (moments.rows > 0) {
    const double scale = 1 / moments.weight;
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

template <class S>
CanonicalColumns canonical_columns(const Covariances<S>& covariances, const Point<S>& x) {
  const Matrix<double> left = x[0].template cast<double>(), right = x[1].template cast<double>();
  const Matrix<S>& between = covariances.cross(0, 1);
  Matrix<double> across(between.cols(), left.cols());
  across.noalias() = between.transpose().template cast<double>() * left;
  return {{precise_product(covariances.within[0], left), precise_product(covariances.within[1], right)},
          {precise_product(between, right), std::move(across)},
          {}};
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
