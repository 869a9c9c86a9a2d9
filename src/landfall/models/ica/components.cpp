#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/ica/components.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace landfall {
namespace {

constexpr Index kMostParts = 8;  // of rows in memory

template <class S>
class Accumulator {
 public:
  Accumulator(Contrast contrast, In<S> x)
      : contrast_(contrast), x_(x), squares_(x.cols(), 3 * x.cols()), tall_(x.rows(), x.cols()) {
    sums_.gram = sums_.slopes = sums_.fourth = Matrix<double>::Zero(x.cols(), x.cols());
    sums_.mixing = Matrix<double>::Zero(x.rows(), x.cols());
    sums_.value = sums_.curvature = Vector<double>::Zero(x.cols());
  }

  void add(const CentredBatch<S>& rows) {
    if (rows.rows() == 0) return;
    const Index p = x_.cols();
    const std::span<const S> roots = rows.batch.roots();
    auto& both = both_.resize(rows.rows(), 3 * p);
    auto y = both.leftCols(p), slope = both.middleCols(p, p);
    rows.times(x_, y);
    for (Index j = 0; j < p; ++j) {
      const ContrastSums sums = apply_contrast<S>(contrast_, y.col(j), roots, S(1), slope.col(j));
      sums_.value(j) += sums.value;
      sums_.curvature(j) += sums.curvature;
    }
    both.rightCols(p) = y.array().cube();
    // r y^3 of the sources y, where the rows are r y.
    if (!roots.empty()) both.rightCols(p).array().colwise() /= rows.roots().array().square();
    multiply_at<S>(y, both, squares_);
    sums_.gram += squares_.leftCols(p).template cast<double>();
    sums_.slopes += squares_.middleCols(p, p).template cast<double>();
    sums_.fourth += squares_.rightCols(p).template cast<double>();
    rows.transpose_times(y, tall_, 1, 0);
    sums_.mixing += tall_.template cast<double>();
    sums_.rows += rows.rows();
  }

  void operator+=(const Accumulator& other) {
    const ComponentMoments& more = other.sums_;
    sums_.gram += more.gram;
    sums_.slopes += more.slopes;
    sums_.fourth += more.fourth;
    sums_.mixing += more.mixing;
    sums_.value += more.value;
    sums_.curvature += more.curvature;
    sums_.rows += more.rows;
  }

  /// Over the rows of all ranks.
  ComponentMoments mean(Communicator& communicator) {
    reduce(communicator, sums_.gram, sums_.slopes, sums_.fourth, sums_.mixing, sums_.value, sums_.curvature,
           sums_.rows);
    const double scale = 1 / static_cast<double>(std::max<Index>(sums_.rows, 1));
    for (auto* m : {&sums_.gram, &sums_.slopes, &sums_.fourth, &sums_.mixing}) *m *= scale;
    for (auto* v : {&sums_.value, &sums_.curvature}) *v *= scale;
    return std::move(sums_);
  }

 private:
  Contrast contrast_;
  Matrix<S> x_;
  Scratch<S> both_;  // y, g'(y) and y^3, side by side
  Matrix<S> squares_, tall_;
  ComponentMoments sums_;
};

}  // namespace

template <class S>
ComponentMoments component_moments(DataStream<S>& stream, Contrast contrast, In<S> x) {
  Accumulator<S> sums(contrast, x);
  stream.begin_pass(0);
  while (stream.next()) sums.add(stream.view(0));
  return sums.mean(stream.communicator());
}

template <class S>
ComponentMoments component_moments(const InMemoryBatches<S>& batches, Contrast contrast, In<S> x,
                                   Communicator& communicator) {
  // Parts that threads share. Their number depends on the data alone, and their sums take less memory than the rows.
  Index rows = 0;
  for (const auto& batch : batches) rows += batch.front().rows();
  const auto count = static_cast<Index>(batches.size());
  const Index parts =
      std::clamp<Index>(std::min(kMostParts, rows / (16 * x.cols())), 1, std::max<Index>(count, 1));
  std::vector<Accumulator<S>> sums(static_cast<std::size_t>(parts), Accumulator<S>(contrast, x));
  parallel_for(parts, [&](Index part) {
    for (Index b = part * count / parts; b < (part + 1) * count / parts; ++b)
      sums[static_cast<std::size_t>(part)].add(batches[static_cast<std::size_t>(b)].front());
  });
  for (Index part = 1; part < parts; ++part) sums[0] += sums[static_cast<std::size_t>(part)];
  return sums[0].mean(communicator);
}

Matrix<double> newton_step(const ComponentMoments& moments, const Matrix<double>& metric,
                           const Vector<double>& signs) {
  const Index p = metric.rows();
  const Matrix<double>& m = moments.slopes;
  const Vector<double> c = moments.nonlinearity();
  const double least = 0.05 * c.cwiseAbs().maxCoeff();  // below it a pair counts as Gaussian: no rotation
  // y + T'y has E y_i g'(y_j) near M_ij + T_ji M_jj + T_ij E g''(y_j) for i != j. With T = S + E, S = (I -
  // P)/2 for P = X'BX and E skew, s_j E y_i g'(y_j) is symmetric where
  //   E_ij (s_i c_i + s_j c_j) = s_i M_ji - s_j M_ij - S_ij (s_j (M_jj + E g''_j) - s_i (M_ii + E g''_i)).
  Matrix<double> t = 0.5 * (3 * Matrix<double>::Identity(p, p) - metric);
  const Vector<double> sum = signs.cwiseProduct(m.diagonal() + moments.curvature);
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < j; ++i) {
      const double curvature = signs(i) * c(i) + signs(j) * c(j);
      if (!(curvature > least)) continue;
      const double residual = signs(i) * m(j, i) - signs(j) * m(i, j) - t(i, j) * (sum(j) - sum(i));
      const double angle = std::clamp(residual / curvature, -0.3, 0.3);
      t(i, j) += angle;
      t(j, i) -= angle;
    }
  Matrix<double> gram = t.transpose() * metric * t;
  symmetrize<double>(gram);
  SymmetricEigen<double> eigen;
  eigen.compute(gram);
  return t * eigen.inverse_root();
}

double relative_gain(const ComponentMoments& moments, const Vector<double>& signs,
                     const Matrix<double>& turn) {
  const Vector<double> c = signs.cwiseProduct(moments.nonlinearity());
  double gain = 0;  // half the curvature times the square of the angle, of each pair
  for (Index j = 0; j < c.size(); ++j)
    for (Index i = 0; i < j; ++i)
      gain += std::max(c(i) + c(j), 0.0) * std::pow((turn(i, j) - turn(j, i)) / 2, 2) / 2;
  return gain / std::max(moments.value.cwiseAbs().sum(), 1e-300);
}

double rotation_residual(const ComponentMoments& moments, const Vector<double>& signs) {
  const Matrix<double> m = moments.slopes * signs.asDiagonal();
  const double size = m.norm();
  return size > 0 ? (m - m.transpose()).norm() / (2 * size) : 0;
}

Vector<double> kurtosis(const ComponentMoments& moments, const Matrix<double>& turn) {
  const Matrix<double> step = turn - Matrix<double>::Identity(turn.rows(), turn.cols());
  const Vector<double> fourth =
      moments.fourth.diagonal() + 4 * moments.fourth.cwiseProduct(step).colwise().sum().transpose();
  const Vector<double> variance = (turn.transpose() * moments.gram * turn).diagonal();
  return fourth.cwiseQuotient(variance.cwiseAbs2()).array() - 3;
}

OrderedComponents ordered_components(const ComponentMoments& moments, Contrast contrast,
                                     const Matrix<double>& weights, const Matrix<double>& mixing) {
  const Index p = weights.cols();
  const Vector<double> entropy = (moments.value.array() - gaussian_value(contrast)).square();
  const Vector<double> c = moments.nonlinearity() * super_gaussian_sign(contrast);
  std::vector<Index> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<Index> largest(order.size());
  for (Index j = 0; j < p; ++j) weights.col(j).cwiseAbs().maxCoeff(&largest[static_cast<std::size_t>(j)]);
  // Sources that are equally far from Gaussian, to nine digits, come in the order of their columns: rounding must not decide.
  const double digit = 1e-9 * std::max(entropy.maxCoeff(), std::numeric_limits<double>::min());
  const auto place = [&](Index j) {
    return std::pair(-std::round(entropy(j) / digit), largest[static_cast<std::size_t>(j)]);
  };
  std::ranges::stable_sort(order, {}, place);

  OrderedComponents result{Matrix<double>(weights.rows(), p), Matrix<double>(mixing.rows(), p),
                           Vector<double>(p), Vector<double>(p), order};
  for (Index j = 0; j < p; ++j) {
    const Index from = order[static_cast<std::size_t>(j)];
    const double sign = weights(largest[static_cast<std::size_t>(from)], from) < 0 ? -1 : 1;
    result.weights.col(j) = sign * weights.col(from);
    result.mixing.col(j) = sign * mixing.col(from);
    result.signs(j) = c(from) < 0 ? -1 : 1;
    result.negentropy(j) = entropy(from);
  }
  return result;
}

LANDFALL_COMPONENTS(, float)
LANDFALL_COMPONENTS(, double)

}  // namespace landfall
