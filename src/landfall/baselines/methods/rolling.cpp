// rgd-rolling, the paper's stochastic baseline: Riemannian gradient descent where B is the mean over all rows so
// far, an n x n matrix, and exact after the first pass. Every batch is followed by a step in the metric of B,
//
//   X <- R(X, -eta (B^-1 G - X sym(X'G))),   R: Cholesky-QR
//
// CCA: G = -S_xy Y with the mean of S_xy too. ICA: G = A' tanh(A X)/r of the batch, where a row of weight w counts w times.
#include <landfall/baselines/batch_pencil.hpp>
#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/data/rows/row_count.hpp>
#include <landfall/landing/samples.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/manifold/retraction.hpp>

#include <algorithm>

namespace landfall {
namespace {

/// B of one view, and steps in its metric.
template <class S>
class RollingMetric {
 public:
  RollingMetric(Index n, double ridge) : ridge_(static_cast<S>(ridge)) { sum_.setZero(n, n); }

  void absorb(const Eigen::Ref<const Matrix<S>>& columns) {
    multiply_bt<S>(columns, columns, sum_, 1, 1);
    seen_ += columns.cols();
    b_.reset();
  }

  /// X on the manifold of the present B, and then a step from there.
  Matrix<S> on_manifold(const Matrix<S>& x) {
    factor();
    return retract<S>(Retraction::cholesky, *b_, x, Matrix<S>::Zero(x.rows(), x.cols()));
  }
  Matrix<S> step(const Matrix<S>& x, const Matrix<S>& g, S rate) {
    factor();
    Matrix<S> solved(g.rows(), g.cols());
    inverse_->apply(g, solved);
    const Matrix<S> slope = x.transpose() * g;
    return retract<S>(Retraction::cholesky, *b_, x, -rate * (solved - x * (slope + slope.transpose()) / 2));
  }

 private:
  void factor() {
    if (b_) return;
    Matrix<S> b = sum_ / static_cast<S>(seen_);
    b.diagonal().array() += ridge_;
    inverse_ = inverse_preconditioner<S>(b);
    b_ = std::make_unique<DenseOperator<S>>(std::move(b));
  }

  S ridge_;
  Matrix<S> sum_;
  Index seen_ = 0;
  std::unique_ptr<DenseOperator<S>> b_;  // of the rows so far; null where more have come
  PreconditionerPtr<S> inverse_;
};

template <class S>
class Rolling {
 public:
  Rolling(DataStream<S>& stream, const BaselineOptions<S>& options)
      : stream_(stream), options_(options), rows_(count_rows(stream)), problem_(stochastic_options(options)) {
    require_square_memory<S>("rgd-rolling", 3, stream, options);
    if (!(options.step > 0)) problem_.learning_rate = 0.5;  // in the metric of B there is no scale
    for (std::size_t i = 0; i < stream.views(); ++i) {
      const Index n = static_cast<Index>(stream.transform(i).kept().size());
      metrics_.emplace_back(n, problem_.ridge_of(i));
      largest_ = std::max(largest_, n);
    }
    dense_.resize(metrics_.size());
  }

  Result<S> solve() {
    return learn_by_steps<S>(
        stream_, problem_, [&](double rate) { return step(static_cast<S>(rate)); }, x_, options_.observer);
  }

 private:
  double step(S rate) {
    if (x_.empty()) begin();
    const bool more = seen_ < rows_;
    if (more) absorb();
    if (seen_ < std::min(rows_, 2 * largest_)) return 0;  // B is singular yet
    if (more)
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = metrics_[i].on_manifold(x_[i]);
    const double objective = x_.size() == 2 ? correlation_gradient() : contrast_gradient();
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = metrics_[i].step(x_[i], g_[i], rate);
    return objective;
  }

  void begin() {
    std::vector<const CentredBatch<S>*> views;
    for (std::size_t i = 0; i < metrics_.size(); ++i) views.push_back(&stream_.view(i));
    x_ = start_of<S>(views, options_, "rgd-rolling");
    g_ = x_;
    if (x_.size() == 2) cross_.setZero(x_[0].rows(), x_[1].rows());
  }

  void absorb() {
    for (std::size_t i = 0; i < x_.size(); ++i) metrics_[i].absorb(dense_[i](stream_.view(i)));
    if (x_.size() == 2) multiply_bt<S>(dense_[0](stream_.view(0)), dense_[1](stream_.view(1)), cross_, 1, 1);
    seen_ += stream_.view(0).rows();
  }

  double correlation_gradient() {
    const S share = 1 / static_cast<S>(seen_);
    multiply<S>(cross_, x_[1], g_[0], -share);
    multiply_at<S>(cross_, x_[0], g_[1], -share);
    return static_cast<double>(x_[0].cwiseProduct(g_[0]).sum());
  }

  double contrast_gradient() {
    const CentredBatch<S>& view = stream_.view(0);
    slopes_[0].resize(view.rows(), x_[0].cols());
    view.times(x_[0], scores_[0].resize(view.rows(), x_[0].cols()));
    const double value = contrast_.evaluate(scores_, slopes_, view.batch.roots());
    view.transpose_times(slopes_[0].view(), g_[0], 1 / static_cast<S>(view.rows()), 0);
    return value;
  }

  DataStream<S>& stream_;
  const BaselineOptions<S>& options_;
  Index rows_, largest_ = 0, seen_ = 0;
  StochasticCcaOptions problem_;
  std::vector<RollingMetric<S>> metrics_;
  std::vector<DenseRows<S>> dense_;
  Point<S> x_, g_;
  Matrix<S> cross_;  // CCA: sum of S_xy
  const ScoreObjective<S> contrast_ = logcosh_objective<S>();
  std::vector<Scratch<S>> scores_ = std::vector<Scratch<S>>(1), slopes_ = scores_;  // ICA
};

template <class S>
Result<S> solve_rolling(DataStream<S>& stream, const BaselineOptions<S>& options) {
  return Rolling<S>(stream, options).solve();
}

}  // namespace

std::vector<Baseline> rolling_methods() {
  return {{.name = "rgd-rolling",
           .text = "Riemannian gradient descent with the covariance of all rows so far",
           .source = "the paper's baseline",
           .memory = "n^2",
           .stream = {solve_rolling<float>, solve_rolling<double>},
           .mixtures = {solve_rolling<float>, solve_rolling<double>}}};
}

}  // namespace landfall
