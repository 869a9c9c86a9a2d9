// Riemannian gradient descent on { X : X'BX = I }, the methods the paper compares with.
//
//   metric of B     grad = B^-1 G - X sym(X'G), with a Cholesky factor of B made once
//   Euclidean       grad = G - 2 Y lambda, (Y'Y) lambda + lambda (Y'Y) = sym(Y'G), nothing factored
//   X <- R(X, -t grad), R one of the retractions (manifold/retraction.hpp)
//
// Steps are fixed at 1/(2 L), or from Manopt's adaptive line search: halved until
// f <= f_0 - t/2 <G, grad>, twice the last one tried next where that was accepted at once.
#include <landfall/baselines/descent.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/manifold/multiplier.hpp>
#include <landfall/manifold/retraction.hpp>

#include <array>

#include <fmt/format.h>

namespace landfall {
namespace {

struct Variant {
  std::string_view name, text;
  bool euclidean = false, search = true;
  Retraction retraction = Retraction::cholesky;
};

constexpr std::array kVariants{
    Variant{"rgd", "Riemannian gradient descent, metric of B, Cholesky-QR, line search"},
    Variant{"rgd-polar", "the same with the polar retraction", false, true, Retraction::polar},
    Variant{"rgd-svd", "the same with the SVD retraction", false, true, Retraction::svd},
    Variant{"rgd-fixed", "the same with a fixed step", false, false},
    Variant{"rgd-euclidean", "Riemannian gradient descent, Euclidean metric, Cholesky-QR, line search", true},
};

/// B^-1 by a factor, where that fits in memory.
template <class S>
PreconditionerPtr<S> factor_of_b(const SymmetricOperator<S>& b, const BaselineOptions<S>& options,
                                 std::string_view name) {
  const double n = static_cast<double>(b.size()), bytes = 2 * n * n * sizeof(S);
  if (bytes > static_cast<double>(options.memory))
    throw UsageError(fmt::format(
        "{} factors B: {} columns take {:.3g} MiB, the memory limit is {:.3g} MiB; rgd-euclidean does not",
        name, b.size(), bytes / (1 << 20), static_cast<double>(options.memory) / (1 << 20)));
  return inverse_preconditioner<S>(to_dense(b));
}

template <class S>
class Rgd {
 public:
  Rgd(const StiefelProblem<S>& problem, const BaselineOptions<S>& options, const Variant& variant)
      : problem_(problem), options_(options), variant_(variant), run_(*problem.b, options) {
    if (!variant.euclidean) inverse_ = factor_of_b<S>(*problem.b, options, variant.name);
    at_.x = run_.start();
  }

  Result<S> solve() {
    update();
    S step = first_step();
    while (goes_on(static_cast<double>(step))) {
      const Matrix<S> gradient = riemannian_gradient();
      if (variant_.search && !(options_.step > 0))
        step = search(gradient, step);
      else
        move(gradient, step);
    }
    return run_.finish(at_.x);
  }

 private:
  /// f and G; Y = B X for the Euclidean metric alone.
  void update() {
    if (variant_.euclidean) return at_.update(problem_);
    at_.g.resize(at_.x.rows(), at_.x.cols());
    at_.f = problem_.f(at_.x, &at_.g);
  }

  bool goes_on(double step) {
    const double f = static_cast<double>(at_.f);
    return variant_.euclidean ? run_.goes_on(at_.x, at_.g, at_.y, f, step)
                              : run_.goes_on(at_.x, at_.g, f, step);
  }

  Matrix<S> riemannian_gradient() {
    if (variant_.euclidean) return at_.g - 2 * at_.y * multiplier_.compute(at_.y, at_.g);
    Matrix<S> gradient(at_.g.rows(), at_.g.cols()), slope(at_.g.cols(), at_.g.cols());
    inverse_->apply(at_.g, gradient);
    multiply_at<S>(at_.x, at_.g, slope);
    multiply<S>(at_.x, slope + slope.transpose(), gradient, S(-0.5), 1);
    return gradient;
  }

  S first_step() {
    if (options_.step > 0) return static_cast<S>(options_.step);
    const S beta = variant_.euclidean ? largest_eigenvalue(*problem_.b, options_.seed) : S(1);
    return 1 / (2 * beta * multiplier_bound<S>(problem_, options_));
  }

  Matrix<S> end(const Matrix<S>& gradient, S step) const {
    return retract<S>(variant_.retraction, *problem_.b, at_.x, -step * gradient);
  }

  void move(const Matrix<S>& gradient, S step) {
    at_.x = end(gradient, step);
    update();
  }

  /// Moves, and returns the length to try next.
  S search(const Matrix<S>& gradient, S step) {
    const S slope = at_.g.cwiseProduct(gradient).sum(), before = at_.f;
    int halvings = 0;
    Matrix<S> trial = end(gradient, step);
    while (problem_.f(trial, nullptr) > before - step * slope / 2 && halvings < 10) {
      step /= 2;
      ++halvings;
      trial = end(gradient, step);
    }
    at_.x = std::move(trial);
    update();
    return halvings == 0 ? 2 * step : step;
  }

  const StiefelProblem<S>& problem_;
  const BaselineOptions<S>& options_;
  const Variant& variant_;
  PencilRun<S> run_;
  StiefelState<S> at_;
  PreconditionerPtr<S> inverse_;
  LyapunovMultiplier<S> multiplier_;
};

template <class S, std::size_t variant>
Result<S> solve_riemannian(const StiefelProblem<S>& problem, const BaselineOptions<S>& options) {
  return Rgd<S>(problem, options, kVariants[variant]).solve();
}

template <std::size_t variant>
Baseline rgd_entry() {
  return {.name = kVariants[variant].name,
          .text = kVariants[variant].text,
          .source = "Absil, Mahony and Sepulchre 2008; Sato and Aihara 2019",
          .memory = kVariants[variant].euclidean ? "8 n p" : "n^2",
          .stiefel = {solve_riemannian<float, variant>, solve_riemannian<double, variant>}};
}

}  // namespace

std::vector<Baseline> riemannian_methods() {
  return {rgd_entry<0>(), rgd_entry<1>(), rgd_entry<2>(), rgd_entry<3>(), rgd_entry<4>()};
}

}  // namespace landfall
