#include "reproduce/stream_runs.hpp"

#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/manifold/field.hpp>
#include <landfall/manifold/retraction.hpp>
#include <landfall/models/ica/amari.hpp>

#include <cmath>

#include "reproduce/stopwatch.hpp"

namespace landfall::app {
namespace {

using Rows = Eigen::Map<const Matrix<float>>;  // a batch, samples as columns

class StreamRun {
 public:
  StreamRun(const StreamProblem& problem, const StreamOptions& options)
      : problem_(problem), options_(options), field_({}), sums_(problem.data.size()) {
    for (std::size_t k = 0; k < blocks(); ++k) {
      const Index n = problem_.data[k].rows(), p = problem_.components;
      if (options_.method != StreamMethod::online) sums_[k].setZero(n, n);
      x_.push_back(gaussian<float>(n, p, {options_.seed, 11 + k}));
      g_.push_back(Matrix<float>::Zero(n, p));
      y_.push_back(g_.back());
      lambda_.push_back(g_.back());
      scores_.emplace_back();
    }
    if (options_.method != StreamMethod::online && problem_.cca())
      cross_.setZero(sums_[0].rows(), sums_[1].rows());
    start(batch(0));
  }

  /// To be asked after a step.
  std::uint64_t bytes() const {
    Index numbers = cross_.size() + mean_cross_.size();
    for (const auto* matrices : {&x_, &g_, &y_, &lambda_, &scores_, &sums_, &b_})
      for (const auto& matrix : *matrices) numbers += matrix.size();
    for (const auto& data : problem_.data) numbers += data.rows() * options_.batch;
    for (const auto& inverse : inverse_) numbers += inverse ? inverse->size() * inverse->size() : 0;
    return static_cast<std::uint64_t>(numbers) * sizeof(float);
  }

  void first_step() { step(0, true, 0); }

  StreamTrace solve() {
    StreamTrace trace;
    double spent = 0;
    int iteration = 0;
    const Index per_epoch = (problem_.rows() + options_.batch - 1) / options_.batch;
    for (int epoch = 0; epoch < options_.epochs; ++epoch) {
      double eta = options_.eta;
      for (const int milestone : options_.milestones)
        if (epoch >= milestone) eta /= 10;
      for (Index i = 0; i < per_epoch; ++i, ++iteration) {
        if (iteration % options_.every == 0) record(iteration, spent, trace);
        if (trace.diverged) return trace;
        const Stopwatch watch;
        step(i, epoch == 0, static_cast<float>(eta));
        spent += watch.seconds();
      }
    }
    record(iteration, spent, trace);
    return trace;
  }

 private:
  std::size_t blocks() const { return problem_.data.size(); }

  std::vector<Rows> batch(Index i) const {
    const Index first = i * options_.batch, count = std::min(options_.batch, problem_.rows() - first);
    std::vector<Rows> out;
    for (const auto& data : problem_.data)
      out.emplace_back(data.data() + first * data.rows(), data.rows(), count);
    return out;
  }

  void start(const std::vector<Rows>& rows) {
    for (std::size_t k = 0; k < blocks(); ++k) {
      RowMatrix<float> first = rows[k].transpose();
      if (options_.start_with_mean) first.rowwise() += problem_.mean[k].transpose();
      const GramOperator<float> b(std::move(first), problem_.ridge);
      x_[k] = retract_polar<float>(b, x_[k], Matrix<float>::Zero(x_[k].rows(), x_[k].cols()));
    }
  }

  /// G and Y = B X, of the batch or of all rows so far.
  void products(Index i, bool first_epoch) {
    const auto rows = batch(i);
    const float share = 1 / static_cast<float>(rows[0].cols());
    if (first_epoch && options_.method != StreamMethod::online) absorb(rows);
    for (std::size_t k = 0; k < blocks(); ++k) {
      scores_[k].resize(rows[k].cols(), problem_.components);
      multiply_at<float>(rows[k], x_[k], scores_[k]);
    }
    if (options_.method == StreamMethod::online) {
      for (std::size_t k = 0; k < blocks(); ++k) {
        y_[k] = x_[k];
        multiply<float>(rows[k], scores_[k], y_[k], share, problem_.ridge);
        if (problem_.cca()) multiply<float>(rows[k], scores_[1 - k], g_[k], -share);
      }
    } else {
      for (std::size_t k = 0; k < blocks(); ++k) multiply<float>(b_[k], x_[k], y_[k]);
      if (problem_.cca()) {
        multiply<float>(mean_cross_, x_[1], g_[0], -1);
        multiply_at<float>(mean_cross_, x_[0], g_[1], -1);
      }
    }
    if (!problem_.cca()) multiply<float>(rows[0], scores_[0].array().tanh().matrix(), g_[0], share);
  }

  void absorb(const std::vector<Rows>& rows) {
    seen_ += rows[0].cols();
    const float share = 1 / static_cast<float>(seen_);
    b_.resize(blocks());
    for (std::size_t k = 0; k < blocks(); ++k) {
      multiply_bt<float>(rows[k], rows[k], sums_[k], 1, 1);
      b_[k] = share * sums_[k];
      b_[k].diagonal().array() += problem_.ridge;
    }
    if (problem_.cca()) {
      multiply_bt<float>(rows[0], rows[1], cross_, 1, 1);
      mean_cross_ = share * cross_;
    }
  }

  void step(Index i, bool first_epoch, float eta) {
    products(i, first_epoch);
    for (std::size_t k = 0; k < blocks(); ++k) {
      if (options_.method == StreamMethod::riemannian) {
        const Matrix<float> slope = x_[k].transpose() * g_[k];
        if (first_epoch || inverse_.size() < blocks()) {
          inverse_.resize(blocks());
          inverse_[k] = inverse_preconditioner<float>(b_[k]);
        }
        inverse_[k]->apply(g_[k], lambda_[k]);
        multiply<float>(x_[k], (slope + slope.transpose()) / -2, lambda_[k], 1, 1);
      } else {
        field_(x_[k], g_[k], y_[k], y_[k], static_cast<float>(options_.omega), lambda_[k]);
      }
    }
    for (std::size_t k = 0; k < blocks(); ++k) {
      if (options_.method == StreamMethod::riemannian)
        x_[k] = retract_cholesky<float>(DenseOperator<float>(b_[k]), x_[k], -eta * lambda_[k]);
      else
        x_[k] -= eta * lambda_[k];
    }
  }

  void record(int iteration, double spent, StreamTrace& trace) {
    double distance = 0;
    std::vector<Matrix<double>> p;
    for (std::size_t k = 0; k < blocks(); ++k) {
      p.push_back((x_[k].transpose() * problem_.b[k] * x_[k]).cast<double>());
      distance += (p[k] - Matrix<double>::Identity(p[k].rows(), p[k].cols())).norm();
    }
    trace.diverged = !std::isfinite(distance) || distance > 1e3;
    if (trace.diverged) return;
    trace.iteration.push_back(iteration);
    trace.seconds.push_back(spent);
    trace.distance.push_back(distance);
    if (problem_.cca()) {
      const Matrix<double> r = (x_[0].transpose() * problem_.cross * x_[1]).cast<double>();
      trace.objective.push_back(-r.trace());
      trace.captured.push_back(captured(problem_, x_));
    } else {
      const Matrix<float> scores = problem_.data[0].transpose() * x_[0];
      const auto size = scores.array().abs();  // log cosh u = |u| + log(1 + e^-2|u|) - log 2
      const double sum = (size + (1 + (-2 * size).exp()).log() - std::log(2.0F)).cast<double>().sum();
      trace.objective.push_back(sum / static_cast<double>(problem_.rows()));
      trace.amari.push_back(amari_distance(x_[0].transpose().cast<double>(), problem_.mixing));
    }
  }

  const StreamProblem& problem_;
  StreamOptions options_;
  StiefelField<float> field_;
  Point<float> x_, g_, y_, lambda_, scores_;
  std::vector<Matrix<float>> sums_, b_;  // of A'A over all rows so far; B from them
  Matrix<float> cross_, mean_cross_;
  std::vector<PreconditionerPtr<float>> inverse_;
  Index seen_ = 0;
};

}  // namespace

std::string name_of(StreamMethod method) {
  return method == StreamMethod::online     ? "landing, online"
         : method == StreamMethod::averaged ? "landing, averaged"
                                            : "Riemannian, averaged";
}

double StreamTrace::at(const std::vector<double>& values, double epoch, double iterations_per_epoch) const {
  for (std::size_t i = 0; i < iteration.size(); ++i)
    if (iteration[i] >= epoch * iterations_per_epoch) return values[i];
  return values.back();
}

double captured(const StreamProblem& problem, const Point<float>& xy) {
  std::vector<Matrix<double>> root;
  for (std::size_t k = 0; k < 2; ++k) {
    SymmetricEigen<double> metric;
    metric.compute((xy[k].transpose() * problem.b[k] * xy[k]).cast<double>());
    if (!(metric.values()(0) > 1e-6)) return 0;
    root.push_back(metric.inverse_root());
  }
  const Matrix<double> cross = (xy[0].transpose() * problem.cross * xy[1]).cast<double>();
  const Vector<double> found = singular_values<double>(root[0] * cross * root[1]);
  return found.head(std::min(found.size(), problem.components)).sum();
}

StreamTrace run_stream(const StreamProblem& problem, const StreamOptions& options) {
  return StreamRun(problem, options).solve();
}

std::uint64_t memory_of(const StreamProblem& problem, const StreamOptions& options) {
  StreamRun run(problem, options);
  run.first_step();
  return run.bytes();
}

}  // namespace landfall::app
