// Extended Infomax (Lee, Girolami and Sejnowski 1999): stochastic natural gradient on whitened rows, K the
// signs of the kurtosis of each component,
//
//   W <- W + eta (I - K E_b tanh(y) y' - E_b y y') W,   y = W z, blocks b of sqrt(N/3) rows
//
// eta = 0.01 r / log p^2 for blocks of r rows and is cut by a tenth when the changes of W over two epochs make
// an angle above 60 degrees; when W gets large the run starts again with nine tenths of eta. Ends when W
// changes by less than the tolerance (squared, relative) in an epoch. Here the signs are looked at once per
// epoch, over all rows.
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/linalg/contrast_loops.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace landfall {
namespace {

template <class S>
class Infomax {
 public:
  Infomax(const WhitenedRows<S>& rows, const BaselineOptions<S>& options)
      : z_(rows.z),
        weights_(rows.weights.size() > 0 ? rows.weights : Vector<S>::Ones(rows.z.cols())),
        options_(limited(options)),
        p_(z_.rows()),
        identity_(p_),
        run_(identity_, options_, false) {
    block_ = std::max<Index>(p_, static_cast<Index>(std::sqrt(static_cast<double>(z_.cols()) / 3)));
    block_ = std::min(block_, z_.cols());
    const double p = static_cast<double>(std::max<Index>(p_, 2));
    rate_ = options.step > 0 ? options.step : 0.01 * static_cast<double>(block_) / std::log(p * p);
    rate_ = std::min(rate_, 0.5);
    w_.setIdentity(p_, p_);
  }

  Result<S> solve() {
    Matrix<S> last, change, last_change;
    double moved = 1;
    for (std::uint64_t pass = 0; run_.goes_on(moved, 0, 0, rate_, Point<S>{w_}); ++pass) {
      find_signs();
      last = w_;
      epoch(pass);
      if (!w_.allFinite() || w_.cwiseAbs().maxCoeff() > S(1e4)) {
        w_.setIdentity(p_, p_);
        rate_ *= 0.9;
        last_change.resize(0, 0);
        continue;
      }
      change = w_ - last;
      moved = static_cast<double>(change.squaredNorm() / last.squaredNorm());
      if (last_change.size() > 0) {
        const S cosine = change.cwiseProduct(last_change).sum() / (change.norm() * last_change.norm());
        if (cosine < S(0.5)) rate_ *= 0.9;
      }
      last_change = change;
    }
    auto result = run_.finish(w_);
    result.progress.passes = static_cast<double>(result.progress.iteration);
    return result;
  }

 private:
  static BaselineOptions<S> limited(BaselineOptions<S> options) {
    if (options.iterations == 0) options.iterations = 300;  // epochs
    return options;
  }

  void find_signs() {
    const Matrix<S> y = w_ * z_;
    const Matrix<S> squares = y.array().square();
    const Vector<S> second = squares * weights_ / weights_.sum(),
                    fourth = squares.array().square().matrix() * weights_ / weights_.sum();
    signs_ = (fourth.array() - 3 * second.array().square()).sign().matrix();
  }

  void epoch(std::uint64_t pass) {
    const Permutation order(z_.cols(), {options_.seed, 0x1f0 + pass});
    Matrix<S> rows(p_, block_), slope(p_, block_);
    Vector<S> weights(block_);
    for (Index first = 0; first + block_ <= z_.cols(); first += block_) {
      for (Index j = 0; j < block_; ++j) {
        rows.col(j) = z_.col(order(first + j));
        weights(j) = weights_(order(first + j));
      }
      const Matrix<S> y = w_ * rows;
      logcosh_loop(y.data(), y.size(), S(1), slope.data());
      slope = signs_.asDiagonal() * slope;
      const Matrix<S> field =
          Matrix<S>::Identity(p_, p_) - (slope + y) * weights.asDiagonal() * y.transpose() / weights.sum();
      w_ += static_cast<S>(rate_) * field * w_;
    }
  }

  const Matrix<S>& z_;
  Vector<S> weights_;  // of the rows
  BaselineOptions<S> options_;
  Index p_, block_ = 1;
  IdentityPreconditioner<S> identity_;
  PencilRun<S> run_;
  double rate_ = 0;
  Matrix<S> w_;
  Vector<S> signs_;
};

template <class S>
Result<S> solve_infomax(const WhitenedRows<S>& rows, const BaselineOptions<S>& options) {
  return Infomax<S>(rows, options).solve();
}

}  // namespace

std::vector<Baseline> infomax_methods() {
  return {{.name = "infomax",
           .text = "extended Infomax, stochastic natural gradient",
           .source = "Lee, Girolami and Sejnowski 1999",
           .memory = "N p",
           .sources = {solve_infomax<float>, solve_infomax<double>}}};
}

}  // namespace landfall
