#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/models/fit/column_loadings.hpp>
#include <landfall/models/lda/discriminant.hpp>
#include <landfall/parallel/threads.hpp>

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace landfall {
namespace {

/// Columns sqrt(prior) mean, so that S_b = F F'.
template <class S>
Matrix<S> between_factor(const ClassMeans& classes) {
  return (classes.means * classes.priors.cwiseSqrt().asDiagonal()).template cast<S>();
}

/// Adds the rows to the sums of their classes, as they are stored but with their weights; and these to the counts.
template <class S>
void add_rows(const Batch<S>& batch, const Labels& labels, Matrix<double>& sums, Vector<double>& counts) {
  for (Index i = 0; i < batch.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index c = labels.of(batch.numbers()[at]);
    const double root = batch.roots().empty() ? 1.0 : static_cast<double>(batch.roots()[at]);
    counts(c) += root * root;
    if (!batch.sparse()) {
      sums.col(c) += root * batch.dense().col(i).template cast<double>();
      continue;
    }
    for (auto k = static_cast<std::size_t>(batch.starts()[at]);
         k < static_cast<std::size_t>(batch.starts()[at + 1]); ++k)
      sums(batch.columns()[k], c) += root * static_cast<double>(batch.values()[k]);
  }
}

}  // namespace

template <class S>
ClassMeans class_means(DataStream<S>& stream, const Labels& labels) {
  const Transform<S>& transform = stream.transform(0);
  ClassMeans classes;
  classes.means.setZero(static_cast<Index>(transform.kept().size()), labels.classes());
  classes.priors.setZero(labels.classes());
  stream.begin_pass(0);
  while (stream.next()) {
    add_rows(stream.view(0).batch, labels, classes.means, classes.priors);
    classes.rows += stream.view(0).rows();
  }
  reduce(stream.communicator(), classes.means, classes.priors, classes.rows);
  const bool raw = stream.source(0).sparse();  // such rows are scaled, and centred in products only
  for (Index c = 0; c < labels.classes(); ++c) {
    if (classes.priors(c) == 0) continue;
    classes.means.col(c) /= classes.priors(c);
    if (raw) classes.means.col(c) -= transform.mean().cwiseQuotient(transform.scale());
  }
  classes.priors /= static_cast<double>(std::max<Index>(classes.rows, 1));
  return classes;
}

template <class S>
Matrix<S> between_covariance(const ClassMeans& classes) {
  const Matrix<S> factor = between_factor<S>(classes);
  Matrix<S> between(factor.rows(), factor.rows());
  multiply_bt<S>(factor, factor, between);
  return between;
}

template <class S>
ScoreObjective<S> between_objective(const ClassMeans& classes) {
  struct Work {
    Matrix<S> factor;
    Scratch<S> projected;
  };
  auto state = std::make_shared<Work>(Work{between_factor<S>(classes), {}});
  return {.known = [state](const Point<S>& x, Point<S>* gradient) {
    auto& projected = state->projected.resize(state->factor.cols(), x[0].cols());
    multiply_at<S>(state->factor, x[0], projected);
    if (gradient) multiply<S>(state->factor, projected, (*gradient)[0], S(-1));
    return -static_cast<double>(projected.squaredNorm()) / 2;
  }};
}

template <class S>
DiscriminantMoments discriminant_moments(DataStream<S>& stream, const Labels& labels,
                                         const ClassMeans& classes, In<S> x, Matrix<double>* columns) {
  const SerialBlas serial;  // the same result with any number of threads
  Matrix<double> centres(x.cols(), classes.means.cols());
  multiply_at<double>(x.template cast<double>(), classes.means, centres);
  DiscriminantMoments moments{Matrix<double>::Zero(x.cols(), x.cols()),
                              centres * classes.priors.asDiagonal() * centres.transpose()};
  Scratch<S> scores;
  Scratch<double> deviations;
  std::optional<ProductSums<S>> products;
  if (columns) products.emplace(x.rows(), x.cols());
  stream.begin_pass(0);
  while (stream.next()) {
    const CentredBatch<S>& rows = stream.view(0);
    auto& a = scores.resize(rows.rows(), x.cols());
    auto& d = deviations.resize(rows.rows(), x.cols());
    rows.times(x, a);
    const Vector<double> roots = rows.roots().template cast<double>();
    for (Index i = 0; i < rows.rows(); ++i)
      d.row(i) =
          a.row(i).template cast<double>() -
          roots(i) * centres.col(labels.of(rows.batch.numbers()[static_cast<std::size_t>(i)])).transpose();
    multiply_at<double>(d, d, moments.within, 1, 1);
    moments.rows += rows.rows();
    if (products) {
      a = d.template cast<S>();
      products->add(rows, a);
    }
  }
  reduce(stream.communicator(), moments.within, moments.rows);
  if (products) *columns = products->mean(stream.communicator(), static_cast<double>(moments.rows));
  moments.within /= static_cast<double>(std::max<Index>(moments.rows, 1));
  return moments;
}

DiscriminantRotation discriminant_rotation(const DiscriminantMoments& moments, Index p) {
  const Matrix<double> factor = orthonormalizing_factor<double>(moments.within);
  if (factor.cols() < p)
    throw NumericalError(
        fmt::format("the classes vary in {} directions, expected at least p = {}", factor.cols(), p));
  const Matrix<double> between = factor.transpose() * moments.between * factor;
  auto eigen = solve_pencil<double>(between, Matrix<double>::Identity(between.rows(), between.cols()), p);
  return {eigen.values.cwiseMax(0), factor * eigen.vectors};
}

std::vector<Index> nearest_centres(const Matrix<double>& scores, const Matrix<double>& centres,
                                   const Vector<double>& priors) {
  std::vector<Index> nearest(static_cast<std::size_t>(scores.rows()));
  for (Index i = 0; i < scores.rows(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < centres.cols(); ++c) {
      if (!(priors(c) > 0)) continue;
      const double distance =
          (scores.row(i).transpose() - centres.col(c)).squaredNorm() - 2 * std::log(priors(c));
      if (distance < least) {
        least = distance;
        nearest[static_cast<std::size_t>(i)] = c;
      }
    }
  }
  return nearest;
}

LANDFALL_DISCRIMINANT(, float)
LANDFALL_DISCRIMINANT(, double)

}  // namespace landfall
