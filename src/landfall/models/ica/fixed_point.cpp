#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/models/ica/fixed_point.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>

namespace landfall {
namespace {

constexpr int kIteratedStarts = 4;        // random ones
constexpr double kWorkPerStart = 2e7;     // N p^2 above which one start must do
constexpr int kRuns = 8;                  // from a start to convergence
constexpr double kWorkPerRun = 1e6;       // N p^2 above which one run must do
constexpr int kIteratedTurns = 20;        // of FastICA
constexpr double kNear = 1e-3;            // 1 - |cos| of its turns at which Newton steps take over
constexpr std::size_t kPairs = 7;         // of L-BFGS
constexpr double kLeastCurvature = 0.05;  // of the largest |c|: pairs below count as Gaussian
constexpr int kMostHalvings = 12;
/// A line search that ends at rounding has converged if the step was this short.
constexpr double kRounding = 1e-4;

/// By which results are compared: the sum of (E g(y_j) - E g(normal))^2.
double negentropy(const ComponentMoments& moments, Contrast contrast) {
  return (moments.value.array() - gaussian_value(contrast)).square().sum();
}

class Iteration {
 public:
  /// From one start, or the best of several.
  Iteration(const Matrix<double>& z, const FixedPointOptions& options, int first_start, int starts)
      : z_(z),
        options_(options),
        roots_(options.roots.data(), static_cast<std::size_t>(options.roots.size())),
        first_start_(first_start),
        starts_(starts),
        y_(z.rows(), 2 * z.cols()) {}

  FixedPoint run() {
    choose_start();
    FixedPoint found;
    for (std::uint64_t step = 0;; ++step) {
      found.turn = newton_direction(gradient_).cwiseAbs().maxCoeff();
      const bool goes_on = tell(step, found);
      found.converged = found.turn <= options_.tolerance;
      if (found.converged || !goes_on || step == static_cast<std::uint64_t>(options_.most_iterations)) {
        found.stopped = !goes_on;
        break;
      }
      if (!advance()) {
        found.converged = found.turn <= kRounding;
        break;
      }
    }
    found.moments = std::move(moments_);
    const Matrix<double> y = y_.leftCols(z_.cols());
    Matrix<double> cubes = y.array().cube();
    if (options_.roots.size() > 0) cubes.array().colwise() /= options_.roots.array().square();
    multiply_at<double>(z_, y, found.moments.mixing.setZero(z_.cols(), z_.cols()));
    multiply_at<double>(y, cubes, found.moments.fourth.setZero(z_.cols(), z_.cols()));
    found.moments.mixing /= static_cast<double>(z_.rows());
    found.moments.fourth /= static_cast<double>(z_.rows());
    found.rotation = std::move(w_);
    found.passes = static_cast<double>(evaluations_);
    return found;
  }

 private:
  struct Pair {
    Matrix<double> s, y;
    double rho;
  };

  /// The start, turned by FastICA; the best of several where none is given.
  void choose_start() {
    const Index p = z_.cols();
    Matrix<double> best;
    double most = -1;
    for (int start = first_start_; start < first_start_ + starts_; ++start) {
      evaluate(start == 0 && options_.start.size() > 0
                   ? options_.start
                   : random_orthonormal(p, p, {options_.seed, 0xf1c + static_cast<std::uint64_t>(start)}));
      double turned = 1;
      for (int turn = 0; turn < kIteratedTurns && turned > kNear; ++turn) {
        Matrix<double> factor = moments_.slopes.transpose();
        factor.diagonal() -= moments_.curvature;
        const Matrix<double> rotation = nearest_rotation<double>(factor);
        turned = 1 - rotation.diagonal().cwiseAbs().minCoeff();
        evaluate(w_ * rotation.transpose());
      }
      if (const double sum = negentropy(moments_, options_.contrast); sum > most) {
        most = sum;
        best = w_;
      }
    }
    if (starts_ > 1) evaluate(best);
    signs_ = signs();
    set_gradient();
  }

  void evaluate(const Matrix<double>& w) {
    options_.cancel.throw_if_requested();
    const Index p = z_.cols();
    w_ = w;
    auto y = y_.leftCols(p), slope = y_.rightCols(p);
    multiply<double>(z_, w_, y);
    ComponentMoments& m = moments_;
    m.value.resize(p);
    m.curvature.resize(p);
    for (Index j = 0; j < p; ++j) {
      const ContrastSums sums =
          apply_contrast<double>(options_.contrast, y.col(j), roots_, 1.0, slope.col(j));
      m.value(j) = sums.value;
      m.curvature(j) = sums.curvature;
    }
    Matrix<double> both(p, 2 * p);
    multiply_at<double>(y, y_, both);
    m.rows = z_.rows();
    const double scale = 1 / static_cast<double>(m.rows);
    m.gram = scale * both.leftCols(p);
    m.slopes = scale * both.rightCols(p);
    m.value *= scale;
    m.curvature *= scale;
    ++evaluations_;
  }

  Vector<double> signs() const {
    return moments_.nonlinearity().unaryExpr([](double c) { return c < 0 ? -1.0 : 1.0; });
  }

  /// G_ij = d f / d E_ij for y <- y (I + E), E skew.
  void set_gradient() {
    const Matrix<double> g = moments_.slopes * signs_.asDiagonal();
    gradient_ = g - g.transpose();
    value_ = signs_.dot(moments_.value);
  }

  Matrix<double> newton_direction(Matrix<double> g) const {
    const Vector<double> c = signs_.cwiseProduct(moments_.nonlinearity());
    const double least = std::max(kLeastCurvature * c.cwiseAbs().maxCoeff(), 1e-12);
    for (Index j = 0; j < g.cols(); ++j)
      for (Index i = 0; i < g.rows(); ++i) g(i, j) /= std::max(c(i) + c(j), least);
    return g;
  }

  Matrix<double> direction() const {
    Matrix<double> q = gradient_;
    std::vector<double> alpha;
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      alpha.push_back(pair->rho * pair->s.cwiseProduct(q).sum());
      q -= alpha.back() * pair->y;
    }
    q = newton_direction(std::move(q));
    for (const Pair& pair : pairs_) {
      q += (alpha.back() - pair.rho * pair.y.cwiseProduct(q).sum()) * pair.s;
      alpha.pop_back();
    }
    // Turns by more than this are beyond what second derivatives say.
    const double longest = q.cwiseAbs().maxCoeff();
    return -std::min(1.0, 0.5 / longest) * q;
  }

  /// One step; false where f cannot be lowered any more.
  bool advance() {
    const Matrix<double> last = gradient_;
    Matrix<double> towards = direction();
    if (!(towards.cwiseProduct(gradient_).sum() < 0) || !line_search(towards)) {
      if (pairs_.empty()) return false;
      pairs_.clear();
      towards = direction();
      if (!line_search(towards)) return false;
    }
    const Vector<double> now = signs();
    if (now != signs_) {
      signs_ = now;
      set_gradient();
      pairs_.clear();
    } else {
      remember(step_ * towards, gradient_ - last);
    }
    return true;
  }

  /// W <- W R, R = (I - D/2)^-1 (I + D/2), with the first of the steps 1, 1/2, ... that lowers f.
  bool line_search(const Matrix<double>& d) {
    const Matrix<double> start = w_, identity = Matrix<double>::Identity(w_.rows(), w_.cols());
    const double before = value_;
    step_ = 1;
    for (int k = 0; k <= kMostHalvings; ++k, step_ /= 2) {
      const Matrix<double> half = step_ / 2 * d;
      evaluate(start * solve_square<double>(identity - half, identity + half));
      set_gradient();
      if (value_ < before) return true;
    }
    evaluate(start);
    set_gradient();
    return false;
  }

  void remember(Matrix<double> s, Matrix<double> y) {
    const double curvature = s.cwiseProduct(y).sum();
    if (!(curvature > 0)) return;
    pairs_.push_back({std::move(s), std::move(y), 1 / curvature});
    if (pairs_.size() > kPairs) pairs_.pop_front();
  }

  bool tell(std::uint64_t step, FixedPoint& found) const {
    Progress progress;
    progress.iteration = step;
    progress.passes = static_cast<double>(evaluations_);
    progress.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    progress.objective = value_;
    progress.stationarity = rotation_residual(moments_, signs_);
    progress.step = step_;
    found.history.push_back(progress);
    return !options_.observer || options_.observer(progress, w_);
  }

  const Matrix<double>& z_;
  const FixedPointOptions& options_;
  std::span<const double> roots_;
  int first_start_, starts_;
  Matrix<double> y_;  // y and g'(y), side by side
  Matrix<double> w_, gradient_;
  ComponentMoments moments_;
  Vector<double> signs_;
  double value_ = 0, step_ = 0;
  std::deque<Pair> pairs_;
  std::uint64_t evaluations_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

FixedPoint iterate_to_convergence(const Matrix<double>& z, const FixedPointOptions& options) {
  if (options.starts > 0) return Iteration(z, options, 0, options.starts).run();
  const auto p = static_cast<double>(z.cols());
  const double work = static_cast<double>(z.rows()) * p * p;
  if (work > kWorkPerRun || z.cols() == 1)
    return Iteration(z, options, 0, work > kWorkPerStart || z.cols() == 1 ? 1 : kIteratedStarts).run();
  // f has many minima on data that are no mixture of independent sources.
  FixedPoint best;
  double passes = 0;
  for (int start = 0; start < kRuns; ++start) {
    FixedPoint found = Iteration(z, options, start, 1).run();
    passes += found.passes;
    const bool better = found.converged != best.converged ? found.converged
                                                          : negentropy(found.moments, options.contrast) >
                                                                negentropy(best.moments, options.contrast);
    const bool stopped = found.stopped;
    if (start == 0 || better) best = std::move(found);
    if (stopped) {
      best.stopped = true;
      break;
    }
  }
  best.passes = passes;
  return best;
}

ComponentMoments best_components(const ComponentMoments& all, Contrast contrast, Index p, Matrix<double>& x) {
  const Index r = all.value.size();
  const Vector<double> entropy = (all.value.array() - gaussian_value(contrast)).square();
  std::vector<Index> order(static_cast<std::size_t>(r));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return entropy(a) > entropy(b); });
  order.resize(static_cast<std::size_t>(p));
  x = x(Eigen::all, order).eval();
  return {.gram = all.gram(order, order),
          .slopes = all.slopes(order, order),
          .mixing = all.mixing(Eigen::all, order),
          .value = all.value(order),
          .curvature = all.curvature(order),
          .fourth = all.fourth(order, order),
          .rows = all.rows};
}

}  // namespace landfall
